import type { DurationNs, EpochNs } from "./time.js";
import type { SampleBatch } from "./series.js";
import type { JsonObject } from "../text/json.js";

/** What became of one scrape of one endpoint. A failed scrape is data: it draws a gap. */
export type ScrapeOutcome =
  | { readonly kind: "samples"; readonly batch: SampleBatch }
  /** Body identical to the last successful one of this endpoint: its samples hold again. */
  | { readonly kind: "duplicate" }
  | { readonly kind: "failed"; readonly error: ScrapeError };

export interface ScrapeError {
  readonly type: ScrapeErrorType;
  /** For a person: what happened, with the endpoint's own words. */
  readonly message: string;
}

export const SCRAPE_ERROR_TYPES = [
  "refused",
  "unreachable",
  "timeout",
  "reset",
  "http-status",
  "not-prometheus",
  "parse",
  "too-large",
  "truncated",
  "tls",
  /** The machine that captures was suspended, and asked nobody. */
  "suspended",
  "other",
] as const;
export type ScrapeErrorType = (typeof SCRAPE_ERROR_TYPES)[number];

export interface Scrape {
  /** URL of the endpoint as it is recorded (after a fallback: the new one), without credentials. */
  readonly endpointUrl: string;
  /** Arrival of the first response byte; of a failed scrape, the moment it failed. */
  readonly time: EpochNs;
  /** Request sent to body complete. */
  readonly latency: DurationNs;
  readonly requestSent: EpochNs;
  readonly outcome: ScrapeOutcome;
}

/** A request that a server has finished, or a change of its KV cache. */
export type ServerEventKind = "request" | "kv-cache";

/** What a server tells of a single happening, beside its metrics. */
export interface ServerEvent {
  readonly kind: ServerEventKind;
  /** When it happened or, where the server does not say, was read. */
  readonly time: EpochNs;
  /** Of a request: its arrival. */
  readonly start?: EpochNs;
  readonly endpointUrl: string;
  /** For a person, in one line. */
  readonly label: string;
  /** What the server said of it, without any text of a user. */
  readonly details: JsonObject;
}
