import type { Fields } from "../model/index.js";
import { EndpointTable, pathKey, positionsOf, type GuessedTypes } from "./jsonl-line-read.js";
import { IGNORED, LATENCY, LineShape, placesOf, REQUEST_SENT, TIMESTAMP } from "./jsonl-shape.js";

/*
 * What is known of an endpoint's lines: the next one most likely has the shape of the last.
 */

/** Characters of a URL that is looked up by position. */
const MAX_URL = 4096;
/** Kept per endpoint. */
const SHAPES = 4;

/** A phase is text, so that all lines of a shape have the same. */
interface KnownShape {
  readonly shape: LineShape;
  readonly phase: string | undefined;
}

export interface EndpointLines {
  readonly table: EndpointTable;
  /** Of its last lines, the last used first: servers that leave out families now and then have a few. */
  readonly shapes: KnownShape[];
  /** Lines of yet another shape, in a row; one is then made ever more rarely. */
  misses: number;
  /** Lines until a shape is made again. */
  wait: number;
  /** Bytes of `,"metadata":{…}}` at the end of a line: a journal repeats them in each of its members. */
  metadata?: Uint8Array;
}

/** What is known of an endpoint of which no line has been read. */
export function noLines(guessed: GuessedTypes, maxSeries: number): EndpointLines {
  return { table: new EndpointTable(guessed, maxSeries), shapes: [], misses: 0, wait: 0 };
}

/** A line as JSON.parse has read it. */
interface ParsedLine {
  readonly bytes: Uint8Array;
  readonly metrics: Fields;
  readonly batch: LineShape["batch"];
}

/** Keeps a line's shape, if it can be read by position; where shapes hardly ever come again, ever fewer are made. */
export function rememberShape(endpoint: EndpointLines, line: ParsedLine, phase: string | undefined): void {
  const shape = shapeOf(line);
  endpoint.wait = endpoint.misses <= SHAPES ? 0 : Math.min(2 ** (endpoint.misses - SHAPES), 1024);
  endpoint.misses++;
  if (shape === undefined) return;
  endpoint.shapes.unshift({ shape, phase });
  endpoint.shapes.splice(SHAPES);
}

/** The first text after the first key, which is the endpoint's URL; undefined when it is not plain. */
export function firstText(bytes: Uint8Array, start: number, end: number): string | undefined {
  // {"endpoint_url":"…"; a search must not run on beyond the line, or it costs the rest of the chunk for each line.
  const from = indexWithin(bytes, 0x22, start + '{"endpoint_url":'.length, Math.min(end, start + 24)) + 1;
  const to = from === 0 ? -1 : indexWithin(bytes, 0x22, from, Math.min(end, from + MAX_URL));
  if (to < 0) return undefined;
  let text = "";
  for (let at = from; at < to; at++) {
    const c = bytes[at] ?? 0;
    if (c === 0x5c || c > 0x7e) return undefined;
    text += String.fromCharCode(c);
  }
  return text;
}

/** -1 when it is not before `end`. */
function indexWithin(bytes: Uint8Array, byte: number, start: number, end: number): number {
  for (let at = start; at < end; at++) if (bytes[at] === byte) return at;
  return -1;
}

/** Undefined for a line that reads otherwise by position than through JSON.parse: one with a key twice, for example. */
function shapeOf({ bytes, metrics, batch: { defs, ids, values, length } }: ParsedLine): LineShape | undefined {
  const places = placesOf(bytes);
  const positions = positionsOf(metrics);
  if (places === undefined) return undefined;
  const seen = new Set<number>();
  const targets = Int32Array.from(places, ({ path }) => {
    const [field, ...rest] = path;
    if (field === "timestamp_ns") return TIMESTAMP;
    if (field === "request_sent_ns") return REQUEST_SENT;
    if (field === "endpoint_latency_ns") return LATENCY;
    const position = field === "metrics" ? positions.get(pathKey(rest)) : undefined;
    if (position === undefined) return IGNORED;
    seen.add(position);
    return position;
  });
  if (
    seen.size !== positions.size ||
    seen.size !== targets.filter((target) => target >= 0).length ||
    !targets.includes(TIMESTAMP)
  )
    return undefined;
  const batch = { defs, ids: ids.slice(0, length), values: values.slice(0, length), length };
  const shape = new LineShape(bytes, places, targets, batch);
  for (let i = 0; i < length; i++) if (!Object.is(batch.values[i], values[i])) return undefined;
  return shape;
}
