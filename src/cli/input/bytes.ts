import { rmdir, stat } from "node:fs/promises";
import { UserError } from "../../core/text/errors.js";
import { contentOf } from "../../files/bytes.js";
import { packingOfBytes } from "../../files/growing-file.js";
import { makeFolder, newFolder } from "../../files/index.js";
import { readNamedFile } from "../../files/opener.js";

/** Longest text that is read whole, bytes. */
const MAX_INPUT = 1024 ** 3;

/** Bytes of a file, unpacked if it is packed, or of standard input for "-". @throws UserError */
export async function readInput(path: string): Promise<Uint8Array> {
  // What is read from a pipe cannot be read a second time.
  const about = path === "-" ? undefined : await stat(path).catch(() => undefined);
  if (about?.isFile() === true) return contentOf(path, MAX_INPUT);
  const bytes = await readNamedFile(path);
  const packing = packingOfBytes(bytes);
  if (packing === undefined) return bytes;
  throw new UserError(
    `${path === "-" ? "standard input" : path} is packed with ${packing}.`,
    `Unpack it on the way (${packing} -dc), or name the file.`,
  );
}

/**
 * Makes a folder for results, and those above it. Work that writes nothing leaves no folder that was not there before.
 * @throws UserError when it cannot be made; what `work` throws
 */
export async function withFolder<T>(path: string, work: () => Promise<T>): Promise<T> {
  const made = await makeFolder(path);
  return work().finally(async () => {
    // One that is not empty refuses.
    if (made !== undefined) await rmdir(path).catch(() => undefined);
  });
}

/** As `withFolder`, in a new folder as `newFolder` makes it. */
export async function withNewFolder<T>(base: string, name: string, work: (path: string) => Promise<T>): Promise<T> {
  const path = await newFolder(base, name);
  return work(path).finally(() => rmdir(path).catch(() => undefined));
}
