import { realpath } from "node:fs/promises";
import { UserError } from "../../core/text/errors.js";
import { firstRequest, KnownResults, type ComparedRun } from "../../core/compare/index.js";
import type { ClientResult } from "../../core/client/index.js";
import { clientLoad, NS_PER_MS, toOffset, type Problem, type WindowRule } from "../../core/model/index.js";
import { StoredRun } from "../../core/query/index.js";
import type { Run } from "../../core/store/index.js";
import { loadBegun, measureBy } from "../../core/window/index.js";
import { openArtifact, openGrowing, type GrowingRun } from "../../files/open/index.js";
import type {
  ComparedSource,
  ComparisonSettings,
  ComparisonState,
  RunAnchors,
  RunId,
} from "../../protocol/comparison.js";
import { describeError, type DescribedError, type OpenedFile, type RunHeader } from "../../protocol/index.js";
import { runAnswers, type Answers } from "../answers.js";
import { savedHeader, storedHeader } from "../header.js";
import { LargeFile } from "../subjects/large-file.js";
import { fileMemory } from "../worker-setup.js";

/** What a source turned out to hold. */
type Content = {
  readonly clients: readonly ClientResult[] | undefined;
  readonly problems: readonly Problem[];
} & (
  | {
      readonly kind: "samples";
      readonly run: Run;
      /** Its file's own. */
      readonly rule: WindowRule;
      /** Absent of a live one. */
      readonly file?: OpenedFile;
    }
  | { readonly kind: "statistics"; readonly stored: StoredRun; readonly file: OpenedFile }
);

type State =
  | { readonly kind: "reading"; readonly fraction: number }
  | { readonly kind: "ready"; readonly content: Content; readonly answers: Answers }
  | { readonly kind: "failed"; readonly error: DescribedError };

/** One of the compared runs, from its file to what views ask of it. Reading begins with `read`. */
export class SourceRun {
  state: State = { kind: "reading", fraction: 0 };
  /** Why it cannot be compared with the baseline, although it could be read. */
  incomparable: DescribedError | undefined;
  /** Of its file, links followed; known once it is being read. */
  realPath: string | undefined;
  private readonly controller = new AbortController();
  /** Its file, until all of it has been read; undefined for one that is not large. */
  private large: Promise<LargeFile | undefined> | undefined;
  /** Its first families, until all of it has been read. */
  private beginning: Run | undefined;
  private readonly known = new KnownResults();
  private growing: GrowingRun | undefined;
  private rule: NonNullable<ComparisonSettings["window"]> = "recorded";
  private description: { readonly header: RunHeader; readonly anchors: RunAnchors } | undefined;

  /** @param id stays when another file of the same run takes this one's place */
  constructor(
    readonly id: RunId,
    public source: ComparedSource,
  ) {}

  /** Its file may still be appended to. */
  get live(): boolean {
    return this.growing !== undefined;
  }

  /** As asked for, else as the run calls itself. */
  get label(): string | undefined {
    return this.source.label ?? (this.state.kind === "ready" ? this.described().header.label : undefined);
  }

  /** Start of profiling, milliseconds since the epoch; Infinity when it is not known. */
  get beganMs(): number {
    const begun = this.beginning === undefined ? undefined : anchorsOf(this.beginning);
    const { originMs = 0, profilingStart = 0 } = this.state.kind === "ready" ? this.described().anchors : (begun ?? {});
    return originMs > 0 ? originMs + profilingStart / NS_PER_MS : Infinity;
  }

  /**
   * Reads the families of a first table, of a file that takes long to be read whole. Never rejects: what is wrong with
   * a file is found by `read`.
   * @param rows from which on it takes long
   */
  async readFirst(rows: number): Promise<void> {
    const { path, live, within } = this.source;
    if (live === true || within !== undefined || this.state.kind !== "reading") return;
    this.large = LargeFile.open(path, rows);
    this.beginning = await this.large.then((file) => file?.first(this.controller.signal)).catch(() => undefined);
  }

  /** @param isTaken whether another run is of the same file. Settles when read, failed or let go, and never rejects. */
  async read(isTaken: (realPath: string) => boolean, onProgress: () => void): Promise<void> {
    const { path } = this.source;
    const { signal } = this.controller;
    try {
      const real = await realpath(path).catch(() => path);
      if (isTaken(real))
        throw new UserError(`${path} is given twice: a run cannot be compared with itself.`, "Choose another run.", {
          code: "same-file",
        });
      this.realPath = real;
      const content = await this.open(signal, (fraction) => {
        this.state = { kind: "reading", fraction };
        onProgress();
      });
      this.state = {
        kind: "ready",
        content,
        answers: runAnswers(content.kind === "samples" ? content.run : content.stored),
      };
      this.described();
    } catch (error) {
      this.state = { kind: "failed", error: describeError(error) };
    } finally {
      this.forgetBeginning();
    }
  }

  private forgetBeginning(): void {
    this.beginning = undefined;
    void this.large?.then((file) => file?.close()).catch(() => undefined);
    this.large = undefined;
  }

  /** Stops reading. */
  release(): void {
    this.controller.abort();
    this.forgetBeginning();
    this.growing = undefined;
  }

  /**
   * Reads what was appended since, of a live source. @returns whether there is more to compare. Never rejects: a file
   * that is gone ends it.
   */
  async readMore(): Promise<boolean> {
    const { growing } = this;
    if (growing === undefined) return false;
    try {
      const { grown } = (await growing.hasGrown())
        ? await growing.readMore({ signal: this.controller.signal })
        : { grown: false };
      // The end of profiling comes before the final scrapes.
      const over = growing.run.profilingEnd !== undefined && !grown;
      if (grown) this.followLoad(growing.run);
      if (grown || over) this.description = undefined;
      if (over) this.stopFollowing();
      return grown || over;
    } catch {
      // Written into artifacts, the journal is deleted. What has been read stays.
      this.stopFollowing();
      return true;
    }
  }

  /** Measures it by another rule than its file's own, where it has the samples for it. */
  measureBy(rule: ComparisonSettings["window"] = "recorded"): void {
    this.rule = rule;
    this.description = undefined;
    if (this.growing !== undefined) this.followLoad(this.growing.run);
    else if (this.state.kind === "ready" && this.state.content.kind === "samples") {
      const { run, rule: recorded, clients = [] } = this.state.content;
      measureBy(run, rule === "recorded" ? recorded : rule, { clients });
    }
  }

  /** A live source is measured from its load on, as its capture's own view is. */
  private followLoad(run: Run): void {
    run.measureFrom(this.rule === "all" ? undefined : loadBegun(run));
  }

  /** For `compareRuns`. */
  compared(label: string): ComparedRun | undefined {
    if (this.state.kind !== "ready") return undefined;
    const { content } = this.state;
    const asked = { label, clientLoad: clientLoad(content.clients ?? []) };
    return content.kind === "samples"
      ? { kind: "samples", ...asked, run: content.run, ...(this.live ? { live: true } : { known: this.known }) }
      : { kind: "statistics", ...asked, statistics: content.stored.statistics };
  }

  /** Its first families, while the rest is still to be read. */
  comparedFirst(label: string): ComparedRun | undefined {
    return this.beginning === undefined ? undefined : { kind: "samples", label, run: this.beginning };
  }

  /** Of a run that is ready. */
  described(): { readonly header: RunHeader; readonly anchors: RunAnchors } {
    if (this.state.kind !== "ready") throw new Error("only a run that has been read can be described");
    return (this.description ??= describe(this.state.content, this.live));
  }

  private stopFollowing(): void {
    this.growing = undefined;
    this.description = undefined;
    const { live: _, ...rest } = this.source;
    this.source = rest;
  }

  private async open(signal: AbortSignal, onProgress: (fraction: number) => void): Promise<Content> {
    const { path, live, within } = this.source;
    if (live === true) {
      this.growing = await openGrowing(path, { ...fileMemory(), signal, onProgress });
      const { run } = this.growing;
      this.followLoad(run);
      return { kind: "samples", run, rule: run.windowRule, clients: undefined, problems: [] };
    }
    const reach = within === undefined ? {} : { within };
    const options = { ...fileMemory(), ...reach, signal, onProgress };
    const large = await this.large?.catch(() => undefined);
    const opened = (await large?.openWhole(options)) ?? (await openArtifact(path, options));
    const { format, bytes, siblings, notices: problems } = opened;
    if (opened.kind === "snapshot")
      throw new UserError(
        `${path} is a single scrape: a comparison needs several scrapes.`,
        "Choose a capture of several scrapes.",
        { code: "single-scrape" },
      );
    const about = { clients: opened.clients, file: { path, format, bytes, siblings }, problems };
    return opened.kind === "samples"
      ? { ...about, kind: "samples", run: opened.run, rule: opened.run.windowRule }
      : { ...about, kind: "statistics", stored: new StoredRun(opened.statistics) };
  }
}

function describe(content: Content, live: boolean): { readonly header: RunHeader; readonly anchors: RunAnchors } {
  if (content.kind === "statistics") {
    const header = storedHeader(content.stored, content.problems, content.file);
    return { header, anchors: { profilingStart: header.profilingStart, originMs: header.originMs } };
  }
  const { run } = content;
  const saved = savedHeader(run, content.problems, content.file);
  const header: RunHeader = live ? { ...saved, state: "capturing", adjustable: false } : saved;
  return { header, anchors: anchorsOf(run) };
}

function anchorsOf(run: Run): RunAnchors {
  const first = firstRequest(run);
  return {
    profilingStart: toOffset(run.measuredFrom, run.store.origin),
    ...(first === undefined ? {} : { firstRequest: first }),
    originMs: Number(run.store.origin) / NS_PER_MS,
  };
}

/** How far a run is, for the view. */
export function statusOf(run: SourceRun): ComparisonState["runs"][number]["state"] {
  if (run.incomparable !== undefined) return { kind: "failed", error: run.incomparable };
  return run.state.kind === "ready" ? { kind: "ready", ...run.described() } : run.state;
}
