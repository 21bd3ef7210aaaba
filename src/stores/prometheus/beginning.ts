import { isoTextOfMs, type Problem, warningOf } from "../../core/model/index.js";
import { type JsonObject, UserError } from "../../core/text/index.js";
import { keyOf, readSamples, type ReadSamples, type StoredSamples } from "./samples.js";
import { longestInterval, type MsRange } from "./time.js";
import { totalsStep } from "./totals-step.js";

/** As Thanos downsamples: finer steps would repeat its values. The coarser ones are kept for longer. */
const RESOLUTIONS_MS = [300_000, 3_600_000];

/** What is asked of a store, and how far apart its samples are. */
export interface BeginningQuestion {
  /** What selects, for values in steps of that length. */
  readonly selectorsAt: (stepMs: number) => readonly string[];
  readonly range: MsRange;
  readonly apartMs: number;
}

/** The beginning of a range of which a store has no raw samples. */
export interface Beginning {
  /** Of the whole range: what was read of the beginning, and the raw samples. */
  readonly series: readonly StoredSamples[];
  /** Milliseconds since the epoch; undefined where the range has no raw sample at all. */
  readonly rawFromMs: number | undefined;
  readonly nativeHistograms: ReadonlySet<string>;
  readonly warnings: ReadonlySet<string>;
  readonly note: Problem;
  /** Of what was read of the beginning; undefined where that is nothing. */
  readonly stepMs?: number;
}

/**
 * What `input_config` says of a range whose beginning, or all of it, was read in steps.
 * @param areTotals the rest has a step of its own, which `step_seconds` is then
 */
export function aboutBeginning({ rawFromMs, stepMs }: Beginning, areTotals: boolean): JsonObject {
  if (stepMs === undefined) return {};
  const seconds = stepMs / 1000;
  if (rawFromMs === undefined) return { ...(areTotals ? {} : { samples: "stepped" }), step_seconds: seconds };
  return { raw_from: isoTextOfMs(rawFromMs), [areTotals ? "step_seconds_before" : "step_seconds"]: seconds };
}

/**
 * Looks whether a range begins long before its first sample, as where a store keeps raw samples for some weeks only.
 * What it has downsampled of that time is read by `query_range`, every five minutes or more.
 * @param fill whether to read what was downsampled, or only to say what is missing
 * @returns undefined where the samples begin with the range
 * @throws UserError; the signal's reason
 */
export async function readBeginning(
  api: Parameters<typeof readSamples>[0],
  { selectorsAt, range, apartMs }: BeginningQuestion,
  { series: raw }: Pick<ReadSamples, "series">,
  { fill, signal }: { readonly fill: boolean; readonly signal?: AbortSignal | undefined },
): Promise<Beginning | undefined> {
  const rawFromMs = firstTime(raw);
  const endMs = rawFromMs === undefined ? range.endMs : rawFromMs - 1;
  const missingMs = endMs - range.startMs + 1;
  if (missingMs <= longestInterval(apartMs)) return undefined;
  const none = { nativeHistograms: new Set<string>(), warnings: new Set<string>() };
  for (const resolutionMs of fill ? RESOLUTIONS_MS : []) {
    const stepMs = totalsStep(missingMs, Math.max(resolutionMs, apartMs));
    // A step looks back by its own length: the first one is about what came since the range began.
    const startMs = range.startMs + stepMs;
    if (startMs > endMs) break;
    const read = await readSamples(
      api,
      { selectors: selectorsAt(stepMs), range: { startMs, endMs }, expected: undefined, stepMs, resolutionMs },
      { signal },
    ).catch((error: unknown) => {
      // A store that does not answer this has what was read already.
      if (error instanceof UserError && error.code !== "nothing-reachable") return undefined;
      throw error;
    });
    const fromMs = firstTime(read?.series ?? []);
    if (read === undefined || fromMs === undefined) continue;
    const { nativeHistograms, warnings } = read;
    return {
      series: afterwards(read.series, raw),
      rawFromMs,
      nativeHistograms,
      warnings,
      note: warningOf(filledText(fromMs, rawFromMs, stepMs)),
      stepMs,
    };
  }
  if (rawFromMs === undefined) return undefined;
  const reason = `The store has samples only from ${isoTextOfMs(rawFromMs)} on: the first ${lengthText(missingMs)} of the range have none.`;
  return { series: raw, rawFromMs, ...none, note: warningOf(reason) };
}

function filledText(fromMs: number, rawFromMs: number | undefined, stepMs: number): string {
  const what = `values every ${stepMs / 1000} s (query_range): each is the last sample before it or, as Thanos keeps it, the mean of a step, and restarts between two steps may be missed`;
  if (rawFromMs === undefined)
    return `The store has no raw samples of this range. From ${isoTextOfMs(fromMs)} on there are ${what}.`;
  return `The store has raw samples only from ${isoTextOfMs(rawFromMs)} on. Before that, from ${isoTextOfMs(fromMs)} on, there are ${what}.`;
}

function firstTime(series: readonly StoredSamples[]): number | undefined {
  const first = series.reduce((least, { times }) => Math.min(least, times[0] ?? Infinity), Infinity);
  return first === Infinity ? undefined : first;
}

/** Each series' steps, and then its samples. */
function afterwards(steps: readonly StoredSamples[], raw: readonly StoredSamples[]): readonly StoredSamples[] {
  const rest = new Map(raw.map((samples) => [keyOf(samples.labels), samples]));
  const begun = steps.map((samples) => {
    const key = keyOf(samples.labels);
    const more = rest.get(key);
    rest.delete(key);
    if (more === undefined) return samples;
    return {
      ...more,
      times: Float64Array.from([...samples.times, ...more.times]),
      values: Float64Array.from([...samples.values, ...more.values]),
    };
  });
  return [...begun, ...rest.values()];
}

function lengthText(ms: number): string {
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${(ms / 3_600_000).toFixed(1)} h`;
}
