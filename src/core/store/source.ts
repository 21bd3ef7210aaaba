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

/** Position of each time among all. */
export function rowsOf(times: Float64Array, all: Float64Array): Int32Array {
  const rows = new Int32Array(times.length);
  let row = 0;
  for (let i = 0; i < times.length; i++) {
    const time = times[i] ?? 0;
    while ((all[row] ?? Infinity) < time) row++;
    rows[i] = row;
  }
  return rows;
}

/** Stretches of samples that have the same parts: a histogram whose bounds change has others from then on. */
export function* stretchesOf(
  parts: readonly PartCells[],
  samples: number,
): Generator<{ readonly from: number; readonly to: number; readonly present: readonly PartCells[] }> {
  const gapless = parts.filter(({ cells }) => !hasNaN(cells));
  if (gapless.length === parts.length) {
    if (samples > 0) yield { from: 0, to: samples, present: parts };
    return;
  }
  const others = parts.filter((part) => !gapless.includes(part));
  const at = (sample: number) => others.map(({ cells }) => Number.isNaN(cells[sample] ?? NaN));
  for (let from = 0; from < samples;) {
    const absent = at(from);
    let to = from + 1;
    while (to < samples && others.every(({ cells }, i) => Number.isNaN(cells[to] ?? NaN) === absent[i])) to++;
    yield { from, to, present: parts.filter((part) => absent[others.indexOf(part)] !== true) };
    from = to;
  }
}

/** `some(Number.isNaN)` takes ten times as long. */
function hasNaN(cells: Float64Array): boolean {
  for (let i = 0; i < cells.length; i++) if (Number.isNaN(cells[i])) return true;
  return false;
}
