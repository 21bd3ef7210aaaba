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
import { writeFileWith, writePieces } from "./output-file.js";
import { writePacked } from "../packed.js";
import { writeParquet } from "../parquet/write.js";
import {
  statisticsPass,
  type PassContext,
  type PassOutcome,
  type PassPlan,
  type UnitHelper,
} from "./statistics-pass.js";
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

/** Writes and checks artifacts, here or on a thread of its own. */
export interface FormatWriter {
  /** @throws what the file system, the compression or the statistics throw; the signal's reason */
  write(format: ArtifactFormat, path: string): Promise<void>;
  /** Reads back what `write` has written. @throws UserError when it is not what it should be */
  check(format: ArtifactFormat, path: string): Promise<void>;
  /** Writes the statistics of a phase. @param index among the run's phases. @throws as `write` */
  writePhase(index: number, path: string): Promise<void>;
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

  async write(format: ArtifactFormat, path: string): Promise<void> {
    const { signal } = this.context;
    await writePacked(path, this.plan.compression, (unpacked) => this.writeFormat(format, unpacked), signal);
  }

  async check(format: ArtifactFormat, path: string): Promise<void> {
    const { run, passed, parquetRows } = this;
    const { scrapes } = this.plan;
    const [series, csvRows] = [passed?.series ?? 0, csvRowCount(passed?.csv ?? [])];
    await verifyFile(format, path, { run, series, csvRows, parquetRows, scrapes });
  }

  async writePhase(index: number, path: string): Promise<void> {
    const { run } = this;
    const { sliceSeconds, compression } = this.plan;
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
    await writePacked(path, compression, (unpacked) => writePieces(unpacked, [text], signal), signal);
  }

  private async writeFormat(format: ArtifactFormat, path: string): Promise<void> {
    const { run } = this;
    const { signal } = this.context;
    const { window, sliceSeconds: sliceDurationSeconds, scrapes, isWholeRun, exportTime, csvSafe } = this.plan;
    const about = { version: VERSION };
    switch (format) {
      case "json":
        return this.writeJson(path);
      case "csv": {
        const { csv } = this.passed ?? (await this.pass(undefined));
        return writePieces(path, csvText(run.metadata, csv, about, csvSafe), signal);
      }
      case "jsonl":
        return writePieces(path, jsonlText(run, scrapes), signal);
      case "openmetrics":
        return writePieces(path, openMetrics(run, isWholeRun ? undefined : window), signal);
      case "parquet": {
        const parquet = { window, sliceDurationSeconds, exporter: about, exportTime, hostname: hostname() };
        this.parquetRows = (await writeParquet(path, run, parquet, signal === undefined ? {} : { signal })).rows;
      }
    }
  }

  /** What the disk refuses of JSON does not take CSV along, whose rows come of the same pass. */
  private async writeJson(path: string): Promise<void> {
    let refused: { readonly error: unknown } | undefined;
    await writeFileWith(path, async (file) => {
      await this.pass(async (piece) => {
        if (refused !== undefined) return;
        try {
          await (typeof piece === "string" ? file.add(piece) : file.bytes(piece));
        } catch (error) {
          if (!this.plan.csv) throw error;
          refused = { error };
        }
      });
      if (refused !== undefined) throw refused.error;
    });
  }

  private async pass(put: PassContext["put"]): Promise<PassOutcome> {
    const { signal, onProgress } = this.context;
    this.passed = await statisticsPass(this.run, this.plan, {
      put,
      helper: () => this.helper,
      onShare: (share) => onProgress?.("Computing statistics", share),
      signal,
    });
    return this.passed;
  }
}
