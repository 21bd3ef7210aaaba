import { UserError } from "../core/text/errors.js";
import { GrowingFile, type ReadEnd, type ReadOptions } from "./growing-file.js";
import { basename } from "node:path";
import { warningOf, type Problem } from "../core/model/index.js";
import { noun } from "../core/text/plural.js";
export { isGzip, type ReadEnd, type ReadOptions } from "./growing-file.js";

/**
 * The bytes of a file, unpacked if it is packed, a chunk at a time; a chunk is overwritten by the next.
 * @returns through the generator what could not be given
 * @throws UserError; the signal's reason
 */
export function bytesOf(path: string, options: ReadOptions): AsyncGenerator<Uint8Array, ReadEnd> {
  return new GrowingFile(path, options).read(options);
}

/**
 * Gives every chunk to a reader, and closes the file also where the reader refuses one.
 * @returns what could not be given
 * @throws what reading or the reader throws
 */
export async function eachChunk(
  chunks: AsyncGenerator<Uint8Array, ReadEnd>,
  use: (chunk: Uint8Array) => void | Promise<void>,
): Promise<ReadEnd> {
  try {
    for (;;) {
      const chunk = await chunks.next();
      if (chunk.done === true) return chunk.value;
      await use(chunk.value);
    }
  } finally {
    await chunks.return({ torn: false, gaps: [] });
  }
}

/** A longer line of text is not a line of a log. */
const MAX_LINE_LENGTH = 256 * 1024 * 1024;

/**
 * The lines of a file of text, unpacked if it is packed, without their ends; undefined for one too long to be kept.
 * @throws as `bytesOf`
 */
export async function* linesOf(path: string, options: ReadOptions): AsyncGenerator<string | undefined, void> {
  const decoder = new TextDecoder();
  // The line being read, in the pieces that chunks gave.
  let pieces: string[] = [];
  let length = 0;
  const take = (piece: string) => {
    length += piece.length;
    if (length > MAX_LINE_LENGTH) pieces = [];
    else pieces.push(piece);
  };
  const line = () => {
    const text = length > MAX_LINE_LENGTH ? undefined : pieces.join("");
    pieces = [];
    length = 0;
    return text;
  };
  for await (const chunk of bytesOf(path, options)) {
    const text = decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      take(text.slice(start, end));
      yield line();
      start = end + 1;
    }
    take(text.slice(start));
  }
  take(decoder.decode());
  if (length > 0) yield line();
}

/** The first bytes of a file, unpacked if it is packed; fewer when it is shorter. @throws UserError */
export async function headOf(
  path: string,
  length: number,
  { onProgress: _, ...options }: ReadOptions,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let got = 0;
  for await (const chunk of bytesOf(path, options)) {
    pieces.push(chunk.slice(0, length - got));
    got += chunk.length;
    if (got >= length) break;
  }
  return Buffer.concat(pieces);
}

/**
 * A whole file, unpacked if it is packed.
 * @throws UserError, also when it is longer than `limit` bytes; the signal's reason
 */
export async function contentOf(path: string, limit: number, options: ReadOptions = {}): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytesOf(path, options)) {
    length += chunk.length;
    if (length > limit) throw new UserError(`${path} is longer than ${Math.round(limit / 1024 ** 2)} MiB.`);
    pieces.push(chunk.slice());
  }
  return Buffer.concat(pieces);
}

/** A whole file as text without its byte order mark, unpacked if it is packed. @throws as `contentOf` */
export async function textOf(path: string, limit: number, options: ReadOptions = {}): Promise<string> {
  return new TextDecoder().decode(await contentOf(path, limit, options));
}

/**
 * Reads a file of one record a line, packed or not. Lines that cannot be read are left out.
 * @param take gets each line with its number; throws for one that is no record
 * @returns how many lines were left out, and why the first was; undefined when all were read
 * @throws UserError; the signal's reason
 */
export async function readRecordLines(
  path: string,
  take: (text: string, line: number) => void,
  options: ReadOptions,
): Promise<Problem | undefined> {
  let line = 0;
  let skipped = 0;
  let first = "";
  for await (const text of linesOf(path, options)) {
    line++;
    if (text?.trim() === "") continue;
    try {
      if (text === undefined) throw new Error("it is longer than any record");
      take(text, line);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (skipped++ === 0) first = `line ${line}: ${error.message}`;
    }
  }
  if (skipped === 0) return undefined;
  return warningOf(`${skipped} ${noun(skipped, "line")} of ${basename(path)} could not be read, the first ${first}.`);
}
