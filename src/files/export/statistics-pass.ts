/**
 * The statistics of a run, series by series: each becomes text as soon as it is computed, and nothing but the rows of
 * CSV is kept to the end. The export of a fleet of 200 endpoints (18,000 series) took 90 MB more with all statistics
 * and their slices in memory.
 */
import { setImmediate } from "node:timers/promises";
import {
  csvSeries,
  jsonEnd,
  jsonStart,
  MetricsText,
  seriesText,
  type CsvFamily,
  type CsvSeries,
} from "../../core/artifacts/index.js";
import { familyUnit } from "../../core/catalog/index.js";
import { insightSlices, isUsedByFindings } from "../../core/insights/index.js";
import { NS_PER_SECOND } from "../../core/model/index.js";
import { artifactWindows } from "../../core/window/index.js";
import { familiesInOrder, runFacts, SeriesStatistics, type RunWindow } from "../../core/stats/index.js";
import type { Run } from "../../core/store/index.js";
import type { OutputFile } from "./output-file.js";
import { VERSION } from "../version.js";

/** What a pass runs over and is for. */
export interface PassPlan {
  readonly window: RunWindow;
  readonly sliceSeconds: number;
  /** Whether rows of CSV are wanted, and whether its formulas are neutralised. */
  readonly csv: boolean;
  readonly csvSafe: boolean;
}

/** What a pass leaves behind. */
export interface PassOutcome {
  /** As the JSON artifact holds them, those of the warm-up included. */
  readonly series: number;
  readonly csv: readonly CsvFamily[];
}

/** How long the statistics may hold the event loop at a time. */
const HOLD_MS = 15;

/**
 * Computes all statistics, and writes them as JSON where there is a file for it.
 * @param onShare gets the share done
 * @throws RangeError for an unusable slice length; the file system's error; the signal's reason
 */
export async function statisticsPass(
  run: Run,
  plan: PassPlan,
  file: OutputFile | undefined,
  onShare: (share: number) => void,
  signal: AbortSignal | undefined,
): Promise<PassOutcome> {
  const steps = statisticsSteps(run, plan, file !== undefined);
  let since = performance.now();
  let share = 0;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (typeof step.value === "string") {
      const waiting = file?.add(step.value);
      if (waiting !== undefined) await waiting;
      continue;
    }
    share = step.value ?? share;
    if (performance.now() - since < HOLD_MS) continue;
    onShare(share);
    await setImmediate();
    signal?.throwIfAborted();
    since = performance.now();
  }
}

/** Yields the text of the JSON in order, where it is wanted; between its pieces the share done, or nothing to rest. */
function* statisticsSteps(
  run: Run,
  { window, sliceSeconds, ...plan }: PassPlan,
  json: boolean,
): Generator<string | number | void, PassOutcome> {
  const { phase, warmup } = artifactWindows(run, window);
  const facts = {
    ...runFacts(run, window),
    ...(phase === undefined ? {} : { phase }),
    ...(warmup === undefined ? {} : { warmup }),
  };
  if (json) yield jsonStart(facts, { version: VERSION });
  const families = familiesInOrder(run, {});
  const csv: CsvFamily[] = [];
  let count = 0;
  for (const member of ["metrics", "warmup_metrics"] as const) {
    const over = member === "metrics" ? window : json ? warmup : undefined;
    if (over === undefined) continue;
    const statistics = new SeriesStatistics(run, { window: over, sliceSeconds });
    const fine = member === "metrics" && json ? fineStatistics(run, over, sliceSeconds) : undefined;
    const metrics = new MetricsText(member);
    for (const [i, { family, keys }] of families.entries()) {
      const unit = familyUnit(family);
      const { name, type, description } = family;
      const about = { name, type, description, ...(unit === undefined ? {} : { unit }) };
      const rows: CsvSeries[] = [];
      for (const key of keys) {
        const result = yield* statistics.of(key);
        yield (i + 1) / families.length;
        if (result === undefined) continue;
        count++;
        if (json) {
          const finer = fine === undefined || !isUsedByFindings(about) ? undefined : yield* fine.of(key, "buckets");
          yield metrics.family(about) + metrics.beforeSeries() + seriesText(result, finer?.slices);
        }
        if (plan.csv && member === "metrics") rows.push(csvSeries(about, result, plan.csvSafe));
      }
      if (rows.length > 0) csv.push({ ...about, series: rows });
    }
    if (json) yield metrics.end();
  }
  if (json) yield jsonEnd(facts);
  return { series: count, csv };
}

/** In the slices of findings, where they are others. */
function fineStatistics(run: Run, window: RunWindow, sliceSeconds: number): SeriesStatistics | undefined {
  const fineSeconds = insightSlices(Number(window.end - window.start) / NS_PER_SECOND);
  return sliceSeconds > 0 && fineSeconds !== sliceSeconds
    ? new SeriesStatistics(run, { window, sliceSeconds: fineSeconds })
    : undefined;
}
