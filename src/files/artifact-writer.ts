import { hostname } from "node:os";
import {
  jsonlLines,
  openMetrics,
  writeCsv,
  writeJson,
  type ArtifactFormat,
  type Compression,
} from "../core/artifacts/index.js";
import { familyUnit } from "../core/catalog/index.js";
import type { EpochNs, RunStatistics } from "../core/model/index.js";
import { statisticsByPhase } from "../core/phases/index.js";
import type { RunWindow } from "../core/stats/index.js";
import type { Run } from "../core/store/index.js";
import { writeText } from "./atomic.js";
import { writePacked } from "./packed.js";
import { writeParquet } from "./parquet/write.js";
import { inTurns } from "./turns.js";
import { verifyFile } from "./verify.js";
import { VERSION } from "./version.js";

export interface ExportContext {
  readonly signal?: AbortSignal;
  readonly onProgress?: (message: string, fraction?: number) => void;
}

/** What all formats of an export have in common, as plain data. */
export interface ExportPlan {
  readonly window: RunWindow;
  readonly sliceSeconds: number;
  /** How many of the run's scrapes there were when the export began. */
  readonly scrapes: number;
  /** Of a part of the run, phases would say more than the files beside them. */
  readonly whole: boolean;
  readonly exportTime: EpochNs;
  readonly compression: Compression | undefined;
  readonly csvSafe: boolean;
}

/** Writes and checks artifacts, here or on a thread of its own. */
export interface FormatWriter {
  /** @throws what the file system, the compression or the statistics throw; the signal's reason */
  write(format: ArtifactFormat, path: string): Promise<void>;
  /** Reads back what `write` has written. @throws FileError when it is not what it should be */
  check(format: ArtifactFormat, path: string): Promise<void>;
}

/** How long the statistics may hold the event loop at a time. */
const HOLD_MS = 15;

/** Writes a run's artifacts; what several of them need is computed once. */
export class ArtifactWriter implements FormatWriter {
  private computing: Promise<RunStatistics> | undefined;
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
    const { run, parquetRows } = this;
    const { scrapes } = this.plan;
    await verifyFile(format, path, { run, statistics: () => this.statistics(), parquetRows, scrapes });
  }

  private async writeFormat(format: ArtifactFormat, path: string): Promise<void> {
    const { run } = this;
    const { signal } = this.context;
    const { window, sliceSeconds: sliceDurationSeconds, scrapes, whole, exportTime } = this.plan;
    const about = { version: VERSION };
    switch (format) {
      case "json":
        return writeText(path, writeJson(await this.statistics(), about), signal);
      case "csv":
        return writeText(path, writeCsv(await this.statistics(), about, this.plan.csvSafe), signal);
      case "jsonl":
        return writeText(path, withLineEnds(jsonlLines(run, scrapes)), signal);
      case "openmetrics":
        return writeText(path, openMetrics(run, whole ? undefined : window), signal);
      case "parquet": {
        const parquet = { window, sliceDurationSeconds, exporter: about, exportTime, hostname: hostname() };
        this.parquetRows = (await writeParquet(path, run, parquet, signal === undefined ? {} : { signal })).rows;
      }
    }
  }

  /** For JSON and CSV alone: the others do not fail with it. */
  private statistics(): Promise<RunStatistics> {
    const { window, sliceSeconds } = this.plan;
    const { signal, onProgress } = this.context;
    this.computing ??= inTurns(statisticsByPhase(this.run, { window, sliceSeconds, unitOf: familyUnit }), {
      holdMs: HOLD_MS,
      onProgress: (fraction) => onProgress?.("Computing statistics", fraction),
      check: () => signal?.throwIfAborted(),
    });
    return this.computing;
  }
}

function* withLineEnds(lines: Iterable<string>): Iterable<string> {
  for (const line of lines) {
    yield line;
    yield "\n";
  }
}
