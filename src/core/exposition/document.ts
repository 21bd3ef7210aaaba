import { hasByteOrderMark } from "./buffer.js";
import { getOrInsert } from "../math/index.js";
import { DocumentReader, type DocumentLine, type SampleLine, type WrittenLabels } from "./document-lines.js";
import type { ExpositionFormat, ParseMode } from "./format.js";
import { exportedName, placeSample, type DeclaredType } from "./declarations.js";
import { checkEnd, DocumentCheck } from "./strict.js";

/** A number as JSON can hold it. */
export type DocumentNumber = number | "NaN" | "+Inf" | "-Inf";

export interface ParsedExemplar {
  readonly labels: { readonly [name: string]: string };
  readonly value: DocumentNumber;
  /** Seconds since the epoch, as written. */
  readonly timestamp?: string;
}

export interface ParsedSample {
  /** With the suffix its family's type gives it. */
  readonly name: string;
  /** As written, `le` and `quantile` among them. */
  readonly labels: { readonly [name: string]: string };
  readonly value: DocumentNumber;
  /** As written: milliseconds since the epoch in the text format, seconds in OpenMetrics. */
  readonly timestamp?: string;
  readonly exemplar?: ParsedExemplar;
}

/** A metric family as it stands in an exposition. */
export interface ParsedFamily {
  /** A counter's name has lost its `_total`. */
  readonly name: string;
  /** As declared; "unknown" without a declaration. */
  readonly type: DeclaredType;
  /** "" without HELP. */
  readonly description: string;
  readonly unit?: string;
  readonly samples: readonly ParsedSample[];
}

interface Draft {
  type: DeclaredType | undefined;
  description: string;
  unit: string;
  readonly samples: ParsedSample[];
}

/**
 * A whole exposition as a JSON-able structure, nothing left out: families in the order they first appear.
 * @throws ParseError
 */
export function parseDocument(body: Uint8Array, format: ExpositionFormat, mode: ParseMode = "lenient"): ParsedFamily[] {
  const isStrict = mode === "strict";
  const reader = new DocumentReader(body, format, isStrict && format === "openmetrics");
  if (isStrict && hasByteOrderMark(body)) throw reader.error(0, "text without a byte order mark", "a byte order mark");
  const check = isStrict ? new DocumentCheck(reader, format) : undefined;
  const drafts = new Map<string, Draft>();
  const draftOf = (name: string): Draft =>
    getOrInsert(drafts, name, () => ({ type: undefined, description: "", unit: "", samples: [] }));
  const lines: DocumentLine[] = [];
  for (const line of reader.lines()) {
    lines.push(line);
    check?.take(line);
  }
  check?.finish();
  checkEnd(reader, lines, format);
  if (isStrict && format === "text" && reader.unterminated)
    throw reader.error(reader.end - 1, "a newline after the last line", "the end of the text");
  for (const line of lines) {
    if (line.kind === "type") draftOf(line.name).type = line.type;
    else if (line.kind === "help") draftOf(line.name).description = line.text;
    else if (line.kind === "unit") draftOf(line.name).unit = line.text;
    // Holds the sample's place among the families; it may turn out to belong to one declared elsewhere.
    else if (line.kind === "sample") draftOf(line.name);
  }
  const typeOf = (name: string) => drafts.get(name)?.type;
  for (const line of lines)
    if (line.kind === "sample") draftOf(placeSample(line.name, typeOf).family).samples.push(parsedSample(line));
  return [...drafts]
    .filter(
      ([, draft]) =>
        draft.samples.length > 0 || draft.type !== undefined || draft.description !== "" || draft.unit !== "",
    )
    .map(([name, { type, description, unit, samples }]) => ({
      name: exportedName(name, type ?? "unknown", typeOf),
      type: type ?? "unknown",
      description,
      ...(unit === "" ? {} : { unit }),
      samples,
    }));
}

function parsedSample({ name, labels, value, timestamp, exemplar }: SampleLine): ParsedSample {
  return {
    name,
    labels: labelObject(labels),
    value: documentNumber(value),
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(exemplar === undefined
      ? {}
      : { exemplar: { ...exemplar, labels: labelObject(exemplar.labels), value: documentNumber(exemplar.value) } }),
  };
}

function labelObject(labels: WrittenLabels): { readonly [name: string]: string } {
  // Not an assignment per name: "__proto__" is a label like any other.
  return Object.fromEntries(labels);
}

function documentNumber(value: number): DocumentNumber {
  return Number.isFinite(value) ? value : Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}
