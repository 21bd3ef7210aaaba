import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { createGunzip } from "node:zlib";
import { describeFileError, FileError } from "./failure.js";

export interface ReadOptions {
  readonly signal?: AbortSignal;
  /** Share read, 0 to 1. */
  readonly onProgress?: (fraction: number) => void;
}

const CHUNK = 1 << 20;

/**
 * The bytes of a file, unpacked if it is gzip, a chunk at a time; a chunk is overwritten by the next.
 * @returns through the generator whether a gzip file was torn: all before that has been given
 * @throws FileError; the signal's reason
 */
export async function* bytesOf(path: string, { signal, onProgress }: ReadOptions): AsyncGenerator<Uint8Array, { readonly torn: boolean }> {
  try {
    return yield* (await isGzip(path)) ? unpacked(path, { signal, onProgress }) : plain(path, { signal, onProgress });
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof FileError || !isSystemError(error) ? error : describeFileError(path, error, "read");
  }
}

interface Reading {
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ReadOptions["onProgress"];
}

async function* plain(path: string, { signal, onProgress }: Reading): AsyncGenerator<Uint8Array, { readonly torn: boolean }> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const buffer = new Uint8Array(CHUNK);
    for (let at = 0; ; ) {
      signal?.throwIfAborted();
      const { bytesRead } = await file.read(buffer, 0, CHUNK, at);
      if (bytesRead === 0) return { torn: false };
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
      onProgress?.(size === 0 ? 1 : Math.min(1, at / size));
    }
  } finally {
    await file.close();
  }
}

async function* unpacked(path: string, { signal, onProgress }: Reading): AsyncGenerator<Uint8Array, { readonly torn: boolean }> {
  const { size } = await stat(path);
  const file = createReadStream(path);
  const source = file.pipe(createGunzip());
  file.on("error", (error) => source.destroy(error));
  try {
    for await (const chunk of source) {
      signal?.throwIfAborted();
      yield chunk as Uint8Array;
      onProgress?.(file.bytesRead / size);
    }
    return { torn: false };
  } catch (error) {
    // zlib ends a torn stream with an error of its own, after all that could be read.
    if (error instanceof Error && "code" in error && String(error.code).startsWith("Z_")) return { torn: true };
    throw error;
  } finally {
    file.destroy();
    source.destroy();
  }
}

export async function isGzip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await file.close();
  }
}

/** The lines of a file of text, unpacked if it is gzip, without their ends. @throws as `bytesOf` */
export async function* linesOf(path: string, options: ReadOptions): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of bytesOf(path, options)) {
    const text = rest + decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      yield text.slice(start, end);
      start = end + 1;
    }
    rest = text.slice(start);
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}

/** The first bytes of a file, unpacked if it is gzip; fewer when it is shorter. @throws FileError */
export async function headOf(path: string, length: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let got = 0;
  for await (const chunk of bytesOf(path, {})) {
    pieces.push(chunk.slice(0, length - got));
    got += chunk.length;
    if (got >= length) break;
  }
  return Buffer.concat(pieces);
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && "code" in error;
}
