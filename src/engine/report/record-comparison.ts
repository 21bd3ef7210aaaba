import { isDecided } from "../../core/compare/report/report.js";
import type { Reach } from "../../files/opener.js";
import type { RichBlock } from "../../core/text/document.js";
import { grouped } from "../../core/text/plural.js";
import { UserError } from "../../core/text/errors.js";
import type {
  ComparedSource,
  ComparisonEngineRequests,
  ComparisonEvents,
  ComparisonRequests,
  ComparisonRow,
  ComparisonSettings,
  ComparisonState,
} from "../../protocol/comparison.js";
import type { ChannelClient, RecordedAnswer } from "../../protocol/index.js";
import { comparisonReportDocument } from "../comparison/report.js";
import { type RunRecording, MOST_BYTES, Recorder, type Asked } from "./record-run.js";

const LINES = { maxPoints: 300, maxSeries: 4, maxJoined: 8 } as const;
const HEATMAP_COLUMNS = 100;

/**
 * All that the views of a comparison show, with charts of its rows as far as there is room: those of key metrics and
 * of what differs come first.
 * @returns what is left out, a sentence each
 * @throws what the engine answers; the signal's reason
 */
export async function recordComparison(
  asked: Asked<ComparisonRequests>,
  { signal, thresholds = {} }: Pick<RunRecording, "signal" | "thresholds"> = {},
): Promise<{
  readonly answers: readonly RecordedAnswer[];
  readonly leftOut: readonly string[];
  readonly state: ComparisonState;
  readonly document: readonly RichBlock[];
}> {
  const recorder = new Recorder<ComparisonRequests>(asked, signal);
  const state = await recorder.ask("comparisonState", {});
  recorder.keep("comparisonState", {}, state);
  const result = await recorder.ask("comparison", {});
  recorder.keep("comparison", {}, result);
  const changes = await recorder.record("findingChanges", {}, { thresholds });
  const { rows, runIds } = result.comparison;
  const findings = runIds.slice(1).map((id) => changes?.find(({ run }) => run === id));
  const runs = state.runs.map(({ id }) => ({ run: id, window: {} }));
  let charted = 0;
  const most = recorder.bytes + MOST_BYTES;
  for (const row of rows.toSorted((a, b) => rank(a) - rank(b))) {
    if (recorder.bytes > most) break;
    await recorder.record("runChart", { row: row.id, runs, ...LINES });
    if (row.type === "histogram")
      await recorder.record("runHeatmap", { row: row.id, runs, maxColumns: HEATMAP_COLUMNS });
    charted++;
  }
  return {
    answers: recorder.answers,
    leftOut:
      charted < rows.length
        ? [`Charts of ${grouped(rows.length - charted)} of ${grouped(rows.length)} rows, to keep the report small.`]
        : [],
    state,
    document: comparisonReportDocument(result.comparison, findings),
  };
}

function rank(row: ComparisonRow): number {
  return row.concept !== undefined ? 0 : row.isKey ? 1 : isDecided(row) ? 2 : 3;
}

/**
 * Compares and waits until that is done.
 * @param sets paths of repeats, the baseline's first
 * @throws UserError where a run cannot be read, or they cannot be compared
 */
export async function compareSets(
  client: ChannelClient<ComparisonEngineRequests, ComparisonEvents>,
  sets: readonly (readonly string[])[],
  settings: ComparisonSettings,
  reach: Reach = {},
): Promise<void> {
  const state = await new Promise<ComparisonState>((resolve, reject) => {
    const stop = client.on("state", (state) => {
      const { runs, comparing, revision, problem } = state;
      const read = runs.every((run) => run.state.kind !== "reading");
      if (!read || comparing !== undefined || (revision === 0 && problem === undefined)) return;
      stop();
      resolve(state);
    });
    const sources = sets.flat().map((path): ComparedSource => ({ path, ...reach }));
    client.call("compare", { sources, settings, sets }).catch(reject);
  });
  const [error = state.problem] = state.runs.flatMap((run) => (run.state.kind === "failed" ? [run.state.error] : []));
  if (error !== undefined) throw new UserError(error.message, error.remedy);
}
