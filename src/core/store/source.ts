import type { Family, Labels, Scrape } from "../model/index.js";
import type { PartCells } from "./plan.js";
import type { Store } from "./store.js";

/** Samples of one series, at rows of its endpoint (as `Store.fill` takes them). */
export interface SeriesCells {
  readonly endpointUrl: string;
  readonly family: Family;
  readonly labels: Labels;
  readonly rows: Int32Array;
  readonly parts: readonly PartCells[];
}

/** What one reading of a source brought. */
export interface ScrapeReading {
  /** In order of arrival, with their samples or why there are none. */
  readonly scrapes: readonly Scrape[];
  /** Of a source that keeps its samples series by series: the scrapes come without them. */
  readonly series?: Iterable<SeriesCells>;
}

/**
 * A place that samples come from: an endpoint in, samples out. A live source (`src/collect`) is asked by a capture, at
 * each tick of its grid, and brings one scrape. A recorded one (a scrape log) is read to its end.
 * @typeParam Asked what a reading has to be given
 */
export interface ScrapeSource<Brought extends ScrapeReading = ScrapeReading, Asked = void> {
  /** The endpoint, or where the recording lies, as it may be shown. */
  readonly url: string;
  /**
   * What is there now, or comes next.
   * @returns undefined at the end of a recording, and after `close`
   * @throws where the source as a whole cannot be read; a scrape that failed is a reading
   */
  read(asked: Asked): Promise<Brought | undefined>;
  /** Gives up the reading under way and releases what is open. */
  close(): void;
}

/** Reads a recorded source to its end. @throws as the source does */
export async function readWhole(source: ScrapeSource, store: Store): Promise<void> {
  try {
    for (let reading = await source.read(); reading !== undefined; reading = await source.read())
      fillFrom(store, reading);
  } finally {
    source.close();
  }
}

/** Puts what a recording holds into a store. */
export function fillFrom(store: Store, { scrapes, series = [] }: ScrapeReading): void {
  for (const scrape of scrapes) store.append(scrape);
  for (const { endpointUrl, family, labels, rows, parts } of series)
    store.fill(endpointUrl, family, labels, rows, parts);
}
