import type { EndpointSource, Problem, Scrape, ScrapeCost, TlsOptions } from "../core/model/index.js";
import type { Failure } from "./failure.js";

export type { CollectOptions, EndpointOptions, Reachability } from "../core/model/index.js";

/** Where to scrape: what the reachability test made of an endpoint's options. */
export interface Target {
  /** Normalised, its path settled, without credentials: the URL that is recorded. */
  readonly url: string;
  /** As it was asked for, where its path has been settled otherwise. */
  readonly asked?: string;
  readonly label?: string;
  /** Sent with each request; holds the credentials that the URL carried. Never to be logged or stored. */
  readonly headers: { readonly [name: string]: string };
  /** The query to send, where `url` has lost a secret. Never to be logged or stored. */
  readonly search?: string;
  readonly tls?: TlsOptions;
  /** As of the endpoint's options. */
  readonly avoidsReserved?: true;
  /** Absent: "prometheus". */
  readonly source?: EndpointSource;
  /** The test got a valid exposition: from now on the endpoint is tried at every tick and never disabled. */
  readonly answered: boolean;
  /** The one probe of `/prometheus/metrics` has been made. */
  readonly fallbackTried: boolean;
  /** `/metrics` is known to be JSON whose reading takes it away: `/prometheus/metrics` is tried before it. */
  readonly fallbackFirst?: true;
  /** The test has read such JSON and found no metrics elsewhere: a second reading would only take more away. */
  readonly refusal?: Failure;
}

export type CollectState = "connecting" | "up" | "failing" | "disabled";

/** What the collector knows of an endpoint; the store knows its families and series. */
export interface EndpointReport {
  /** As recorded; differs from `configuredUrl` after a move to `/prometheus/metrics`. */
  readonly url: string;
  readonly configuredUrl: string;
  /** host:port plus path, without scheme and `/metrics`. */
  readonly displayName: string;
  readonly label?: string;
  readonly state: CollectState;
  /** Of the last scrape that answered. */
  readonly latencyMs?: number;
  readonly cost?: ScrapeCost;
  /** Scrapes that brought an exposition, duplicates included. */
  readonly scrapes: number;
  readonly failures: number;
  /** Ticks skipped because a scrape was late. */
  readonly missedTicks: number;
  /** Of those the ones for which this process came too late: it was busy, or had no processor. */
  readonly missedTicksHere: number;
  /** Lines of all scrapes that limits dropped: surplus series, and lines or labels that are too long. */
  readonly droppedLines: number;
  readonly problems: readonly Problem[];
}

/** Who hears of a capture. All are called synchronously and must not throw. */
export interface CollectSink {
  /** Right after parsing: the batch's arrays are overwritten by the endpoint's next scrape. */
  onScrape(scrape: Scrape): void;
  /** The endpoint's state, URL or problems changed, or it was removed (then it is missing from `status()`). */
  onStatus(endpoint: EndpointReport): void;
  /** Said once, for the user and the log. */
  onNotice(problem: Problem, endpoint: EndpointReport): void;
}
