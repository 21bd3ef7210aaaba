import { UserError } from "../core/text/errors.js";
import type { TlsOptions } from "../core/model/index.js";
import { textOf } from "./bytes.js";

const MAX_PEM_BYTES = 16 * 1024 ** 2;

/**
 * The certificates in these files; undefined when none is named.
 * @param read of paths that a person typed, which may be pipes; otherwise only regular files are read
 * @throws UserError naming the file, not its content
 */
export async function readTls(
  { ca = [], cert, key }: { readonly ca?: readonly string[]; readonly cert?: string; readonly key?: string },
  read = (path: string) => textOf(path, MAX_PEM_BYTES),
): Promise<TlsOptions | undefined> {
  const readPem = async (path: string, what: PemKind) => checkedPem(path, await read(path), what);
  if (ca.length === 0 && cert === undefined && key === undefined) return undefined;
  const authorities = await Promise.all(ca.map((file) => readPem(file, "CERTIFICATE")));
  return {
    ...(ca.length === 0 ? {} : { ca: authorities.join("\n") }),
    ...(cert === undefined ? {} : { cert: await readPem(cert, "CERTIFICATE") }),
    ...(key === undefined ? {} : { key: await readPem(key, "PRIVATE KEY") }),
  };
}

type PemKind = "CERTIFICATE" | "PRIVATE KEY";

function checkedPem(path: string, text: string, what: PemKind): string {
  if (!new RegExp(`-----BEGIN [A-Z ]*${what}-----`).test(text))
    throw new UserError(`${path} holds no ${what.toLowerCase()} in PEM form (-----BEGIN ${what}-----).`);
  return text;
}
