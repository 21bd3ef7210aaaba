import { version } from "../../package.json";

/** Of this program, as its files name it. */
export const VERSION: string = version;
