import { detectFormat, ExpositionParser, ParseError, type ParserOptions } from "../core/exposition/index.js";
import type { EndpointSource, Problem, ScrapeOutcome } from "../core/model/index.js";
import { BodyBuffer } from "./body-buffer.js";
import type { Failure } from "./failure.js";
import type { FetchResult } from "./http.js";
import { IterationStatistics, TranslationError, type Translation } from "./iteration-statistics.js";
import { emptyBodyFailure, isBlank, notIterationStatisticsFailure, notPrometheusFailure } from "./not-prometheus.js";

/** What a body turned out to be. */
export type Reading =
  | { readonly kind: "read"; readonly outcome: Exclude<ScrapeOutcome, { kind: "failed" }> }
  /** Not what the endpoint should answer, or a broken one. */
  | { readonly kind: "unparsable"; readonly failure: Failure }
  | { readonly kind: "blank"; readonly failure: Failure };

type Body = Pick<Extract<FetchResult, { kind: "body" }>, "body" | "contentType">;

/** Bodies of one endpoint, one after the other, to samples; one that equals the last good one is a duplicate. */
export class BodyReader {
  /**
   * The last good body lies in one buffer (or in memory of its own, when it was compressed) while the next arrives in
   * the other.
   */
  private spare = new BodyBuffer();
  private kept = new BodyBuffer();
  private last: Uint8Array | undefined;
  private readonly parser: ExpositionParser;
  /** Of an endpoint that answers something else than an exposition. */
  private readonly translation: Translation | undefined;

  constructor(options: ParserOptions, source?: EndpointSource) {
    this.parser = new ExpositionParser(options);
    this.translation = source === "iteration-statistics" ? new IterationStatistics() : undefined;
  }

  /** JSON is what the endpoint is asked for. */
  get takesJson(): boolean {
    return this.translation !== undefined;
  }

  /** Where the next body is to arrive. */
  get buffer(): BodyBuffer {
    return this.spare;
  }

  /** What limits dropped of the last body. */
  get dropped(): ExpositionParser["dropped"] {
    return this.parser.dropped;
  }

  /** @param url named in failures */
  read(result: Body, url: string): Reading {
    if (this.translation === undefined) return this.readExposition(result, url);
    try {
      const text = this.translation.translate(result.body);
      return this.readExposition({ body: Buffer.from(text), contentType: "text/plain" }, url);
    } catch (error) {
      if (!(error instanceof TranslationError)) throw error;
      return { kind: "unparsable", failure: notIterationStatisticsFailure(url, error.message) };
    }
  }

  private readExposition({ body, contentType }: Body, url: string): Reading {
    if (this.last !== undefined && Buffer.compare(body, this.last) === 0)
      return { kind: "read", outcome: { kind: "duplicate" } };
    if (isBlank(body)) return { kind: "blank", failure: emptyBodyFailure(url) };
    try {
      const batch = this.parser.parse(body, detectFormat(contentType));
      [this.spare, this.kept] = [this.kept, this.spare];
      this.last = body;
      return { kind: "read", outcome: { kind: "samples", batch } };
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      return { kind: "unparsable", failure: notPrometheusFailure(url, contentType, error) };
    }
  }

  /** What has been noticed since the last call. */
  takeNotes(): Problem[] {
    return this.parser.takeNotes().map(({ message }) => ({ severity: "info", reason: message }));
  }
}
