import { basename, join } from "node:path";
import { redacted, type Redaction } from "../../core/report/redact.js";
import { LATENCY_TITLES } from "../../core/sweep/report.js";
import type { Sweep } from "../../core/sweep/index.js";
import type { Block } from "../../core/text/document.js";
import { contentOf } from "../../files/bytes.js";
import { fingerprintOf } from "../../files/fingerprint.js";
import type { Reach } from "../../files/opener.js";
import { VERSION } from "../../files/version.js";
import type { Report, ReportedFile, ReportedRuns, RunRequests } from "../../protocol/index.js";
import type { ShownExperiment } from "../../protocol/experiment.js";
import { comparedSetLabels } from "../../protocol/compared-sets.js";
import type { ComparisonRequests } from "../../protocol/comparison.js";
import { recordComparison } from "./record-comparison.js";
import type { ReportParts } from "./page.js";
import { answerOf, type Asked } from "./recorder.js";
import { recordRun, type RunRecording } from "./record-run.js";

export { reportHtml, type ReportParts } from "./page.js";

const MOST_BUNDLED = 20_000_000;

/** The views' code. @param folder that of this program's bundles @throws UserError where it is not there */
export async function readReportParts(folder: string): Promise<ReportParts> {
  const read = (name: string) => contentOf(join(folder, name), MOST_BUNDLED);
  const [script, ...styles] = await Promise.all(["webview.js", "webview.css", "report.css"].map(read));
  return { script: script ?? new Uint8Array(), styles: styles.map((bytes) => new TextDecoder().decode(bytes)) };
}

/** A report of a run that an engine holds. @throws what the engine answers; the signal's reason */
export async function reportOfRun(asked: Asked<RunRequests>, recording: RunRecording & Reach = {}): Promise<Report> {
  const { answers, leftOut, header } = await recordRun(asked, recording);
  const { file, label } = header;
  const paths = file === undefined ? [] : [file.path, ...file.siblings.map(({ path }) => path)];
  return {
    view: "run",
    about: {
      ...made(label ?? (file === undefined ? "Server metrics" : basename(file.path))),
      files: await reportedFiles(paths, recording),
      leftOut,
    },
    answers,
  };
}

/** A report of a comparison that an engine holds. @throws what the engine answers; the signal's reason */
export async function reportOfComparison(
  asked: Asked<ComparisonRequests>,
  recording: Pick<RunRecording, "signal" | "thresholds"> = {},
): Promise<Report> {
  const { answers, leftOut, state } = await recordComparison(asked, recording);
  const paths = state.runs.map(({ source }) => source.path);
  return {
    view: "comparison",
    about: {
      ...made(comparedSetLabels(state.runs).join(" → ")),
      files: await reportedFiles(paths, recording),
      leftOut,
    },
    answers,
  };
}

/** A report of a sweep. @param folder that it was read from */
export async function sweepReport(folder: string, sweep: Sweep, signal?: AbortSignal): Promise<Report> {
  const paths = sweep.series.flatMap(({ points }) => points.flatMap((point) => point.paths));
  return {
    view: "sweep",
    about: {
      ...made(`Throughput against latency: ${basename(folder)}`),
      files: await reportedFiles(paths, signal === undefined ? {} : { signal }),
      leftOut: [
        `Other latencies and statistics than ${LATENCY_TITLES[sweep.latency]}, ${sweep.statistic}.`,
        ...sweep.skipped.map(({ path, reason }) => `${path}: ${reason}`),
      ],
    },
    answers: [answerOf("sweep", { folder, sweep })],
  };
}

/** A report of an experiment, whoever has read it. @param details what its view does not show */
export function reportOfExperiment(shown: ShownExperiment, details: readonly Block[]): Report {
  return {
    view: "experiment",
    about: { ...made(shown.experiment.question), files: [], leftOut: ["The runs themselves."], details },
    answers: [answerOf("experiment", shown)],
  };
}

/** A report of the runs of a folder. */
export async function reportOfRuns(
  reported: ReportedRuns,
  reading: Pick<RunRecording, "signal"> = {},
): Promise<Report> {
  const paths = reported.runs.flatMap(({ files: [first] }) => first ?? []);
  return {
    view: "library",
    about: {
      ...made(`Runs of ${basename(reported.folder)}`),
      files: await reportedFiles(paths, reading),
      leftOut: ["The runs themselves, and statistics of single metrics: key figures are there."],
    },
    answers: [answerOf("runs", reported)],
  };
}

/** What every report says of itself. */
function made(title: string) {
  return { title, made: new Date().toISOString(), version: VERSION, redacted: [] };
}

/** The report without what is to be hidden. */
export function hiding(report: Report, what: readonly Redaction[]): Report {
  const { about, ...rest } = redacted(report, what);
  return { ...rest, about: { ...about, redacted: what } };
}

async function reportedFiles(
  paths: readonly string[],
  reading: Reach & Pick<RunRecording, "signal">,
): Promise<readonly ReportedFile[]> {
  const files: ReportedFile[] = [];
  for (const path of paths) {
    const known = await fingerprintOf(path, reading).catch(() => undefined);
    reading.signal?.throwIfAborted();
    if (known !== undefined) files.push({ path, ...known });
  }
  return files;
}
