import { basename } from "node:path";
import { parseArtifactName } from "../../core/artifacts/index.js";
import type { EpochNs, Scrape } from "../../core/model/index.js";
import { ParquetArtifact } from "../parquet/artifact.js";
import { Neighbours } from "./neighbours.js";
import type { OpenOptions } from "./types.js";

/** With which every file of ours begins: an event. */
const OURS = '{"endpoint_url":"",';

/** A Parquet file of more rows is not read for the times of its scrapes. */
const MOST_ROWS = 5_000_000;

/**
 * The scrapes whose body had not changed: AIPerf leaves them out of its JSONL, though their gauges count. Its Parquet
 * beside the JSONL has their times.
 */
export class UnchangedScrapes {
  /** By endpoint, ascending. */
  private readonly times: ReadonlyMap<string, readonly EpochNs[]>;
  private readonly passed = new Map<string, number>();

  private constructor(times: ReadonlyMap<string, ReadonlySet<EpochNs>>) {
    this.times = new Map([...times].map(([url, own]) => [url, [...own].sort((a, b) => (a < b ? -1 : 1))]));
  }

  /** None beside a file of our own, which has all scrapes. @param begin of the JSONL @throws the signal's reason */
  static async beside(path: string, begin: Uint8Array, options: OpenOptions): Promise<UnchangedScrapes> {
    if (new TextDecoder().decode(begin.subarray(0, OURS.length)) === OURS) return new UnchangedScrapes(new Map());
    const stem = parseArtifactName(basename(path))?.stem;
    const beside = await Neighbours.of(path, options);
    const [parquet] = beside.named((name) => {
      const other = parseArtifactName(name);
      return stem !== undefined && other?.stem === stem && other.format === "parquet";
    });
    const times =
      parquet === undefined ? undefined : await timesOf(beside.path(parquet), beside.reading).catch(() => undefined);
    options.signal?.throwIfAborted();
    return new UnchangedScrapes(times ?? new Map());
  }

  /**
   * Those between the last line of an endpoint and this one. Of another run's Parquet none: it does not have the time
   * of the line.
   */
  before({ endpointUrl, time, latency }: Scrape): readonly Scrape[] {
    const times = this.times.get(endpointUrl) ?? [];
    const from = this.passed.get(endpointUrl) ?? 0;
    let at = from;
    while ((times[at] ?? time) < time) at++;
    if (times[at] !== time) return [];
    this.passed.set(endpointUrl, at + 1);
    return times.slice(from, at).map((own) => ({
      endpointUrl,
      time: own,
      requestSent: own,
      // Not known: that of the next scrape keeps the mean as it is.
      latency,
      outcome: { kind: "duplicate" },
    }));
  }
}

async function timesOf(path: string, options: OpenOptions): Promise<ReadonlyMap<string, ReadonlySet<EpochNs>>> {
  const artifact = await ParquetArtifact.open(path, options);
  try {
    const isOurs = artifact.about.references !== undefined;
    return isOurs || artifact.rows > MOST_ROWS ? new Map() : await artifact.scrapeTimes(options.signal);
  } finally {
    await artifact.close();
  }
}
