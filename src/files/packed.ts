import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import * as zlib from "node:zlib";
import { UserError } from "../core/text/errors.js";
import type { Compression } from "../core/artifacts/index.js";
import { unpackedTemporary } from "./atomic.js";
import { bytesOf, eachChunk } from "./bytes.js";
import { packingOf } from "./growing-file.js";
import { RegularFile, type Reach } from "./opener.js";

/** Node 22.15 and later have zstd, earlier ones do not. */
interface Packers {
  readonly createGzip: () => Transform;
  readonly createZstdCompress?: () => Transform;
}
const packers: Packers = zlib;

/** Whether this Node can write a compression. */
export function canCompress(compression: Compression): boolean {
  return compression === "gzip" || packers.createZstdCompress !== undefined;
}

/**
 * Writes a file through `write`, then packs it; with no compression only writes it.
 * @throws UserError when this Node cannot write the compression; what `write` throws; the signal's reason
 */
export async function writePacked(
  temporary: string,
  compression: Compression | undefined,
  write: (path: string) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<void> {
  if (compression === undefined) {
    await write(temporary);
    return;
  }
  const packer = compression === "gzip" ? packers.createGzip() : packers.createZstdCompress?.();
  if (packer === undefined) throw withoutZstd();
  const unpacked = unpackedTemporary(temporary);
  try {
    await write(unpacked);
    const target = createWriteStream(temporary, { flush: true });
    await pipeline(createReadStream(unpacked), packer, target, signal === undefined ? {} : { signal });
  } finally {
    await rm(unpacked, { force: true });
  }
}

/** The error where node is too old for zstd. */
export function withoutZstd(): UserError {
  return new UserError(
    `Node ${process.versions.node} cannot write zstd.`,
    "Use gzip, or run with Node 22.15 or later.",
    { code: "export-failed" },
  );
}

/**
 * A file opened to be read anywhere in it. A packed one is unpacked to a temporary file, which has no name while it
 * holds anything and is gone when it is closed, or when the process ends.
 * @throws UserError, also when it unpacks to too much
 */
export async function openSeekable(path: string, { within }: Reach): Promise<RegularFile> {
  const reach = within === undefined ? {} : { within };
  const file = await RegularFile.open(path, reach);
  const packing = await packingOf(file).catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
  if (packing === undefined) return file;
  await file.close();
  const folder = await mkdtemp(join(tmpdir(), "server-metrics-unpacked-"));
  try {
    const unpacked = await open(join(folder, "file"), "wx+", 0o600);
    try {
      // Its name goes before its first byte: whatever ends this process then, nothing stays behind. A system that keeps
      // the names of open files has it removed below.
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
      const { torn } = await eachChunk(bytesOf(path, reach), (chunk) => unpacked.appendFile(chunk));
      if (torn) throw new UserError(`${path} is cut off: it does not unpack to its end.`);
      return await RegularFile.of(path, unpacked);
    } catch (error) {
      await unpacked.close();
      throw error;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
