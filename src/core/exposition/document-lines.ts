import { ExpositionBuffer } from "./buffer.js";
import type { ExpositionFormat } from "./format.js";
import type { ParseError } from "./parse-error.js";
import { TYPE_WORDS, type DeclaredType } from "./declarations.js";
import { readHelp, readText } from "./text.js";
import { Tokenizer, type ByteRange } from "./tokenizer.js";

/** Label pairs in the order and number they were written. */
export type WrittenLabels = readonly (readonly [name: string, value: string])[];

export interface WrittenExemplar {
  readonly labels: WrittenLabels;
  readonly value: number;
  /** As written: seconds. */
  readonly timestamp?: string;
}

/** A line of an exposition in full; `offset` is where it begins and `valueOffset` where its value does, in bytes. */
export type DocumentLine =
  | { readonly kind: "blank" | "comment" | "eof"; readonly offset: number }
  | {
      readonly kind: "type";
      readonly offset: number;
      readonly valueOffset: number;
      readonly name: string;
      readonly type: DeclaredType;
      readonly word: string;
    }
  | {
      readonly kind: "help" | "unit";
      readonly offset: number;
      readonly valueOffset: number;
      readonly name: string;
      readonly text: string;
    }
  | SampleLine;

export interface SampleLine {
  readonly kind: "sample";
  readonly offset: number;
  readonly valueOffset: number;
  readonly name: string;
  readonly labels: WrittenLabels;
  readonly value: number;
  /** As written: milliseconds in the text format, seconds in OpenMetrics. */
  readonly timestamp?: string;
  readonly exemplar?: WrittenExemplar;
}

/** Reads a whole exposition line by line with all its detail, by the same tokenizer that captures use. */
export class DocumentReader {
  private readonly buffer = new ExpositionBuffer();
  private readonly tokenizer = new Tokenizer();

  constructor(
    body: Uint8Array,
    private readonly format: ExpositionFormat,
    exact: boolean,
  ) {
    this.buffer.load(body);
    this.tokenizer.open(this.buffer, format, exact);
  }

  get end(): number {
    return this.buffer.end;
  }

  /** The last line has no newline. */
  get unterminated(): boolean {
    return this.buffer.unterminated;
  }

  /** @throws ParseError */
  *lines(): Iterable<DocumentLine> {
    for (let at = 0; at < this.buffer.end; at = this.tokenizer.lineEnd) yield this.lineAt(at);
  }

  error(offset: number, expected: string, found?: string): ParseError {
    return this.tokenizer.error(offset, expected, found);
  }

  private lineAt(offset: number): DocumentLine {
    const { tokenizer } = this;
    const kind = tokenizer.scan(offset);
    switch (kind) {
      case "blank":
      case "comment":
      case "eof":
        return { kind, offset };
      case "help":
      case "unit":
      case "type": {
        const valueOffset = tokenizer.text.start;
        const name = this.text(tokenizer.name);
        const text = readHelp(this.buffer.bytes, tokenizer.text, kind === "help" && this.format === "openmetrics");
        if (kind !== "type") return { kind, offset, valueOffset, name, text };
        const type = TYPE_WORDS.get(text);
        if (type === undefined) throw tokenizer.error(valueOffset, EXPECTED_TYPE, `"${text}"`);
        return { kind, offset, valueOffset, name, type, word: text };
      }
      case "sample":
        return this.sample(offset);
    }
  }

  private sample(offset: number): SampleLine {
    const { tokenizer } = this;
    const { valueStart } = tokenizer;
    const name = this.text(tokenizer.name);
    const labels = this.labels();
    const value = tokenizer.readValue(valueStart);
    const timestamp = this.optional(tokenizer.timestamp);
    const exemplarTimestamp = this.optional(tokenizer.exemplarTimestamp);
    return {
      kind: "sample",
      offset,
      valueOffset: valueStart,
      name,
      labels,
      value,
      ...(timestamp === undefined ? {} : { timestamp }),
      ...(tokenizer.hasExemplar
        ? {
            exemplar: {
              labels: this.labels(),
              value: tokenizer.exemplarValue,
              ...(exemplarTimestamp === undefined ? {} : { timestamp: exemplarTimestamp }),
            },
          }
        : {}),
    };
  }

  private labels(): WrittenLabels {
    return this.tokenizer.labels
      .slice(0, this.tokenizer.labelCount)
      .map(({ name, value }) => [this.text(name), this.text(value)] as const);
  }

  private optional(piece: ByteRange): string | undefined {
    return piece.end === piece.start ? undefined : this.text(piece);
  }

  private text(piece: ByteRange): string {
    const text = readText(this.buffer.bytes, piece);
    if (text === undefined) throw this.tokenizer.error(piece.start, "UTF-8 text", "bytes that are not UTF-8");
    return text;
  }
}

export const EXPECTED_TYPE =
  "a metric type (counter, gauge, histogram, summary, untyped; in OpenMetrics also unknown, info, stateset, gaugehistogram)";
