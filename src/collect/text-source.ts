import { formatOfContentType, ExpositionParser, ParseError } from "../core/exposition/index.js";
import {
  durationNs,
  type Problem,
  type Scrape,
  type ScrapeLimits,
  type ScrapeOutcome,
  noteOf,
} from "../core/model/index.js";
import { ByteBuffer } from "../core/bytes/index.js";
import type { ScrapeReading, ScrapeSource } from "../core/store/index.js";
import type { Failure } from "./failure.js";
import { Fetcher, type FetchOutcome, type FetchRequest } from "./http/http.js";
import type { Access } from "./secrets.js";
import { emptyBodyFailure, isBlank, notPrometheusFailure } from "./not-prometheus.js";
import type { Clock } from "./clock.js";

export interface UnreadAnswer {
  /** "failed": no answer, or one of failure; "empty": nothing in it; "foreign": not what the endpoint should answer. */
  readonly kind: "failed" | "empty" | "foreign";
  readonly failure: Failure;
}

/** The one scrape that an endpoint gives when it is asked. */
export interface LiveReading extends ScrapeReading {
  readonly scrapes: readonly [Scrape];
  /** Why the scrape has no samples. */
  readonly refused?: UnreadAnswer;
  /** Of the body, as it was parsed. */
  readonly bytes: number;
  /** As `FetchResult` has it. */
  readonly waitedMs: number;
}

export interface LiveRequest extends Pick<FetchRequest, "timeoutMs" | "limit"> {
  /** Asked instead of the source's own URL. */
  readonly at?: string;
}

/** What a source of a capture is made from. */
export interface LiveSourceOptions {
  readonly access: Access;
  readonly time: Clock;
  readonly limits: ScrapeLimits;
  readonly keepFamily: (name: string) => boolean;
}

export type Body = Pick<Extract<FetchOutcome, { kind: "body" }>, "body" | "contentType">;

/** What a body turned out to be. */
export type BodyRead = { readonly outcome: Exclude<ScrapeOutcome, { kind: "failed" }> } | UnreadAnswer;

/** Where bodies arrive. Of hundreds of endpoints few are read at a time, and none needs its body once it is parsed. */
const SPARE: ByteBuffer[] = [];
const MAX_SPARE = 16;

/**
 * Prometheus' text format and OpenMetrics over HTTP. A body that equals the last good one is a duplicate. `close` ends
 * the reading under way without a trace.
 */
export class TextSource implements ScrapeSource<LiveReading, LiveRequest> {
  /** Of the next reading, and recorded with it; a capture settles it. */
  url: string;
  /** JSON is what the endpoint is asked for. */
  protected readonly json: boolean = false;
  readonly fetcher: Fetcher;
  private readonly parser: ExpositionParser;
  private readonly limits: ScrapeLimits;

  constructor({ access, time, limits, keepFamily }: LiveSourceOptions) {
    this.url = access.url;
    this.limits = limits;
    this.fetcher = new Fetcher(time, access);
    this.parser = new ExpositionParser({ limits, keepFamily });
  }

  async read(request: LiveRequest): Promise<LiveReading | undefined> {
    const into = SPARE.pop() ?? new ByteBuffer();
    try {
      return await this.readInto(into, request);
    } finally {
      if (SPARE.length < MAX_SPARE) SPARE.push(into);
    }
  }

  private async readInto(into: ByteBuffer, { at = this.url, ...limit }: LiveRequest): Promise<LiveReading | undefined> {
    const result = await this.fetcher.fetch({
      method: "GET",
      url: at,
      into,
      limitBytes: this.limits.bodyBytes,
      json: this.json,
      ...limit,
    });
    const { outcome: fetched, requestSent, completed, firstByte, waitedMs } = result;
    if (fetched.kind === "cancelled") return undefined;
    const read = this.answered(fetched, at);
    const isRead = "outcome" in read;
    const outcome: ScrapeOutcome = isRead
      ? read.outcome
      : { kind: "failed", error: { type: read.failure.type, message: read.failure.reason } };
    const scrape: Scrape = {
      endpointUrl: at,
      time: isRead ? firstByte : completed,
      latency: durationNs(Number(completed - requestSent)),
      requestSent,
      outcome,
    };
    return {
      scrapes: [scrape],
      ...(isRead ? {} : { refused: read }),
      bytes: fetched.kind === "body" ? fetched.body.byteLength : 0,
      waitedMs,
    };
  }

  /** Ends the reading under way as if its time were up now. */
  giveUp(): void {
    this.fetcher.giveUp();
  }

  close(): void {
    this.fetcher.close();
  }

  /** What limits dropped of the last body. */
  get dropped(): ExpositionParser["dropped"] {
    return this.parser.dropped;
  }

  /** What has been noticed since the last call. */
  takeNotes(): Problem[] {
    return this.parser.takeNotes().map(({ message }) => noteOf(message));
  }

  /** @param url named in failures */
  protected samplesOf({ body, contentType }: Body, url: string): BodyRead {
    if (this.parser.isLast(body)) return { outcome: { kind: "duplicate" } };
    if (isBlank(body)) return { kind: "empty", failure: emptyBodyFailure(url) };
    try {
      const batch = this.parser.parse(body, formatOfContentType(contentType));
      return { outcome: { kind: "samples", batch } };
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      return { kind: "foreign", failure: notPrometheusFailure(url, contentType, this.fetcher.hidden, { error, body }) };
    }
  }

  private answered(outcome: Exclude<FetchOutcome, { kind: "cancelled" }>, url: string): BodyRead {
    switch (outcome.kind) {
      case "failed":
        return { kind: "failed", failure: outcome.failure };
      case "json":
        return { kind: "foreign", failure: notPrometheusFailure(url, outcome.contentType, this.fetcher.hidden) };
      case "body":
        return this.samplesOf(outcome, url);
    }
  }
}
