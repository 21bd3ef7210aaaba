import type { TlsOptions } from "../core/model/index.js";
import { FileError } from "./failure.js";
import { readGivenText } from "./opener.js";

/** PEM files of one endpoint. */
export interface TlsFiles {
  readonly ca?: readonly string[];
  readonly cert?: string;
  readonly key?: string;
}

/** The certificates in these files; undefined when none is named. @throws FileError naming the file, not its content */
export async function readTls({ ca = [], cert, key }: TlsFiles): Promise<TlsOptions | undefined> {
  if (ca.length === 0 && cert === undefined && key === undefined) return undefined;
  const authorities = await Promise.all(ca.map((file) => readPem(file, "CERTIFICATE")));
  return {
    ...(ca.length === 0 ? {} : { ca: authorities.join("\n") }),
    ...(cert === undefined ? {} : { cert: await readPem(cert, "CERTIFICATE") }),
    ...(key === undefined ? {} : { key: await readPem(key, "PRIVATE KEY") }),
  };
}

async function readPem(path: string, what: "CERTIFICATE" | "PRIVATE KEY"): Promise<string> {
  const text = await readGivenText(path);
  if (!new RegExp(`-----BEGIN [A-Z ]*${what}-----`).test(text))
    throw new FileError(`${path} holds no ${what.toLowerCase()} in PEM form (-----BEGIN ${what}-----).`);
  return text;
}
