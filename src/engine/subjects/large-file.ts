import { fileMemory } from "../worker-setup.js";
import { stat } from "node:fs/promises";
import { firstFamilies } from "../../core/compare/index.js";
import type { Run } from "../../core/store/index.js";
import {
  detectFileFormat,
  openAllOf,
  ParquetArtifact,
  type OpenedArtifact,
  type OpenOptions,
} from "../../files/open/index.js";

/** Files of so many rows take seconds to read: a table of their key metrics comes first. */
export const LARGE_ROWS = 2_000_000;

/** A Parquet file that takes a while to be read whole, and of which some families can be read before. */
export class LargeFile {
  private constructor(
    private readonly artifact: ParquetArtifact,
    private readonly stamp: string,
  ) {}

  /** @returns undefined for a file of another format, or of fewer rows. @throws UserError */
  static async open(path: string, rows: number): Promise<LargeFile | undefined> {
    if ((await detectFileFormat(path)).format !== "parquet") return undefined;
    const stamp = await fileStamp(path);
    const artifact = await ParquetArtifact.open(path, fileMemory());
    if (artifact.rows >= rows) return new LargeFile(artifact, stamp);
    await artifact.close();
    return undefined;
  }

  /**
   * The families of a first table, without the buckets of their histograms: averages and rates are there in a third of
   * the time that those take.
   * @returns undefined when they are all families. @throws UserError; the signal's reason
   */
  async first(signal: AbortSignal): Promise<Run | undefined> {
    const families = (await this.artifact.families(signal)).map(({ name }) => name);
    const first = firstFamilies(families);
    return first.length < families.length ? this.artifact.loadFamilies(first, { signal }, "totals") : undefined;
  }

  /**
   * All of it. The footer is not read again: that of an hour's file takes 50 ms.
   * @returns undefined where another file has taken its place. @throws UserError; the signal's reason
   */
  async openWhole(options: OpenOptions): Promise<OpenedArtifact | undefined> {
    const stamp = await fileStamp(this.artifact.path).catch(() => undefined);
    return stamp === this.stamp ? openAllOf(this.artifact, options) : undefined;
  }

  async close(): Promise<void> {
    await this.artifact.close();
  }
}

/** Changes when another file takes the place of one, or one is written to. */
async function fileStamp(path: string): Promise<string> {
  const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true });
  return [dev, ino, size, mtimeNs].join(" ");
}
