import { clientServerSteps, isComparedWithClient } from "../../core/client/index.js";
import { insightStatistics, isUsedByFindings, fineStatistics, type MovesWith } from "../../core/insights/index.js";
import { type Family, OPTION_RANGES, type Problem, toEpoch } from "../../core/model/index.js";
import type { JsonObject, UserError } from "../../core/text/index.js";
import { snapshotTable, StoredRun, type SnapshotTable } from "../../core/query/index.js";
import { currentWindow } from "../../core/stats/index.js";
import type { Run } from "../../core/store/index.js";
import { exportArtifacts, refuseOwnFile, withIdleParts, writeSummary } from "../../files/index.js";
import { addClientToRun, lossesOf } from "../../files/open/index.js";
import type {
  ClientServerRow,
  EngineRequests,
  ExportOptions,
  OpenedFile,
  RunAdjustment,
  RunFindings,
  RunHeader,
  RunRequests,
} from "../../protocol/index.js";
import type { Answers } from "../answers.js";
import type { LiveTiles } from "../capture/live-tiles.js";
import { clientServerRows } from "../client-server.js";
import { engineError } from "../engine-error.js";
import { checkedThresholds, findingSteps, movesOf } from "../findings.js";
import { runInIdleTime, runSteps } from "../stepper.js";

export type Exported = EngineRequests["export"]["result"];

/** The correlations of more series would take a good part of a core while scrapes come in. */
const MAX_LIVE_SERIES = 3000;
/** The share of the time that findings may take while scrapes come in. */
const LIVE_FINDINGS_SHARE = 0.1;

export interface ExportMonitor {
  readonly signal: AbortSignal;
  readonly onProgress: (message: string, fraction?: number) => void;
}

/** What a subject tells the engine that holds it. */
export interface SubjectHost {
  /** Tells the view at once of what the subject has now. */
  push(): void;
  /** All that is shown has changed: header and tiles are sent again. */
  changed(): Promise<unknown>;
  notice(problem: Problem): void;
  /** Does what nobody waits for; what goes wrong is written to the log. */
  beside(work: () => Promise<unknown>): void;
}

/** What an engine owns: one class for each kind of run. */
export abstract class Subject {
  abstract readonly answers: Answers;
  abstract readonly tiles: LiveTiles;
  /** The file that it was read from. */
  abstract readonly file: OpenedFile | undefined;
  private found:
    { readonly of: string; readonly asked: string; readonly until: number; readonly findings: RunFindings } | undefined;
  /** Files of the latest export. */
  private written: RunHeader["artifacts"];

  /** @param run of a large file without its samples */
  constructor(protected readonly run: Run | StoredRun) {}

  protected abstract describe(): RunHeader;

  /** What a file or capture says of its configuration. */
  get inputConfig(): JsonObject {
    return this.run instanceof StoredRun ? this.run.statistics.inputConfig : this.run.metadata.inputConfig;
  }

  /** The run whose window and slices can be set. @throws UserError when there is none */
  protected settled(): Run {
    if (this.run instanceof StoredRun) throw noSamples();
    return this.run;
  }

  /** The settled run with the samples of these families at hand. @throws UserError; the signal's reason */
  // eslint-disable-next-line @typescript-eslint/require-await -- a refusal is a rejection
  protected async samplesOf(
    _only: (family: Family) => boolean,
    _signal: AbortSignal,
    _onProgress?: (fraction: number) => void,
  ): Promise<Run> {
    return this.settled();
  }

  header(): RunHeader {
    const header = this.describe();
    return this.written === undefined ? header : { ...header, artifacts: this.written };
  }

  /**
   * What limits the server; kept until samples or the window change. While scrapes come in it is computed again only
   * after many times the time that it took.
   * @throws UserError where not all samples are at hand; the signal's reason
   */
  async findings(query: RunRequests["findings"]["params"], signal: AbortSignal): Promise<RunFindings> {
    const run = this.settled();
    const begun = performance.now();
    const asked = JSON.stringify([currentWindow(run).start.toString(), query]);
    const of = `${run.store.scrapes} ${windowKey(run)} ${asked}`;
    const { found } = this;
    if (found?.of === of || (this.isLive && found?.asked === asked && begun < found.until)) return found.findings;
    const { endpointUrl } = query;
    const thresholds = checkedThresholds(query.thresholds);
    const samples = await this.samplesOf(isUsedByFindings, signal);
    const statistics = await runInIdleTime(insightStatistics(samples, { endpointUrl, thresholds }), signal);
    const findings = await runInIdleTime(findingSteps(statistics, run.store.origin, query), signal);
    const now = performance.now();
    this.found = { of, asked, until: now + (now - begun) / LIVE_FINDINGS_SHARE, findings };
    return findings;
  }

  /** What lies between a client and the servers. @throws as `findings` */
  async clientServer(signal: AbortSignal): Promise<readonly ClientServerRow[]> {
    const samples = await this.samplesOf(isComparedWithClient, signal);
    return clientServerRows(await runSteps(clientServerSteps(samples), signal));
  }

  /** @throws as `findings`; UserError "no-findings" when the run has no such family */
  async movesWith(query: RunRequests["movesWith"]["params"], signal: AbortSignal): Promise<MovesWith> {
    const run = this.settled();
    this.refuseMany(run);
    const samples = await this.samplesOf(() => true, signal);
    return movesOf(await runSteps(fineStatistics(samples), signal), run.store.origin, query);
  }

  /**
   * Adds results of a benchmark client.
   * @returns what to report about them
   * @throws UserError when there are no samples that they could stand beside
   */
  async addClient(paths: readonly string[], signal: AbortSignal): Promise<readonly Problem[]> {
    const run = this.settled();
    const { notices } = await addClientToRun(this.file?.path ?? "", run, { client: paths, signal });
    return notices;
  }

  private refuseMany(run: Run): void {
    if (this.isLive && run.store.seriesCount > MAX_LIVE_SERIES)
      throw engineError("no-findings", "what moves with it is computed when a run this large has ended");
  }

  /** Of a single scrape. @throws UserError when there are no samples */
  snapshot(): SnapshotTable {
    return snapshotTable(this.settled());
  }

  /** @throws UserError "unusable-settings" */
  adjust({ sliceSeconds, window, windowRule, profilingStart }: RunAdjustment): void {
    const run = this.settled();
    const { origin } = run.store;
    if ([window, windowRule, profilingStart].some((one) => one !== undefined)) this.refuseWindow();
    try {
      if (sliceSeconds !== undefined) setSlices(run, sliceSeconds);
      if (window !== undefined)
        run.chooseWindow(
          window === "recorded"
            ? undefined
            : { start: toEpoch(window.start, origin), end: toEpoch(window.end, origin) },
        );
      if (windowRule !== undefined) run.applyWindowRule(windowRule);
      if (profilingStart !== undefined)
        run.moveProfilingStart(profilingStart === "recorded" ? undefined : toEpoch(profilingStart, origin));
    } catch (error) {
      throw error instanceof RangeError ? engineError("unusable-settings", error.message) : error;
    }
  }

  /** @throws UserError "export-failed" where it would replace the file that it was read from */
  async export(options: ExportOptions, context: ExportMonitor): Promise<Exported> {
    if (this.file !== undefined) await refuseOwnFile(this.file.path, options);
    return this.write(options, context);
  }

  /** It changes by itself: the view is updated every second. */
  get isLive(): boolean {
    return false;
  }

  /** Takes what has come since the last push. @returns whether that was anything. Never rejects. */
  advance(): Promise<boolean> {
    return Promise.resolve(true);
  }

  /** Reads what a push shows besides the header. */
  readTiles(): Promise<void> {
    return this.tiles.readIfDue();
  }

  /** Reads the tiles after something has changed. */
  renewTiles(): Promise<void> {
    return this.tiles.readNow();
  }

  /** Reads on as its file grows. @returns whether that has begun now @throws UserError "not-followable" */
  follow(): Promise<boolean> {
    throw engineError("not-followable", "only a JSONL or a journal is appended to, so nothing else can be followed");
  }

  /** Lets go of files. */
  close(): Promise<void> {
    this.tiles.stop();
    return Promise.resolve();
  }

  /** @throws UserError while the window cannot be changed */
  protected refuseWindow(): void {}

  protected async write({ formats, ...others }: ExportOptions, context: ExportMonitor): Promise<Exported> {
    const run = await this.samplesOf(
      () => true,
      context.signal,
      (fraction) => context.onProgress("Reading", fraction),
    );
    // Without a file there is none that holds all of the run.
    const options = { ...others, formats: this.file === undefined ? withIdleParts(run, formats) : formats };
    const files = await exportArtifacts(run, options, context);
    // OpenMetrics is for other programs: it is no artifact of the run.
    this.written = files.flatMap(({ format, ...file }) => (format === "openmetrics" ? [] : [{ ...file, format }]));
    const losses = lossesOf(run, options.formats);
    if (options.summary !== true) return { files, losses };
    const summary = await writeSummary(run, { ...options, files, signal: context.signal });
    return { files, losses: "problem" in summary ? [...losses, summary.problem] : losses };
  }
}

function setSlices(run: Run, seconds: number): void {
  const { min, max } = OPTION_RANGES.sliceDuration;
  if (!(seconds >= min && seconds <= max))
    throw engineError(
      "unusable-settings",
      `a slice cannot be ${seconds} s long`,
      `Choose a length from ${min} s to ${max} s.`,
    );
  run.setSliceSeconds(seconds);
}

function windowKey(run: Run): string {
  const { start, end } = currentWindow(run);
  return `${start} ${end}`;
}

/** The refusal of what cannot be done with statistics alone. */
export function noSamples(): UserError {
  return engineError(
    "no-samples",
    "this file holds statistics only, not the samples they were computed from",
    "Open the Parquet or JSONL file of the same run.",
  );
}
