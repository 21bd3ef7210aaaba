import { basename } from "node:path";
import { JsonArtifactReader, parseArtifactName } from "../../core/artifacts/index.js";
import type { EpochNs, TimeRange } from "../../core/model/index.js";
import { bytesOf, type ReadOptions } from "../bytes.js";
import { Neighbours } from "./neighbours.js";

/** The window that another file of a run states. */
export interface StatedWindow extends TimeRange {
  /** The file's name. */
  readonly from: string;
  /** The last scrape of its warm-up, where that came later than the start. */
  readonly warmupEnd?: EpochNs;
}

/**
 * The window that the JSON of the same name beside an artifact states, for a file that does not tell its own: AIPerf's
 * JSONL has none, and its Parquet of schema 1.1 goes on to the last update.
 * @param fits whether it can be the window of this file's run: an earlier run's JSON may have been left in the folder
 * @returns undefined without such a JSON, or for one that cannot be read
 * @throws the signal's reason
 */
export async function windowBeside(
  path: string,
  fits: (window: TimeRange, benchmarkId: string) => boolean,
  options: ReadOptions = {},
): Promise<StatedWindow | undefined> {
  const stem = parseArtifactName(basename(path))?.stem;
  if (stem === undefined) return undefined;
  const neighbours = await Neighbours.of(path, options);
  const isJson = (name: string) => {
    const other = parseArtifactName(name);
    return other?.stem === stem && other.format === "json";
  };
  for (const name of neighbours.named(isJson)) {
    const stated = await statedBy(neighbours.path(name), neighbours.reading).catch(() => undefined);
    options.signal?.throwIfAborted();
    if (stated !== undefined && stated.end > stated.start && fits(stated, stated.benchmarkId))
      return { ...stated, from: name };
  }
  return undefined;
}

/** Reads no further than the window is known. */
async function statedBy(path: string, options: ReadOptions): Promise<JsonArtifactReader["statedWindow"]> {
  const reader = new JsonArtifactReader();
  for await (const chunk of bytesOf(path, options)) {
    reader.push(chunk);
    const known = reader.statedWindow;
    if (known !== undefined) return known;
  }
  const { startNs, endNs, benchmarkId, phase } = reader.end().statistics;
  return phase === "warmup" ? undefined : { start: startNs, end: endNs, benchmarkId };
}
