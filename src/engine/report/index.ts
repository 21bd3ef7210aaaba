import { basename, join } from "node:path";
import { MessageChannel } from "node:worker_threads";
import { redacted, type Redaction } from "../../core/report/redact.js";
import { setLabel } from "../../core/compare/index.js";
import { groupBy, type WindowRule } from "../../core/model/index.js";
import { LATENCY_TITLES } from "../../core/sweep/report.js";
import type { Sweep } from "../../core/sweep/index.js";
import { contentOf } from "../../files/bytes.js";
import { fingerprintOf } from "../../files/fingerprint.js";
import { runFilesOf } from "../../files/open/siblings.js";
import { VERSION } from "../../files/version.js";
import {
  ChannelClient,
  type EngineEvents,
  type EngineRequests,
  type Port,
  type Report,
  type ReportedFile,
  type RequestsOf,
  type RunRequests,
} from "../../protocol/index.js";
import { Engine } from "../engine.js";
import { ComparisonEngine } from "../comparison/comparison.js";
import {
  DEFAULT_COMPARISON_SETTINGS,
  type ComparisonEngineRequests,
  type ComparisonEvents,
  type ComparisonRequests,
  type ComparisonSettings,
} from "../../protocol/comparison.js";
import { threadPort } from "../port.js";
import { compareSets, recordComparison } from "./record-comparison.js";
import type { ReportParts } from "./page.js";
import type { Asked } from "./recorder.js";
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
export async function reportOfRun(asked: Asked<RunRequests>, recording: RunRecording = {}): Promise<Report> {
  const { answers, leftOut, header } = await recordRun(asked, recording);
  const { file, label } = header;
  const paths = file === undefined ? [] : [file.path, ...file.siblings.map(({ path }) => path)];
  return {
    view: "run",
    about: {
      ...made(label ?? (file === undefined ? "Server metrics" : basename(file.path))),
      files: await reportedFiles(paths, recording.signal),
      leftOut,
    },
    answers,
  };
}

/**
 * A report of the run that a file belongs to, read in this thread.
 * @throws UserError where it cannot be read; the signal's reason
 */
export async function runReport(
  path: string,
  { window, ...recording }: RunRecording & { readonly window?: WindowRule } = {},
): Promise<Report> {
  const { paths } = await runFilesOf(path, recording.signal === undefined ? {} : { signal: recording.signal });
  const [first = path, ...instead] = paths;
  return inThisThread<EngineRequests, EngineEvents, Report>(
    (port) => {
      const engine = new Engine(port);
      return () => engine.dispose();
    },
    async (client) => {
      await client.call("open", { path: first, instead }, recording.signal);
      if (window !== undefined) await client.call("adjust", { windowRule: window });
      return reportOfRun(client, recording);
    },
  );
}

/** A report of a comparison that an engine holds. @throws what the engine answers; the signal's reason */
export async function reportOfComparison(asked: Asked<ComparisonRequests>, signal?: AbortSignal): Promise<Report> {
  const { answers, leftOut, state } = await recordComparison(asked, signal);
  const labels = [...groupBy(state.runs, ({ id, set = id }) => set).values()].map((repeats) =>
    setLabel(repeats.map(({ label }) => label)),
  );
  const paths = state.runs.map(({ source }) => source.path);
  return {
    view: "comparison",
    about: { ...made(labels.join(" → ")), files: await reportedFiles(paths, signal), leftOut },
    answers,
  };
}

/**
 * A report of runs, compared in this thread.
 * @param sets paths of repeats, the baseline's first
 * @throws UserError where they cannot be read or compared; the signal's reason
 */
export function comparisonReport(
  sets: readonly (readonly string[])[],
  settings: Partial<ComparisonSettings>,
  signal?: AbortSignal,
): Promise<Report> {
  return inThisThread<ComparisonEngineRequests, ComparisonEvents, Report>(
    (port) => {
      new ComparisonEngine(port);
      return () => undefined;
    },
    async (client) => {
      await compareSets(client, sets, { ...DEFAULT_COMPARISON_SETTINGS, ...settings });
      return reportOfComparison(client, signal);
    },
  );
}

/** A report of a sweep. @param folder that it was read from */
export async function sweepReport(folder: string, sweep: Sweep, signal?: AbortSignal): Promise<Report> {
  const paths = sweep.series.flatMap(({ points }) => points.flatMap((point) => point.paths));
  return {
    view: "sweep",
    about: {
      ...made(`Throughput against latency: ${basename(folder)}`),
      files: await reportedFiles(paths, signal),
      leftOut: [
        `Other latencies and statistics than ${LATENCY_TITLES[sweep.latency]}, ${sweep.statistic}.`,
        ...sweep.skipped.map(({ path, reason }) => `${path}: ${reason}`),
      ],
    },
    answers: [{ name: "sweep", params: {}, outcome: { result: { folder, sweep } } }],
  };
}

/** What every report says of itself. */
export function made(title: string) {
  return { title, made: new Date().toISOString(), version: VERSION, redacted: [] };
}

/** The report without what is to be hidden. */
export function hiding(report: Report, what: readonly Redaction[]): Report {
  const { about, ...rest } = redacted(report, what);
  return { ...rest, about: { ...about, redacted: what } };
}

/** By their paths, so that what hides paths hides these names too. A file that is gone has none. */
export async function reportedFiles(
  paths: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly ReportedFile[]> {
  const files: ReportedFile[] = [];
  for (const path of paths) {
    const known = await fingerprintOf(path, signal === undefined ? {} : { signal }).catch(() => undefined);
    signal?.throwIfAborted();
    if (known !== undefined) files.push({ name: basename(path), ...known });
  }
  return files;
}

/**
 * An engine in this thread, for as long as it is used.
 * @param start begins to answer at the port, and returns what ends that
 */
export async function inThisThread<Requests extends RequestsOf<Requests>, Events, T>(
  start: (port: Port) => () => Promise<void> | void,
  use: (client: ChannelClient<Requests, Events>) => Promise<T>,
): Promise<T> {
  const { port1, port2 } = new MessageChannel();
  const end = start(threadPort(port1));
  const client = new ChannelClient<Requests, Events>(threadPort(port2));
  try {
    return await use(client);
  } finally {
    client.dispose();
    await end();
    port1.close();
    port2.close();
  }
}
