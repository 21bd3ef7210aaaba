import { discoveryEndpoints, type ProbeProgress, type ProbeResult } from "../collect/index.js";
import type { LeftOutFile, Problem } from "../core/model/index.js";
import { configurationTree } from "../core/query/index.js";
import { recoverJournal, withinMemory } from "../files/index.js";
import {
  ChannelServer,
  type CaptureOptions,
  type EngineEvents,
  type EngineRequests,
  type Handlers,
  type OpenedFile,
  type OpenedSource,
  type Port,
  type Reachability,
  type RunDescription,
  type StoreRequests,
} from "../protocol/index.js";
import { probeAndRemember } from "./capture/probing.js";
import { StoreWriter } from "./capture/store-writer.js";
import { fetchStored, findStored, storedDaysOf, storeLabels } from "./stored.js";
import type { Capture } from "./capture/capture.js";
import { startCapture } from "./capture/start.js";
import { dashboardOf, instanceCourseOf, instancesOf, tilesOf } from "./dashboards.js";
import { engineError } from "./engine-error.js";
import { RunLibrary } from "./library.js";
import { Pushes } from "./pushes.js";
import { questions } from "./questions.js";
import { CaptureSubject } from "./subjects/capture.js";
import { openSubject } from "./subjects/open.js";
import { SavedSubject } from "./subjects/saved.js";
import type { Subject, SubjectHost } from "./subjects/subject.js";
import { fileMemory } from "./worker-setup.js";

/** Owns one run, answers for it over a port and tells the view of it. What the run is, its subject knows. */
export class Engine {
  private subject: Subject | undefined;
  /** A run is on its way in. */
  private taking = false;
  private readonly server: ChannelServer<EngineRequests, EngineEvents>;
  private readonly pushes: Pushes;
  private readonly host: SubjectHost;
  private tested: Promise<readonly Reachability[]> = Promise.resolve([]);
  /** Of a capture that also goes to a store. */
  private storeWriter: StoreWriter | undefined;
  private library: RunLibrary | undefined;

  constructor(port: Port) {
    this.server = new ChannelServer<EngineRequests, EngineEvents>(port, this.handlers());
    this.pushes = new Pushes(this.server, () => this.subject);
    this.host = {
      push: () => this.pushes.now(),
      changed: () => this.pushes.changed(),
      notice: (problem) => this.server.emit("notice", problem),
      beside: (work) => void this.pushes.logged(work),
    };
  }

  /** Closes what the run is read from. */
  async dispose(): Promise<void> {
    await this.release();
  }

  private handlers(): Handlers<EngineRequests> {
    return {
      ...questions(() => this.run().answers),
      describe: () => this.describe(),
      configuration: () => configurationTree(this.run().inputConfig),
      findings: (query, signal) => this.run().findings(query, signal),
      clientServer: (_, signal) => this.run().clientServer(signal),
      movesWith: (query, signal) => this.run().movesWith(query, signal),
      addClient: async ({ paths }, signal) => {
        const notices = await this.run().addClient(paths, signal);
        await this.pushes.changed();
        return notices;
      },
      dashboard: (which, signal) => dashboardOf(this.observed(), which, signal),
      instances: (which, signal) => instancesOf(this.observed(), which, signal),
      instanceCourse: (which, signal) => instanceCourseOf(this.observed(), which, signal),
      tiles: (which, signal) => tilesOf(this.observed(), which, signal),
      snapshot: () => this.run().snapshot(),
      adjust: (adjustment) => {
        this.run().adjust(adjustment);
        return this.pushes.changed();
      },
      probe: async ({ endpoints, ...probing }, signal) =>
        reachabilities(await probeAndRemember(endpoints, probing, signal, this.probeProgress("probe"))),
      discover: async ({ ports, ...probing }, signal) =>
        reachabilities(
          await probeAndRemember(discoveryEndpoints(ports), probing, signal, this.probeProgress("discover")),
        ),
      storeLabels,
      storedDays: storedDaysOf,
      findStored,
      fetchStored: (query, signal) => this.take(() => this.fetchStored(query, signal)),
      libraryRuns: ({ folder, leftOut, choice, judging }) => this.runsOf(folder, leftOut).shown(choice, judging),
      libraryColumns: ({ folder, leftOut }) => this.runsOf(folder, leftOut).columns(),
      libraryHistory: ({ folder, leftOut, choice }) => this.runsOf(folder, leftOut).history(choice),
      sweepRuns: ({ folder, leftOut, choice }) => this.runsOf(folder, leftOut).swept(choice),
      noteRuns: ({ folder, leftOut, runs, edit }) => this.runsOf(folder, leftOut).note(runs, edit),
      libraryText: ({ folder, leftOut, choice, format, csvSafe }) =>
        this.runsOf(folder, leftOut).text(choice, format, csvSafe),
      filesOfRuns: ({ folder, leftOut, runs }) => this.runsOf(folder, leftOut).files(runs),
      libraryViews: ({ folder, leftOut }) => this.runsOf(folder, leftOut).views(),
      reportedRuns: ({ folder, leftOut }) => this.runsOf(folder, leftOut).reported(),
      startCapture: (options, signal) => this.take(() => this.start(options, signal)),
      tested: () => this.tested,
      markProfilingStart: async () => {
        await this.capture().markProfilingStart();
        return this.pushes.changed();
      },
      addMark: async ({ label, time }) => {
        await this.capture().addMark(label, time);
        return this.pushes.changed();
      },
      moveJournal: ({ path }) => this.capture().moveJournal(path),
      retryEndpoint: ({ url }) => this.capture().retry(url),
      replaceEndpoint: async ({ url, endpoint }) => {
        this.capture().remove(url);
        await this.capture().add(endpoint);
        return this.pushes.changed();
      },
      removeEndpoint: ({ url }) => {
        this.capture().remove(url);
        return this.pushes.changed();
      },
      stopCapture: (_, signal) => this.stop(signal),
      export: async (options, signal) => {
        const onProgress = (message: string, fraction?: number) => this.work("export", message, fraction);
        const exported = await this.run().export(options, { signal, onProgress });
        this.pushes.now();
        return exported;
      },
      open: (source, signal) => this.take(() => this.open(source, signal)),
      hasGrown: () => (this.subject instanceof SavedSubject ? this.subject.hasGrown() : false),
      follow: ({ on }) => (on ? this.follow() : this.unfollow()),
      recover: (params, signal) => this.take(() => this.recover(params, signal)),
    };
  }

  /** An engine reads the runs of one folder, and begins with the first question. */
  private runsOf(folder: string, leftOut: readonly LeftOutFile[] = []): RunLibrary {
    return (this.library ??= new RunLibrary(folder, leftOut, {
      onReading: (path) => this.server.emit("work", { request: "libraryRuns", message: path }),
      onChange: () => this.server.emit("libraryChanged", {}),
    }));
  }

  private run(): Subject {
    if (this.subject === undefined) throw engineError("no-run", "there is no run to show", "Start a capture.");
    return this.subject;
  }

  private observed() {
    const run = this.run();
    return { answers: run.answers, endpoints: run.header().endpoints };
  }

  private capture(): Capture {
    if (this.subject instanceof CaptureSubject) return this.subject.capture;
    throw engineError("not-capturing", "no capture is running", "Start a capture.");
  }

  private async describe(): Promise<RunDescription> {
    // Tiles that were sent once follow with every push; only the first have to be waited for.
    if (this.subject?.tiles.latest.length === 0) await this.subject.tiles.readIfDue();
    const { answers, tiles } = this.run();
    return { header: this.run().header(), families: answers.families(), tiles: tiles.latest };
  }

  /** An engine takes one run, once. */
  private async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.taking || this.subject !== undefined) throw engineError("busy", "this engine already holds a run");
    this.taking = true;
    try {
      return await work();
    } finally {
      this.taking = false;
    }
  }

  private hold(subject: Subject): void {
    this.subject?.tiles.stop();
    this.subject = subject;
  }

  private async release(): Promise<void> {
    this.storeWriter?.close();
    this.storeWriter = undefined;
    const { subject, library } = this;
    this.pushes.stop();
    this.subject = undefined;
    await Promise.all([subject?.close(), library?.close()]);
  }

  private async start(options: CaptureOptions, signal: AbortSignal) {
    const notices: Problem[] = [];
    const { capture, reachability, tested } = await startCapture(
      options,
      {
        onProbe: this.probeProgress("startCapture"),
        onNotice: (problem, endpointUrl) => {
          // What concerns one endpoint stands beside that endpoint.
          if (endpointUrl === undefined) notices.push(problem);
          this.server.emit("notice", endpointUrl === undefined ? problem : { ...problem, endpointUrl });
        },
      },
      { signal, atFirst: true },
    );
    this.tested = tested;
    this.hold(new CaptureSubject(capture, notices));
    if (options.remoteWrite !== undefined)
      this.storeWriter = new StoreWriter(options.remoteWrite, capture.run, {
        onProblem: (problem) => {
          notices.push(problem);
          this.host.notice(problem);
        },
        onWritten: (written) => capture.noteWritten(written),
      });
    this.storeWriter?.start();
    this.pushes.start();
    return reachability;
  }

  private async stop(signal: AbortSignal): Promise<Problem | null> {
    const capture = this.capture();
    const stopping = capture.stop(signal);
    this.pushes.now();
    await stopping;
    this.pushes.stop();
    // A store that is slow or away holds nobody up.
    if (this.storeWriter !== undefined) this.host.beside(() => this.finishWriting());
    await this.pushes.changed();
    return capture.nothing ?? null;
  }

  private async finishWriting(): Promise<void> {
    const { storeWriter } = this;
    this.storeWriter = undefined;
    await storeWriter?.finish();
    await this.pushes.changed();
  }

  private async open(source: OpenedSource, signal: AbortSignal): Promise<OpenedFile> {
    try {
      const { subject, file } = await openSubject(source, this.host, {
        signal,
        onProgress: (message, fraction) => this.work("open", message, fraction),
        onReading: (reading) => {
          this.hold(reading);
          // What is there is sent at once; its tiles follow, after the first charts.
          this.pushes.now();
          this.pushes.start();
        },
      });
      const shown = this.subject !== undefined;
      this.hold(subject);
      if (shown) {
        this.pushes.stop();
        await this.pushes.changed();
      }
      return file;
    } catch (error) {
      await this.release();
      throw error;
    }
  }

  private async fetchStored(query: StoreRequests["fetchStored"]["params"], signal: AbortSignal) {
    const { run, problems } = await fetchStored(query, signal, (fraction, samples) =>
      this.work("fetchStored", `${samples} samples`, fraction),
    );
    this.hold(new SavedSubject({ run, problems }, this.host));
    return { scrapes: run.store.scrapes, problems };
  }

  private async recover({ journalPath, remoteWrite }: EngineRequests["recover"]["params"], signal: AbortSignal) {
    const { run, problems, written } = await withinMemory(journalPath, { ...fileMemory(), signal }, (within) =>
      recoverJournal(journalPath, within),
    );
    this.hold(new SavedSubject({ run, problems }, this.host));
    if (written !== undefined && remoteWrite !== undefined) {
      this.storeWriter = new StoreWriter(remoteWrite, run, {
        before: written,
        onProblem: (problem) => this.host.notice(problem),
      });
      this.host.beside(() => this.finishWriting());
    }
    return { scrapes: run.store.scrapes, problems };
  }

  private async follow(): Promise<null> {
    if (this.subject === undefined) throw engineError("no-run", "there is no run to show", "Open a file.");
    if (!(await this.subject.follow())) return null;
    this.pushes.start();
    return this.pushes.changed();
  }

  private async unfollow(): Promise<null> {
    if (!(this.subject instanceof SavedSubject && (await this.subject.unfollow()))) return null;
    this.pushes.stop();
    return this.pushes.changed();
  }

  private probeProgress(request: string) {
    return ({ done, total, reachability }: ProbeProgress) =>
      this.work(
        request,
        `${reachability.displayName} ${reachability.reachable ? "answered" : "did not answer"} (${done}/${total})`,
        done / total,
      );
  }

  private work(request: string, message: string, fraction?: number): void {
    this.server.emit("work", { request, message, ...(fraction === undefined ? {} : { fraction }) });
  }
}

function reachabilities({ probes }: { readonly probes: readonly ProbeResult[] }) {
  return probes.map(({ reachability }) => reachability);
}
