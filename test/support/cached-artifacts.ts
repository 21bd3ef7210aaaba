import { createHash } from "node:crypto";
import { mkdir, readFile, rename, stat } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { writeLargeJsonl, writeLargeParquet } from "./large-artifacts.js";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.resolve(HERE, "../..");
/** What decides what is written. */
const SOURCES = ["large-artifacts.ts", "vllm-exposition.ts"];

export const LARGE_PARQUET_ROWS = 10_000_000;
export const LARGE_JSONL_BYTES = 300e6;

/**
 * A folder with a Parquet file of ten million rows, a JSONL file of 300 MB and one of twenty scrapes, kept from run to
 * run under out/.
 */
export async function largeArtifacts(): Promise<{
  readonly folder: string;
  readonly parquet: string;
  readonly jsonl: string;
  readonly small: string;
}> {
  const hash = createHash("sha256");
  for (const source of SOURCES) hash.update(await readFile(path.join(HERE, source)));
  const folder = path.join(ROOT, "out/large", hash.digest("hex").slice(0, 12));
  await mkdir(folder, { recursive: true });
  const parquet = path.join(folder, "rows_server_metrics.parquet");
  const jsonl = path.join(folder, "lines_server_metrics.jsonl");
  const small = path.join(folder, "few_server_metrics.jsonl");
  await once(small, (file) => writeLargeJsonl(file, 1));
  await once(parquet, (file) => writeLargeParquet(file, LARGE_PARQUET_ROWS));
  await once(jsonl, (file) => writeLargeJsonl(file, LARGE_JSONL_BYTES));
  return { folder, parquet, jsonl, small };
}

async function once(file: string, write: (temporary: string) => Promise<unknown>): Promise<void> {
  if (
    await stat(file).then(
      () => true,
      () => false,
    )
  )
    return;
  await write(`${file}.partial`);
  await rename(`${file}.partial`, file);
}
