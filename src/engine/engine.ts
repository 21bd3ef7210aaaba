import { resolve } from "node:path";
import { discoverEndpoints, probeEndpoints, type ProbeProgress } from "../collect/index.js";
import { artifactName } from "../core/artifacts/index.js";
import { toEpoch, type JsonObject, type Problem } from "../core/model/index.js";
import {
  configurationTree,
  joinTables,
  momentTable,
  pendingTiles,
  rankingSteps,
  sharesSteps,
  SliceEstimates,
  statisticsTable,
  storedTiles,
  tilePlans,
  tileSteps,
  timesliceTable,
  vectorSteps,
  type ResultEntry,
  type StatisticsTable,
} from "../core/query/index.js";
import type { Run } from "../core/store/index.js";
import { exportArtifacts, recoverJournal } from "../files/index.js";
import { convertArtifact, lossesOf, type GrowingRun } from "../files/open/index.js";
import {
  ChannelServer,
  describeError,
  type CaptureOptions,
  type EngineEvents,
  type EngineRequests,
  type ExportOptions,
  type Handlers,
  type OpenedFile,
  type Port,
  type ProgressListener,
  type RunAdjustment,
  type RunHeader,
  type RunSnapshot,
  type Tile,
} from "../protocol/index.js";
import { checkRun } from "./assertions.js";
import { runAnswers, storedAnswers, type Answers } from "./answers.js";
import { startCapture, type Capture } from "./capture.js";
import { engineError } from "./described.js";
import { captureHeader, largeHeader, readingHeader, savedHeader, storedHeader } from "./header.js";
import type { LargeRun } from "./large-run.js";
import { LiveTiles } from "./live-tiles.js";
import { Following } from "./following.js";
import { openFile, type OpenedContent } from "./open.js";
import { runSteps } from "./stepper.js";

/** The time between two pushes to a view. */
const PROGRESS_MS = 1000;

type Subject =
  | { readonly kind: "empty" }
  | { readonly kind: "capture"; readonly capture: Capture }
  | {
      readonly kind: "saved";
      readonly run: Run;
      readonly problems: readonly Problem[];
      readonly file?: OpenedFile;
      readonly growing?: GrowingRun;
    }
  /** A file that is being read. */
  | { readonly kind: "reading"; readonly run: Run; readonly file: OpenedFile; readonly share: () => number }
  | Exclude<OpenedContent, { readonly kind: "saved" }>;

/** Owns one run and answers for it over a port. */
export class Engine {
  private subject: Subject = { kind: "empty" };
  private held: Answers | undefined;
  private tiles: LiveTiles | undefined;
  private estimates = new SliceEstimates();
  /** A run is on its way in. */
  private taking = false;
  private readonly server: ChannelServer<EngineRequests, EngineEvents>;
  private readonly notices: Problem[] = [];
  private progressTimer: NodeJS.Timeout | undefined;
  private following: Following | undefined;
  /** The tiles are older than the run. */
  private tilesDue = false;
  private seriesTold = 0;
  private tilesTold: readonly Tile[] = [];
  private storedTiles: readonly Tile[] | undefined;
  /** Files of the latest export. */
  private written: RunHeader["artifacts"];

  constructor(port: Port) {
    this.server = new ChannelServer<EngineRequests, EngineEvents>(port, this.handlers());
  }

  /** Closes what the run is read from. */
  async dispose(): Promise<void> {
    const { subject } = this;
    this.letGo();
    if (subject.kind === "large") await subject.run.close();
  }

  private handlers(): Handlers<EngineRequests> {
    return {
      snapshot: () => this.snapshot(),
      series: async ({ family }, signal) => (await this.answers().of(family, signal)).series(family),
      configuration: () => configurationTree(this.inputConfig()),
      moment: () => momentTable(this.settled()),
      labels: () => this.answers().labels(),
      chart: async (query, signal) => runSteps((await this.answers().of(query.family, signal)).chart(query), signal),
      statistics: (which, signal, report) => this.statistics(which, signal, report),
      timeslices: async (query, signal) =>
        runSteps(timesliceTable(await this.entries(query.family, signal), query, this.answers().origin), signal),
      heatmap: async (query, signal) =>
        runSteps((await this.answers().of(query.family, signal)).heatmap(query), signal),
      distribution: async (query, signal) =>
        runSteps((await this.answers().of(query.family, signal)).distribution(query), signal),
      check: ({ assertions }, signal) => checkRun(this.answers(), assertions, signal),
      ranking: async (query, signal) => runSteps(rankingSteps(await this.entries(query.family, signal), query), signal),
      shares: async (query, signal) => runSteps(sharesSteps(await this.entries(query.family, signal), query), signal),
      vector: async (query, signal) =>
        runSteps(vectorSteps(await this.entries(query.family, signal), query, this.answers().origin), signal),
      adjust: (adjustment) => this.adjust(adjustment),
      probe: async ({ endpoints, timeoutMs }, signal) =>
        (await probeEndpoints(endpoints, timeoutMs, signal, this.probeProgress("probe"))).map(
          (probe) => probe.reachability,
        ),
      discover: async ({ ports, timeoutMs }, signal) =>
        (await discoverEndpoints(ports, timeoutMs, signal, this.probeProgress("discover"))).map(
          (probe) => probe.reachability,
        ),
      startCapture: (options, signal) => this.take(() => this.start(options, signal)),
      markProfilingStart: () => {
        this.capture().markProfilingStart();
        return this.pushed();
      },
      addMark: ({ label }) => {
        this.capture().addMark(label);
        return this.pushed();
      },
      retryEndpoint: ({ url }) => {
        this.capture().retry(url);
        return null;
      },
      removeEndpoint: ({ url }) => {
        this.capture().remove(url);
        return this.pushed();
      },
      stopCapture: (_, signal) => this.stop(signal),
      export: (options, signal) => this.export(options, signal),
      open: ({ path }, signal) => this.take(() => this.open(path, signal)),
      hasGrown: () => (this.subject.kind === "saved" && this.subject.growing?.hasGrown()) || false,
      follow: ({ on }) => (on ? this.follow() : this.unfollow()),
      recover: ({ journalPath }, signal) => this.take(() => this.recover(journalPath, signal)),
    };
  }

  /** What can be adjusted. */
  private settled(): Run {
    switch (this.subject.kind) {
      case "capture":
        return this.subject.capture.run;
      case "saved":
        return this.subject.run;
      case "large":
        return this.subject.run.frame;
      case "reading":
        throw engineError("still-reading", "the file is still being read", "Wait until it has been read.");
      case "statistics":
        throw engineError(
          "no-samples",
          "this file holds statistics only, not the samples they were computed from",
          "Open the Parquet or JSONL file of the same run.",
        );
      case "empty":
        throw engineError("no-run", "there is no run to show", "Start a capture.");
    }
  }

  private inputConfig(): JsonObject {
    switch (this.subject.kind) {
      case "statistics":
        return this.subject.opened.statistics.inputConfig;
      case "reading":
        return this.subject.run.metadata.inputConfig;
      case "capture":
      case "saved":
      case "large":
      case "empty":
        return this.settled().metadata.inputConfig;
    }
  }

  private answers(): Answers {
    if (this.held === undefined) throw engineError("no-run", "there is no run to show", "Start a capture.");
    return this.held;
  }

  private async entries(family: string, signal: AbortSignal): Promise<Iterable<ResultEntry>> {
    return (await this.answers().of(family, signal)).entries();
  }

  private capture(): Capture {
    if (this.subject.kind !== "capture")
      throw engineError("not-capturing", "no capture is running", "Start a capture.");
    return this.subject.capture;
  }

  private header(): RunHeader {
    const header = this.subjectHeader();
    return this.written === undefined ? header : { ...header, artifacts: this.written };
  }

  private subjectHeader(): RunHeader {
    switch (this.subject.kind) {
      case "capture":
        return captureHeader(this.subject.capture, this.notices);
      case "saved":
        return this.following === undefined
          ? savedHeader(this.subject.run, this.subject.problems, this.subject.file)
          : savedHeader(this.subject.run, this.following.problems, this.following.file, "following");
      case "reading":
        return readingHeader(this.subject.run, this.subject.file, this.subject.share());
      case "large":
        return largeHeader(this.subject.run, this.subject.problems, this.subject.file);
      case "statistics":
        return storedHeader(this.subject.stored, this.subject.problems, this.subject.file);
      case "empty":
        throw engineError("no-run", "there is no run to show", "Start a capture.");
    }
  }

  private async snapshot(): Promise<RunSnapshot> {
    // Tiles that were told once follow with every push; only the first have to be waited for.
    if (this.tiles?.latest.length === 0) await this.tiles.readIfDue();
    return { header: this.header(), families: this.answers().families(), tiles: this.latestTiles() };
  }

  /** An engine takes one run, once. */
  private async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.taking || this.subject.kind !== "empty") throw engineError("busy", "this engine already holds a run");
    this.taking = true;
    try {
      return await work();
    } finally {
      this.taking = false;
    }
  }

  private hold(subject: Exclude<Subject, { readonly kind: "empty" }>): void {
    this.tiles?.stop();
    // Of what was shown while the file was read, until they are read anew.
    const shown = this.tiles?.latest;
    const wasReading = this.subject.kind === "reading";
    this.subject = subject;
    switch (subject.kind) {
      case "statistics":
        this.held = storedAnswers(subject.stored);
        this.tiles = undefined;
        return;
      case "large":
        this.held = subject.run;
        this.tiles = new LiveTiles(
          (signal, onSome) => this.readLarge(subject.run, signal, onSome),
          subject.run.pendingTiles(),
        );
        void this.logged(async () => this.tiles?.readNow());
        return;
      case "capture":
      case "saved":
      case "reading": {
        const run = subject.kind === "capture" ? subject.capture.run : subject.run;
        if (!wasReading) this.estimates = new SliceEstimates();
        this.held = runAnswers(run, this.estimates);
        // A run that is just being read is shown before its tiles are.
        const first = subject.kind === "reading" ? pendingTiles(tilePlans(run.store.families())) : shown;
        this.tiles = new LiveTiles((signal) => runSteps(tileSteps(run), signal), first);
      }
    }
  }

  /** The tiles of a large run take their time: the view is told as they come. */
  private async readLarge(
    run: LargeRun,
    signal: AbortSignal,
    onSome: (tiles: readonly Tile[]) => void,
  ): Promise<readonly Tile[]> {
    let told = performance.now();
    const tiles = await run.tiles(signal, (some) => {
      onSome(some);
      if (performance.now() - told < PROGRESS_MS) return;
      told = performance.now();
      this.pushProgress();
    });
    onSome(tiles);
    this.pushProgress();
    return tiles;
  }

  private letGo(): void {
    clearTimeout(this.progressTimer);
    this.tiles?.stop();
    this.tiles = undefined;
    this.held = undefined;
    this.subject = { kind: "empty" };
  }

  private latestTiles(): readonly Tile[] {
    if (this.subject.kind !== "statistics") return this.tiles?.latest ?? [];
    this.storedTiles ??= storedTiles(this.subject.stored);
    return this.storedTiles;
  }

  private async start(options: CaptureOptions, signal: AbortSignal) {
    const { capture, reachability } = await startCapture(
      options,
      {
        onProbe: this.probeProgress("startCapture"),
        onStatus: () => undefined,
        onNotice: (problem, endpointUrl) => {
          // What concerns one endpoint stands beside that endpoint.
          if (endpointUrl === undefined) this.notices.push(problem);
          this.server.emit("notice", endpointUrl === undefined ? problem : { ...problem, endpointUrl });
        },
      },
      { signal },
    );
    this.hold({ kind: "capture", capture });
    this.scheduleProgress();
    return reachability;
  }

  private async stop(signal: AbortSignal): Promise<null> {
    const capture = this.capture();
    const stopping = capture.stop(signal);
    this.pushProgress();
    await stopping;
    clearTimeout(this.progressTimer);
    return this.pushed();
  }

  private async statistics(
    which: EngineRequests["statistics"]["params"],
    signal: AbortSignal,
    report: ProgressListener,
  ): Promise<StatisticsTable> {
    const answers = this.answers();
    if ("family" in which) return runSteps(statisticsTable(await this.entries(which.family, signal), which), signal);
    const tables: StatisticsTable[] = [];
    for await (const part of answers.ofType(which.type, signal, report))
      tables.push(await runSteps(statisticsTable(part.entries(), which), signal));
    const [first, ...others] = tables;
    return first === undefined ? runSteps(statisticsTable([], which), signal) : joinTables(first, others);
  }

  private adjust({ sliceSeconds, window, profilingStart }: RunAdjustment): Promise<null> {
    const run = this.settled();
    const { origin } = run.store;
    if (this.following !== undefined && (window !== undefined || profilingStart !== undefined)) {
      throw engineError(
        "unusable-settings",
        "the window of a file that is followed can be changed once it no longer is",
        "Stop following it.",
      );
    }
    if (
      this.subject.kind === "capture" &&
      this.subject.capture.state !== "stopped" &&
      (window !== undefined || profilingStart !== undefined)
    ) {
      throw engineError("unusable-settings", "the window of a capture can be changed once it has stopped");
    }
    try {
      if (sliceSeconds !== undefined) run.setSliceSeconds(sliceSeconds);
      if (window !== undefined) {
        run.chooseWindow(
          window === "recorded"
            ? undefined
            : { start: toEpoch(window.start, origin), end: toEpoch(window.end, origin) },
        );
      }
      if (profilingStart !== undefined) run.setProfilingStart(toEpoch(profilingStart, origin));
    } catch (error) {
      throw error instanceof RangeError ? engineError("unusable-settings", error.message) : error;
    }
    return this.pushed();
  }

  private async export(options: ExportOptions, signal: AbortSignal) {
    this.refuseOwnFile(options);
    // The final scrapes belong to the artifacts.
    if (this.subject.kind === "capture" && this.subject.capture.state === "stopping")
      await this.subject.capture.stop(signal);
    const onProgress = (message: string, fraction?: number) =>
      this.server.emit("work", { request: "export", message, ...(fraction === undefined ? {} : { fraction }) });
    if (this.subject.kind === "statistics")
      return { files: await convertArtifact(this.subject.opened, withoutSlices(options), { signal }), losses: [] };
    const run =
      this.subject.kind === "large"
        ? await this.subject.run.whole(signal, (fraction) => onProgress("Reading", fraction))
        : this.settled();
    const files = await exportArtifacts(run, options, { signal, onProgress });
    this.written = files;
    this.pushProgress();
    return { files, losses: lossesOf(run, options.formats) };
  }

  /** The file a run was read from is never written to. */
  private refuseOwnFile({ directory, formats, prefix }: ExportOptions): void {
    const own = "file" in this.subject ? this.subject.file?.path : undefined;
    if (
      own === undefined ||
      !formats.some((format) => resolve(directory, artifactName(format, prefix)) === resolve(own))
    )
      return;
    throw engineError(
      "export-failed",
      `the export would replace ${own}, which this run was read from`,
      "Choose another folder or another prefix.",
    );
  }

  private async open(path: string, signal: AbortSignal): Promise<OpenedFile> {
    let share = 0;
    let shown = false;
    try {
      const content = await openFile(path, {
        signal,
        onProgress: (message, fraction) => {
          share = fraction;
          this.server.emit("work", { request: "open", message, fraction });
        },
        onFirstSamples: (run, file) => {
          shown = true;
          this.hold({ kind: "reading", run, file, share: () => share });
          // What is there is told at once; its tiles follow, after the first charts.
          this.pushProgress();
          this.scheduleProgress();
        },
      });
      this.hold(content);
      if (shown) {
        clearTimeout(this.progressTimer);
        // Types may have been settled: the families are told anew.
        this.seriesTold = -1;
        await this.pushed();
      }
      return content.file;
    } catch (error) {
      this.letGo();
      throw error;
    }
  }

  private async recover(journalPath: string, signal: AbortSignal) {
    const { run, problems } = await recoverJournal(journalPath, { signal });
    this.hold({ kind: "saved", run, problems });
    const { label } = run.metadata;
    return { scrapes: run.store.scrapes, ...(label === undefined ? {} : { label }), problems };
  }

  private async follow(): Promise<null> {
    if (this.following !== undefined) return null;
    if (this.subject.kind === "empty") throw engineError("no-run", "there is no run to show", "Open a file.");
    if (this.subject.kind === "reading")
      throw engineError("still-reading", "the file is still being read", "Follow it when it has been read.");
    const { growing, file } = this.subject.kind === "saved" ? this.subject : {};
    if (growing === undefined || file === undefined)
      throw engineError("not-followable", "only a JSONL or a journal is appended to, so nothing else can be followed");
    const following = new Following(growing, file);
    // A file that is not what was read is refused, and nothing has begun.
    await following.read();
    // Asked for twice at once.
    if (this.following !== undefined) return null;
    this.following = following;
    this.scheduleProgress();
    return this.pushed();
  }

  private async unfollow(): Promise<null> {
    const { following, subject } = this;
    if (following === undefined || subject.kind !== "saved") return null;
    this.following = undefined;
    clearTimeout(this.progressTimer);
    this.subject = { ...subject, problems: await following.end(), file: following.file };
    return this.pushed();
  }

  /** Reads on. @returns whether there was more */
  private async grow(following: Following): Promise<boolean> {
    try {
      return await following.read();
    } catch (error) {
      // Given up meanwhile.
      if (this.following !== following) return false;
      const { message, remedy } = describeError(error);
      this.server.emit("notice", {
        severity: "warning",
        reason: `The file is no longer followed. ${message}`,
        ...(remedy === undefined ? {} : { remedy }),
      });
      await this.unfollow();
      return false;
    }
  }

  private probeProgress(request: string) {
    return ({ done, total, reachability }: ProbeProgress) =>
      this.server.emit("work", {
        request,
        message: `${reachability.displayName} ${reachability.reachable ? "answered" : "did not answer"} (${done}/${total})`,
        fraction: done / total,
      });
  }

  /** Tells the view of what a request just changed: the header at once, the tiles as soon as they are read. */
  private async pushed(): Promise<null> {
    const reading = this.tiles?.readNow();
    this.pushProgress();
    // Those of a large run are told as they come.
    if (this.subject.kind === "large") {
      void this.logged(async () => reading);
      return null;
    }
    await reading;
    if (this.tiles?.latest !== this.tilesTold) this.pushProgress();
    return null;
  }

  /** Once a second, however long the tiles of the last push took. */
  private scheduleProgress(last = performance.now()): void {
    const due = last + PROGRESS_MS;
    this.progressTimer = setTimeout(() => void this.progress(due), Math.max(0, due - performance.now()));
  }

  private async progress(due: number): Promise<void> {
    const { held, following } = this;
    await this.logged(async () => {
      const grown = following === undefined || (await this.grow(following));
      if (grown) this.tilesDue = true;
      // Beside a file that is being read they take their time; what is there so far is told meanwhile.
      if (this.subject.kind === "reading") void this.logged(async () => this.tiles?.readIfDue());
      else if (this.tilesDue) await this.tiles?.readIfDue();
      // A file that has been read in the meantime has told of itself.
      if (this.held !== held) return;
      if (this.latestTiles() !== this.tilesTold) this.tilesDue = false;
      if (grown || this.latestTiles() !== this.tilesTold) this.pushProgress();
    });
    if (this.goesOn(following)) this.scheduleProgress(Math.max(due, performance.now() - PROGRESS_MS));
  }

  private goesOn(following: Following | undefined): boolean {
    if (this.subject.kind === "capture") return this.subject.capture.state === "capturing";
    return this.subject.kind === "reading" || (this.following !== undefined && this.following === following);
  }

  /** What cannot be shown must not end a capture: it is written to the log. */
  private async logged(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.server.emit("log", {
        level: "error",
        message: `The view could not be told of the run's progress: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      });
    }
  }

  private pushProgress(): void {
    const answers = this.answers();
    if (answers.seriesCount !== this.seriesTold) {
      this.seriesTold = answers.seriesCount;
      this.server.emit("families", { families: answers.families() });
    }
    this.tilesTold = this.latestTiles();
    this.server.emit("progress", { header: this.header(), tiles: this.tilesTold });
  }
}

/** Stored statistics keep the slices that they have. */
function withoutSlices({ sliceDurationSeconds: _, ...options }: ExportOptions): ExportOptions {
  return options;
}
