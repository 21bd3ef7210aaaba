import { resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { runInsights, type Insights } from "../../core/insights/index.js";
import { type Problem, warningOf } from "../../core/model/index.js";
import { engineReader, enginesOf, type EngineFigure, type EngineGroup, type Over } from "../../core/query/index.js";
import { errorText } from "../../core/text/index.js";
import { runSteps, type Capture } from "../../engine/index.js";
import { exportArtifacts, runFolderName, withIdleParts, writeSummary } from "../../files/index.js";
import type { EndpointReport } from "../../collect/index.js";
import { DEFAULT_FORMATS } from "../options/output.js";

export interface EngineRow extends EngineGroup {
  /** As last read. */
  readonly figures: readonly EngineFigure[];
}

/** What is looked at: nothing else is read. */
export interface Look {
  readonly isShown: (engine: EngineGroup) => boolean;
  readonly over: Over | "both";
}

/** What is seen of the servers at a moment. */
export interface Seen {
  readonly rows: readonly EngineRow[];
  readonly endpoints: readonly EndpointReport[];
  readonly insights: Insights | undefined;
  readonly elapsedSeconds: number;
  /** Since when the load is measured; undefined where none has begun. */
  readonly loadSeconds: number | undefined;
}

/** The time between two readings. */
const READ_MS = 1000;
/** The share of one core that readings may take: those of a large fleet come less often. */
const SHARE = 0.3;
/** The time between two engines of a reading that are shown: a large fleet's come one by one. */
const PART_MS = 250;
/** Findings are about the whole run, and change slowly. */
const FINDINGS_MS = 5000;

/** A capture that is looked at: nothing of it is on disk until it is kept. */
export class TopSession {
  private rows: readonly EngineRow[] = [];
  private series = -1;
  private look: Look = { isShown: () => true, over: "now" };
  private hurry: () => void = () => undefined;
  private insights: Insights | undefined;
  private findingsDueMs = performance.now() + FINDINGS_MS;
  private readonly controller = new AbortController();
  private readonly over: Promise<void>;

  /** Called after each reading. */
  onChange: () => void = () => undefined;

  constructor(
    private readonly capture: Capture,
    private readonly label: string | undefined,
    private readonly onProblem: (problem: Problem) => void,
  ) {
    this.over = this.follow();
  }

  /** Reads this from now on, at once. */
  lookAt(look: Look): void {
    this.look = look;
    this.hurry();
  }

  get seen(): Seen {
    const { capture, rows, insights } = this;
    const { loadStart, run } = capture;
    return {
      ...{ rows, insights, endpoints: capture.endpoints(), elapsedSeconds: capture.elapsedSeconds },
      loadSeconds: loadStart === undefined ? undefined : Number(loadStart - run.store.origin) / 1e9,
    };
  }

  private async follow(): Promise<void> {
    const { signal } = this.controller;
    while (!signal.aborted) {
      const begun = performance.now();
      const next = new AbortController();
      this.hurry = () => next.abort();
      await this.read(AbortSignal.any([signal, next.signal])).catch((error: unknown) => {
        if (!signal.aborted && !next.signal.aborted)
          this.onProblem(warningOf(`The servers could not be read: ${errorText(error)}`));
      });
      if (signal.aborted) return;
      this.onChange();
      const took = performance.now() - begun;
      const until = AbortSignal.any([signal, next.signal]);
      await wait(Math.max(READ_MS - took, took / SHARE), undefined, { signal: until }).catch(() => undefined);
    }
  }

  private async read(signal: AbortSignal): Promise<void> {
    const { run } = this.capture;
    this.capture.followLoad();
    if (run.store.seriesCount !== this.series) {
      this.series = run.store.seriesCount;
      const before = new Map(this.rows.map((row) => [keyOf(row), row.figures]));
      this.rows = enginesOf(run).map((group) => ({ ...group, figures: before.get(keyOf(group)) ?? [] }));
    }
    const readEngine = engineReader(run);
    let shown = performance.now();
    for (const [i, row] of this.rows.entries()) {
      if (!this.look.isShown(row)) continue;
      const figures = await runSteps(readEngine(row, this.look.over), signal);
      this.rows = this.rows.with(i, { ...row, figures });
      if (performance.now() - shown < PART_MS) continue;
      shown = performance.now();
      this.onChange();
    }
    if (performance.now() < this.findingsDueMs) return;
    const begun = performance.now();
    this.insights = await runSteps(runInsights({ kind: "samples", run }), signal);
    const now = performance.now();
    this.findingsDueMs = now + Math.max(FINDINGS_MS, (now - begun) / SHARE);
  }

  /** @throws UserError when no capture is running */
  mark(label: string): Promise<void> {
    return this.capture.addMark(label);
  }

  /** Writes what was seen so far as a run in a folder of its own, and goes on. @throws UserError */
  async keep(): Promise<string> {
    const { run } = this.capture;
    const directory = resolve("artifacts", "server-metrics", runFolderName(new Date(), this.label));
    const files = await exportArtifacts(run, {
      directory,
      formats: withIdleParts(run, DEFAULT_FORMATS),
      csvSafe: false,
      verify: true,
      keepExisting: true,
    });
    const summary = await writeSummary(run, { directory, files });
    if ("problem" in summary) this.onProblem(summary.problem);
    return directory;
  }

  /** Settles once nothing is scraped or read. */
  async stop(): Promise<void> {
    this.controller.abort();
    await this.over;
    await this.capture.abandon();
  }
}

function keyOf({ endpointUrls, engine }: EngineGroup): string {
  return JSON.stringify([endpointUrls, engine]);
}
