import { fileMemory } from "./worker-memory.js";
import { stat } from "node:fs/promises";
import { firstFamilies, type PartialContent } from "../core/compare/index.js";
import type { Run } from "../core/store/index.js";
import { detectFormat, ParquetArtifact } from "../files/open/index.js";

/** Files of so many rows take seconds to read: a table of their key metrics comes first. */
export const LARGE_ROWS = 2_000_000;

/** A Parquet file that takes a while to be read whole, and of which some families can be read before. */
export class LargeFile {
  private constructor(private readonly artifact: ParquetArtifact) {}

  /** @returns undefined for a file of another format, or of fewer rows. @throws FileError */
  static async open(path: string, rows: number): Promise<LargeFile | undefined> {
    if ((await detectFormat(path)).format !== "parquet") return undefined;
    const artifact = await ParquetArtifact.open(path, fileMemory().memoryMiB);
    if (artifact.rows >= rows) return new LargeFile(artifact);
    await artifact.close();
    return undefined;
  }

  /**
   * The families of a first table. Their averages and rates are there in a third of the time that the buckets of their
   * histograms take.
   * @returns undefined when they are all families. @throws FileError; the signal's reason
   */
  async first(content: PartialContent, signal: AbortSignal): Promise<Run | undefined> {
    const families = (await this.artifact.families(signal)).map(({ name }) => name);
    const first = firstFamilies(families);
    const parts = content === "averages" ? "totals" : "all";
    return first.length < families.length ? this.artifact.loadFamilies(first, { signal }, parts) : undefined;
  }

  async close(): Promise<void> {
    await this.artifact.close();
  }
}

/** Changes when another file takes the place of one, or one is written to. */
export async function fileStamp(path: string): Promise<string> {
  const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true });
  return [dev, ino, size, mtimeNs].join(" ");
}
