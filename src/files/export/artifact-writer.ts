import { hostname } from "node:os";
import {
  csvRowCount,
  csvText,
  jsonlText,
  openMetrics,
  phasePlaces,
  phaseStatisticsText,
  type ArtifactFormat,
  type Compression,
} from "../../core/artifacts/index.js";
import { familyUnit } from "../../core/catalog/index.js";
import type { EpochNs } from "../../core/model/index.js";
import { phaseStatistics, runPhases } from "../../core/window/index.js";
import type { Run } from "../../core/store/index.js";
import { writePieces } from "./output-file.js";
import { writePacked } from "../packed.js";
import { writeParquet } from "../parquet/write.js";
import { statisticsPass, type PassOutcome, type PassPlan, type UnitHelper } from "./statistics-pass.js";
import { runInBackground } from "../background.js";
import { verifyFile } from "./verify.js";
import { VERSION } from "../version.js";

export interface ExportContext {
  readonly signal?: AbortSignal;
  readonly onProgress?: (message: string, fraction?: number) => void;
}

/** What all formats of an export have in common, as plain data. */
export interface ExportPlan extends PassPlan {
  /** How many of the run's scrapes there were when the export began. */
  readonly scrapes: number;
  /** Of a part of the run, phases would say more than the files beside them. */
  readonly isWholeRun: boolean;
  readonly exportTime: EpochNs;
  readonly compression: Compression | undefined;
}

/** A file of an export that is to be written, or read back to see whether it is what it should be. */
export type FormatTask =
  | { readonly kind: "write" | "check"; readonly format: ArtifactFormat; readonly path: string }
  /** The statistics of a phase, by its index among the run's. */
  | { readonly kind: "phase"; readonly index: number; readonly path: string };

/** Writes and checks artifacts, here or on a thread of its own. */
export interface FormatWriter {
  /** @throws what the file system, the compression, the statistics or the check throw; the signal's reason */
  work(task: FormatTask): Promise<void>;
}

/** How long the statistics of a phase may hold the event loop at a time. */
const HOLD_MS = 15;

/** Writes a run's artifacts; what several of them need is computed once. */
export class ArtifactWriter implements FormatWriter {
  /** Another thread that computes a part of the statistics. */
  helper: UnitHelper | undefined;
  private passed: PassOutcome | undefined;
  private parquetRows = 0;

  constructor(
    private readonly run: Run,
    private readonly plan: ExportPlan,
    private readonly context: ExportContext,
  ) {}

  async work(task: FormatTask): Promise<void> {
    switch (task.kind) {
      case "write":
        return this.packed(task.path, (unpacked) => this.writeFormat(task.format, unpacked));
      case "check":
        return this.check(task.format, task.path);
      case "phase":
        return this.writePhase(task.index, task.path);
    }
  }

  private packed(path: string, write: (unpacked: string) => Promise<void>): Promise<void> {
    return writePacked(path, this.plan.compression, write, this.context.signal);
  }

  private async check(format: ArtifactFormat, path: string): Promise<void> {
    const { run, passed, parquetRows } = this;
    const { scrapes } = this.plan;
    const [series, csvRows] = [passed?.series ?? 0, csvRowCount(passed?.csv ?? [])];
    await verifyFile(format, path, { run, series, csvRows, parquetRows, scrapes });
  }

  private async writePhase(index: number, path: string): Promise<void> {
    const { run } = this;
    const { sliceSeconds } = this.plan;
    const { signal } = this.context;
    const phases = runPhases(run);
    const [phase, place] = [phases[index], phasePlaces(phases)[index]];
    if (phase === undefined || place === undefined) throw new RangeError(`no phase ${index} among ${phases.length}`);
    const statistics = await runInBackground(
      phaseStatistics(run, phase, { sliceSeconds, order: "seen", unitOf: familyUnit }),
      {
        holdMs: HOLD_MS,
        check: () => signal?.throwIfAborted(),
      },
    );
    const text = phaseStatisticsText(place, statistics);
    await this.packed(path, (unpacked) => writePieces(unpacked, [text], signal));
  }

  private async writeFormat(format: ArtifactFormat, path: string): Promise<void> {
    const { run } = this;
    const { signal } = this.context;
    const { window, sliceSeconds: sliceDurationSeconds, scrapes, isWholeRun, exportTime, csvSafe } = this.plan;
    const about = { version: VERSION };
    switch (format) {
      case "json":
        return writePieces(path, this.pass(true), signal);
      case "csv":
        // Its rows come of the same pass as JSON, if that could be written.
        if (this.passed === undefined) for await (const _ of this.pass(false));
        return writePieces(path, csvText(run.metadata, this.passed?.csv ?? [], about, csvSafe), signal);
      case "jsonl":
        return writePieces(path, jsonlText(run, scrapes), signal);
      case "openmetrics":
        return writePieces(path, openMetrics(run, isWholeRun ? undefined : window), signal);
      case "parquet": {
        const parquet = { window, sliceDurationSeconds, exporter: about, exportTime, hostname: hostname() };
        this.parquetRows = await writeParquet(path, run, parquet, signal === undefined ? {} : { signal });
      }
    }
  }

  private async *pass(json: boolean): AsyncGenerator<string | Uint8Array> {
    const { signal, onProgress } = this.context;
    this.passed = yield* statisticsPass(this.run, this.plan, {
      json,
      helper: () => this.helper,
      onShare: (share) => onProgress?.("Computing statistics", share),
      signal,
    });
  }
}
