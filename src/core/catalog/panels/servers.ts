import { ENGINE_PANELS } from "./engines.js";
import type { ServerPanels } from "./definition.js";
import { MACHINE_PANELS } from "./machines.js";
import { SERVING_PANELS } from "./serving.js";

/** Beyond what every engine has: panels of one server, in the order in which they are shown. */
export const SERVER_PANELS: ServerPanels = { ...ENGINE_PANELS, ...SERVING_PANELS, ...MACHINE_PANELS };
