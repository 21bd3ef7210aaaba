import { CLOSE_BRACE, NEWLINE } from "./json-bytes.js";
import { asObject } from "./jsonl-line-read.js";

const START = ',"metadata":{';

/** Where the metadata stand last in a line, as ours do: their bytes up to its end. */
export function metadataTail(line: Uint8Array): Uint8Array | undefined {
  const at = new TextDecoder("latin1").decode(line).indexOf(START);
  if (at < 0) return undefined;
  const tail = line.slice(at);
  try {
    const rest: unknown = JSON.parse(`{${new TextDecoder().decode(tail.subarray(1))}`);
    return Object.keys(asObject(rest, "the line")).length === 1 ? tail : undefined;
  } catch {
    return undefined;
  }
}

/** A line that ends with these metadata, without them and with a line end; undefined for any other. */
export function withoutMetadata(line: Uint8Array, tail: Uint8Array): Uint8Array | undefined {
  const start = line.length - tail.length;
  if (start <= 0) return undefined;
  for (let at = 0; at < tail.length; at++) if (line[start + at] !== tail[at]) return undefined;
  const shorter = line.slice(0, start + 2);
  shorter.set([CLOSE_BRACE, NEWLINE], start);
  return shorter;
}
