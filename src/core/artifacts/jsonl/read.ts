import { DEFAULT_LIMITS, durationNs, epochNs, RecordedUrls, type Scrape } from "../../model/index.js";
import { getOrInsert } from "../../math/index.js";
import { scrubText, parseJson, type Fields } from "../../text/index.js";
import { ByteBuffer } from "../../bytes/index.js";
import { exactInteger } from "../json/exact.js";
import { NEWLINE } from "../json/members.js";
import {
  asNumber,
  asObject,
  asString,
  createdOf,
  EndpointTable,
  errorType,
  eventOf,
  type GuessedTypes,
} from "./read-line.js";
import type { RunEvent } from "./write.js";
import { serverLabels } from "../earlier/read.js";

/** What is read of a file: what lies beyond is left out and reported. */
export interface JsonlLimits {
  /** A longer line is skipped and reported as a problem of it. */
  readonly lineBytes: number;
  /** Series of one endpoint; each bucket is one. */
  readonly series: number;
}

/** What a capture was allowed to take is in its files, however much that is; V8's longest text. */
export const NO_JSONL_LIMITS: JsonlLimits = { lineBytes: 512 * 1024 ** 2 - 1024, series: Infinity };

/** As a capture's: no answer within its limits makes a longer line. */
export const DEFAULT_JSONL_LIMITS: JsonlLimits = {
  lineBytes: 1.25 * DEFAULT_LIMITS.bodyBytes,
  series: DEFAULT_LIMITS.series,
};

/** A line that could not be used. */
export interface LineProblem {
  /** From 1. */
  readonly line: number;
  readonly message: string;
  /** The last line, without its end: the file was cut short, or is still being written. */
  readonly torn: boolean;
}

export interface JsonlHandlers {
  /**
   * The batch is overwritten by the endpoint's next scrape.
   * @param phase that the line gives for it
   */
  onScrape(scrape: Scrape, phase: string | undefined): void;
  onEvent(event: RunEvent): void;
  onProblem(problem: LineProblem): void;
  /** A field that this version does not know, once. */
  onUnknownField?(field: string): void;
  /** Samples of a line that were left out: their series are beyond the most of their endpoint. */
  onDropped?(endpointUrl: string, samples: number): void;
}

const KNOWN_FIELDS = new Set([
  "endpoint_url",
  "timestamp_ns",
  "endpoint_latency_ns",
  "metrics",
  "request_sent_ns",
  "first_byte_ns",
  "benchmark_phase",
  "phase_index",
  "phase_name",
  "phase_kind",
  "profiling_index",
  "metadata",
  "created",
  "duplicate",
  "error",
  "event",
]);
const FLAT_FIELDS = new Set([
  "server_url",
  "server_id",
  "instance",
  "hostname",
  "server_type",
  "metrics_data",
  "error",
  "timestamp_ns",
]);

/** Reads JSONL in chunks of bytes as they come; every usable line reaches the handlers in order. */
export class JsonlReader {
  private readonly guessed: GuessedTypes = { counters: new Set(), gauges: new Set() };
  private readonly endpoints = new Map<string, EndpointTable>();
  private readonly urls = new RecordedUrls();
  private readonly decoder = new TextDecoder();
  private readonly unknownFields = new Set<string>();
  private readonly flat = new FlatLines();
  private rest = new ByteBuffer();
  private line = 0;
  /** The bytes behind the last line end were a whole line, and have been read. */
  private lastIsRead = false;

  /** The line being read is longer than any scrape: its bytes are passed over. */
  private isTooLong = false;

  constructor(
    private readonly handlers: JsonlHandlers,
    private readonly limits: JsonlLimits = DEFAULT_JSONL_LIMITS,
  ) {}

  /** Lines so far. */
  get lines(): number {
    return this.line;
  }

  /** Families taken for counters by their suffix alone: one of them that falls is a gauge. */
  get guessedCounters(): ReadonlySet<string> {
    return this.guessed.counters;
  }

  /** One of the guessed counters is a gauge. */
  isGauge(name: string): void {
    this.guessed.counters.delete(name);
    this.guessed.gauges.add(name);
    for (const table of this.endpoints.values()) table.isGauge(name);
  }

  push(bytes: Uint8Array): void {
    let start = 0;
    if (this.lastIsRead) {
      start = bytes.indexOf(NEWLINE) + 1;
      if (start === 0) return;
      this.lastIsRead = false;
    } else if (this.rest.length > 0 || this.isTooLong) {
      const end = bytes.indexOf(NEWLINE);
      this.keep(end < 0 ? bytes : bytes.subarray(0, end + 1));
      if (end < 0) return;
      start = end + 1;
    }
    if (this.isTooLong) {
      this.isTooLong = false;
      this.line++;
      this.reportTooLong(this.line, false);
    } else if (this.rest.length > 0) {
      const line = this.rest.view;
      this.rest.clear();
      this.takeLines(line, 0);
    }
    start = this.takeLines(bytes, start);
    if (start < bytes.length) this.keep(bytes.subarray(start));
  }

  /**
   * Reads what stands behind the last line end as a line. More may be pushed all the same: what was no whole line is
   * read again with the rest of it.
   */
  end(): void {
    if (this.isTooLong) {
      this.reportTooLong(this.line + 1, true);
      return;
    }
    const last = this.decoder.decode(this.rest.view);
    if (this.lastIsRead || last.trim() === "") return;
    this.line++;
    if (this.guarded(true, () => this.read(last))) {
      this.lastIsRead = true;
      this.rest.clear();
    } else {
      this.line--;
    }
  }

  private reportTooLong(line: number, torn: boolean): void {
    const message = `it is longer than ${this.limits.lineBytes / 1024 ** 2} MiB, and a line is one scrape`;
    this.handlers.onProblem({ line, message, torn });
  }

  private keep(bytes: Uint8Array): void {
    if (this.isTooLong) return;
    if (this.rest.length + bytes.length <= this.limits.lineBytes) {
      this.rest.append(bytes);
      return;
    }
    this.isTooLong = true;
    // The memory of what was kept of the line is free.
    this.rest = new ByteBuffer();
  }

  /** @returns where the line that has no end yet begins */
  private takeLines(bytes: Uint8Array, from: number): number {
    let start = from;
    for (let end = bytes.indexOf(NEWLINE, start); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      this.line++;
      this.takeLine(bytes.subarray(start, end));
      start = end + 1;
    }
    return start;
  }

  private takeLine(line: Uint8Array): void {
    const first = line.find((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0d);
    if (first === undefined) return;
    // Quicker than an exception for each line of a file that is something else. The first may begin with a mark.
    if (first !== 0x7b && this.line > 1) {
      this.handlers.onProblem({ line: this.line, message: "it is not a JSON object", torn: false });
      return;
    }
    const text = this.decoder.decode(line);
    if (text.trim() !== "") this.guarded(false, () => this.read(text));
  }

  /** A broken line is reported and ends nothing else. @returns whether the line is sound */
  private guarded(isLast: boolean, use: () => void): boolean {
    try {
      use();
      return true;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      // What JSON.parse says of it is for programmers.
      const message = error instanceof SyntaxError ? "it is not JSON" : error.message;
      this.handlers.onProblem({ line: this.line, message, torn: isLast });
      return false;
    }
  }

  private read(text: string): void {
    const parsed = asObject(parseJson(this.line === 1 ? text.replace(/^\uFEFF/, "") : text), "the line");
    const flat = this.flat.asToday(parsed);
    this.reportUnknown(parsed, flat === undefined ? KNOWN_FIELDS : FLAT_FIELDS);
    const line = flat ?? parsed;
    const url = asString(line["endpoint_url"], "endpoint_url");
    const time = epochNs(exactInteger(text, "timestamp_ns", asNumber(line["timestamp_ns"], "timestamp_ns")));
    if (line["event"] !== undefined) {
      this.handlers.onEvent(this.scrubbed(eventOf(text, asObject(line["event"], "event"), time)));
      return;
    }
    const endpointUrl = this.urls.bounded(url);
    const sent = line["request_sent_ns"];
    const latency = typeof line["endpoint_latency_ns"] === "number" ? line["endpoint_latency_ns"] : 0;
    const outcome = this.outcome(url, line);
    this.handlers.onScrape(
      {
        endpointUrl,
        time,
        latency: durationNs(latency),
        requestSent:
          typeof sent === "number"
            ? epochNs(exactInteger(text, "request_sent_ns", sent))
            : epochNs(time - BigInt(Math.round(latency))),
        outcome,
      },
      phaseOf(line),
    );
  }

  private scrubbed(event: RunEvent): RunEvent {
    if (event.kind !== "run_start") return event;
    const { metadata } = event;
    const endpointsConfigured = metadata.endpointsConfigured.map((url) => this.urls.of(url));
    return { ...event, metadata: { ...metadata, endpointsConfigured } };
  }

  private outcome(url: string, line: Fields): Scrape["outcome"] {
    if (line["error"] !== undefined && line["error"] !== null) {
      const error = asObject(line["error"], "error");
      return {
        kind: "failed",
        error: {
          type: errorType(error["type"]),
          message: typeof error["message"] === "string" ? scrubText(error["message"]) : "the scrape failed",
        },
      };
    }
    if (line["duplicate"] === true) return { kind: "duplicate" };
    const table = getOrInsert(this.endpoints, url, () => new EndpointTable(this.guessed, this.limits.series));
    if (line["metadata"] !== undefined && line["metadata"] !== null)
      table.describe(asObject(line["metadata"], "metadata"));
    const batch = table.batch(asObject(line["metrics"], "metrics"));
    if (table.dropped > 0) this.handlers.onDropped?.(this.urls.of(url), table.dropped);
    const { created } = line;
    return { kind: "samples", batch: created === undefined ? batch : { ...batch, created: createdOf(created) } };
  }

  private reportUnknown(line: Fields, known: ReadonlySet<string>): void {
    for (const field of Object.keys(line)) {
      if (known.has(field) || this.unknownFields.has(field)) continue;
      this.unknownFields.add(field);
      this.handlers.onUnknownField?.(field);
    }
  }
}

function phaseOf(line: Fields): string | undefined {
  const phase = line["benchmark_phase"];
  return typeof phase === "string" ? phase : undefined;
}

/** Lines of the earlier, flat layout as lines of today's: every name is a scalar. */
export class FlatLines {
  /** Servers seen behind each URL, in order. */
  private readonly servers = new Map<string, string[]>();

  /** Undefined for a line of another layout. */
  asToday(line: Fields): Fields | undefined {
    const { server_url: url, metrics_data: flat, error } = line;
    if (typeof url !== "string" || typeof flat !== "object") return undefined;
    const values = Object.entries(asObject(flat ?? {}, "metrics_data")).filter(
      ([, value]) => typeof value === "number",
    );
    const labels = serverLabels(Object.entries(line));
    const message = messageOf(error);
    return {
      endpoint_url: this.endpointOf(url, labels.get("server")),
      timestamp_ns: line["timestamp_ns"],
      endpoint_latency_ns: 0,
      metrics: Object.fromEntries(
        values.map(([name, value]) => [name, [{ labels: Object.fromEntries(labels), value }]]),
      ),
      ...(message === undefined ? {} : { error: { type: "other", message } }),
    };
  }

  /** Several servers behind one URL are scraped apart, at times of their own: the second one is `…#2`. */
  private endpointOf(url: string, server: string | undefined): string {
    if (server === undefined) return url;
    const seen = this.servers.get(url) ?? [];
    this.servers.set(url, seen);
    if (!seen.includes(server)) seen.push(server);
    const position = seen.indexOf(server);
    return position === 0 ? url : `${url}#${position + 1}`;
  }
}

/** What a failed scrape's line says; undefined of one that did not fail. */
function messageOf(error: unknown): string | undefined {
  if (typeof error === "object" && error !== null && "message" in error) return String(error.message);
  return typeof error === "string" ? error : undefined;
}
