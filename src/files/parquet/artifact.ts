import { randomUUID } from "node:crypto";
import { UserError } from "../../core/text/errors.js";
import {
  epochNs,
  RATES_FROM_FIRST_INSIDE,
  type EpochNs,
  type Problem,
  type TimeRange,
  warningOf,
  noteOf,
} from "../../core/model/index.js";
import type { Run } from "../../core/store/index.js";
import { readAbout, type ParquetAbout } from "../../core/artifacts/parquet/metadata-read.js";
import { TIME } from "../../core/artifacts/parquet/columns.js";
import { indexFamilies, type IndexedFamily, type ParquetFamily } from "./family-index.js";
import { ParquetFile } from "./file.js";
import {
  labelColumnsOf,
  REQUIRED_COLUMNS,
  RowsReader,
  textAt,
  textOf,
} from "../../core/artifacts/parquet/rows-read.js";
import { originOf, rebuildSteps, type FileWindow } from "../../core/artifacts/parquet/rebuild.js";
import { runInBackground } from "../background.js";
import { schemaNotice } from "../open/notices.js";
import { windowBeside } from "../open/stated-window.js";
import type { OpenOptions } from "../open/types.js";
import { unreadable } from "../failure.js";

/** What else the thread has to do waits so long at the most, while samples go into a run. */
const HOLD_MS = 20;
const HISTOGRAM_COLUMNS = ["sum", "count", "bucket_le", "bucket_count"];
const BUCKET_COLUMNS: ReadonlySet<string> = new Set(["bucket_le", "bucket_count"]);

type ParquetWindow = Omit<FileWindow, "effective">;

/**
 * A Parquet artifact whose rows are read when they are asked for: the footer first, the names of the families then, and
 * of a family only the row groups it is in. Close it when it is not needed any more.
 */
export class ParquetArtifact {
  private index: Promise<ReadonlyMap<string, IndexedFamily>> | undefined;
  private readonly fallbackId = randomUUID();

  private constructor(
    private readonly file: ParquetFile,
    readonly about: ParquetAbout,
    readonly notices: readonly Problem[],
    private readonly columns: readonly string[],
    private window: ParquetWindow | undefined,
  ) {}

  /**
   * @throws UserError for a file that is damaged, is not an artifact, or is of a later major version
   */
  static async open(path: string, options: OpenOptions = {}): Promise<ParquetArtifact> {
    const file = await ParquetFile.open(path, options);
    try {
      const { columns, metadata } = file.content;
      const missing = REQUIRED_COLUMNS.filter((name) => !columns.includes(name));
      if (missing.length > 0)
        throw new UserError(
          `${path} is not a server-metrics Parquet file: it has no column ${missing.join(", ")}, but ${columns.slice(0, 12).join(", ") || "none"}.`,
        );
      const about = naming(path, () => readAbout(metadata));
      const stated = await statedWindow(path, about, options);
      const used = columns.filter(
        (name) =>
          name !== "unit" &&
          (!HISTOGRAM_COLUMNS.includes(name) || HISTOGRAM_COLUMNS.every((other) => columns.includes(other))),
      );
      return new ParquetArtifact(file, about, noticesOf(path, file, about, stated), used, stated ?? ownWindow(about));
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  get path(): string {
    return this.file.path;
  }

  get bytes(): number {
    return this.file.size;
  }

  get rows(): number {
    return this.file.content.rows;
  }

  /** The families of the file, sorted by name. Reads names only, and those only of row groups that hold several. */
  async families(signal?: AbortSignal): Promise<readonly ParquetFamily[]> {
    const index = await this.indexed(signal);
    return [...index.values()].map(({ groups: _, ...family }) => family);
  }

  /**
   * A run that holds one family only, of all endpoints; undefined when the file has none of that name.
   * Its times have the origin of every other run loaded from this file.
   * @param firstId of its series
   */
  async loadFamily(name: string, options: OpenOptions = {}, firstId?: number): Promise<Run | undefined> {
    const run = await this.load(
      (await this.indexed(options.signal)).get(name)?.groups ?? [],
      { ...options, only: (family) => family === name },
      firstId === undefined ? {} : { firstId },
    );
    return run.store.seriesCount === 0 ? undefined : run;
  }

  /** Several families as one run. @param parts "totals": histograms with their sums and counts, and without buckets */
  async loadFamilies(
    names: readonly string[],
    options: OpenOptions = {},
    parts: "all" | "totals" = "all",
  ): Promise<Run> {
    const index = await this.indexed(options.signal);
    const groups = new Set(names.flatMap((name) => index.get(name)?.groups ?? []));
    const wanted = new Set(names);
    return this.load(
      [...groups].sort((a, b) => a - b),
      { ...options, only: (family) => wanted.has(family) },
      parts === "all" ? {} : { columns: this.columns.filter((name) => !BUCKET_COLUMNS.has(name)) },
    );
  }

  /** The whole file, or the families of it that the options name, without a look at what others there are. */
  async loadAll(options: OpenOptions = {}): Promise<Run> {
    return this.load(
      this.file.groups.flatMap((group, i) => {
        const family = this.file.onlyText(group, "metric_name");
        return family !== undefined && options.only?.(family) === false ? [] : [i];
      }),
      options,
    );
  }

  async close(): Promise<void> {
    await this.file.close();
  }

  /** A run without samples: what the file says of itself. @param firstId of the series that are added to it */
  async frame(signal?: AbortSignal, firstId = 0): Promise<Run> {
    return this.load([], signal === undefined ? {} : { signal }, { firstId });
  }

  /** Time of the last sample, as far as the file tells without being read. */
  async end(signal?: AbortSignal): Promise<EpochNs> {
    const latest = this.file.latestTime();
    return latest === undefined ? (await this.span(signal)).end : epochNs(latest);
  }

  private async load(
    groups: readonly number[],
    { signal, onProgress, only }: OpenOptions,
    { columns = this.columns, firstId }: { readonly columns?: readonly string[]; readonly firstId?: number } = {},
  ): Promise<Run> {
    const window = await this.span(signal);
    const reader = new RowsReader(labelColumnsOf(this.columns), this.about.urls);
    const total = groups.reduce((sum, group) => sum + (this.file.groups[group]?.rows ?? 0), 0);
    let done = 0;
    for await (const rows of this.file.read(groups, columns, signal, originOf(this.about, window))) {
      naming(this.path, () => reader.add(rows, only));
      done += rows.rows;
      onProgress?.(done / total);
    }
    const all = { ...window, effective: (this.file.latestTime() ?? 0n) > window.end };
    return runInBackground(rebuildSteps(reader.series, this.about, all, this.fallbackId, firstId), {
      holdMs: HOLD_MS,
      check: () => signal?.throwIfAborted(),
    });
  }

  /** When each endpoint was scraped, by its URL. */
  async scrapeTimes(signal?: AbortSignal): Promise<ReadonlyMap<string, ReadonlySet<EpochNs>>> {
    const found = new Map<string, Set<EpochNs>>();
    const all = this.file.groups.map((_, i) => i);
    for await (const rows of this.file.read(all, [TIME, "endpoint_url"], signal)) {
      const times = rows.columns.get(TIME);
      if (times?.kind !== "number") continue;
      const urls = textOf(rows, "endpoint_url");
      for (let row = 0; row < rows.rows; row++) {
        const code = times.codes[row] ?? 0;
        const [url, time] = [textAt(urls, row), times.values[code]];
        if (code === 0 || url === undefined || time === undefined) continue;
        const shown = this.about.urls.of(url);
        const own = found.get(shown) ?? new Set();
        found.set(shown, own.add(epochNs(rows.origin + BigInt(time))));
      }
    }
    return found;
  }

  /** The window; of a file that does not tell it, from its first sample to its last. */
  private async span(signal: AbortSignal | undefined): Promise<ParquetWindow> {
    this.window ??= await this.readSpan(signal);
    return this.window;
  }

  private async readSpan(signal: AbortSignal | undefined): Promise<TimeRange> {
    let [start, end, from] = [Infinity, -Infinity, 0n];
    for await (const { origin, columns } of this.file.read([...this.file.groups.keys()], [TIME], signal)) {
      const times = columns.get(TIME);
      if (times?.kind !== "number") continue;
      from = origin;
      for (const time of times.values.subarray(1)) {
        if (time < start) start = time;
        if (time > end) end = time;
      }
    }
    if (end < start) return { start: epochNs(0n), end: epochNs(0n) };
    return { start: epochNs(from + BigInt(start)), end: epochNs(from + BigInt(end)) };
  }

  private indexed(signal: AbortSignal | undefined): Promise<ReadonlyMap<string, IndexedFamily>> {
    const shown = (url: string) => naming(this.path, () => this.about.urls.bounded(url));
    this.index ??= indexFamilies(this.file, this.columns, shown, signal).catch((error: unknown) => {
      this.index = undefined;
      throw error;
    });
    return this.index;
  }
}

/** Says of which file it is what is wrong with its content. @throws UserError */
function naming<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw unreadable(path, "Parquet", error);
  }
}

function ownWindow({ start, end }: ParquetAbout): TimeRange | undefined {
  return start === undefined || end === undefined ? undefined : { start, end };
}

/**
 * AIPerf's newer files have no tags: they begin with scrapes of the warm-up that came after profiling had started, and
 * go on to the last update after the window. The JSON beside them tells where the one and the other ends.
 */
async function statedWindow(
  path: string,
  { references, start, end, benchmarkId }: ParquetAbout,
  options: OpenOptions,
): Promise<ParquetWindow | undefined> {
  if (references !== undefined || start === undefined || end === undefined) return undefined;
  const stated = await windowBeside(
    path,
    (window, id) => id === benchmarkId && window.start === start && window.end <= end,
    options,
  );
  if (stated?.warmupEnd === undefined || stated.warmupEnd >= end) return stated;
  return { ...stated, tagged: { start: epochNs(stated.warmupEnd + 1n), end } };
}

function noticesOf(
  path: string,
  { content: { rows, columns } }: ParquetFile,
  about: ParquetAbout,
  stated: ParquetWindow | undefined,
): readonly Problem[] {
  const notices: Problem[] = [];
  const schema = schemaNotice(path, about.schemaVersion);
  if (schema !== undefined) notices.push(schema);
  if (rows === 0) notices.push(warningOf("The file has no rows: nothing was captured inside its window."));
  if (about.schemaVersion === undefined)
    notices.push(
      warningOf(
        "The file has no metadata: window, configuration and endpoint information are not known; the window is assumed to be that of its samples.",
      ),
    );
  else if (about.references === undefined) {
    notices.push(
      noteOf(
        `The file does not hold the time of the samples before its window: ${RATES_FROM_FIRST_INSIDE}. Endpoint information covers the window only.`,
      ),
    );
    if (stated === undefined)
      notices.push(
        noteOf(
          "The file does not tell which scrapes are the warm-up's: those after the start count as profiling's. With the JSON of its run beside it they do not.",
        ),
      );
  }
  if (about.sliceSeconds === undefined)
    notices.push(noteOf("The file does not say how long its slices are: 5 s is used."));
  if (!columns.includes("bucket_le")) notices.push(noteOf("The file has no bucket columns: histograms are missing."));
  return notices;
}
