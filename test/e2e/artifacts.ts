import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { runCli } from "../support/cli.js";

/*
 * What a capture has written, read by others than the code that wrote it: JSON.parse, and DuckDB for the Parquet.
 */

export interface JsonArtifact {
  readonly benchmark_id: string;
  readonly metrics: Readonly<Record<string, { readonly type: string; readonly series: readonly JsonSeries[] }>>;
}

export interface JsonSeries {
  readonly labels: Readonly<Record<string, string>> | null;
  readonly stats: Readonly<Record<string, number>>;
  readonly buckets?: Readonly<Record<string, number>>;
  /** Times are rounded, as JSON.parse does with integers beyond 2^53. */
  readonly timeslices?: readonly Readonly<Record<"start_ns" | "end_ns" | "total" | "rate", number>>[];
}

/** The only run folder under the workspace's artifacts. @throws Error when there is none, or several */
export async function onlyRunFolder(workspace: string): Promise<string> {
  const base = path.join(workspace, "artifacts/server-metrics");
  const runs = await readdir(base);
  if (runs.length !== 1) throw new Error(`expected one run in ${base}, found ${runs.join(", ")}`);
  return path.join(base, runs[0]!);
}

export async function readJsonArtifact(file: string): Promise<JsonArtifact> {
  return JSON.parse(await readFile(file, "utf8")) as JsonArtifact;
}

/** The JSON that the command line makes of a file, in a folder of its own. */
export async function exportedJson(file: string, out: string, ...flags: readonly string[]): Promise<JsonArtifact> {
  const { code, stderr } = await runCli(["export", file, "--formats", "json", "--out", out, ...flags]);
  if (code !== 0) throw new Error(stderr);
  return readJsonArtifact(path.join(out, "server_metrics_export.json"));
}

/** Times of the scrapes that a JSONL artifact has as answered, nanoseconds since the epoch. */
export async function answeredScrapes(file: string): Promise<bigint[]> {
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  return lines.flatMap((line) => {
    const scrape = JSON.parse(line) as { endpoint_url: string; error?: unknown };
    if (scrape.endpoint_url === "" || scrape.error !== undefined) return [];
    // JSON.parse would round it.
    return [BigInt(/"timestamp_ns": ?(\d+)/.exec(line)![1]!)];
  });
}

/** Runs a query in a DuckDB of its own; numbers come as JSON has them, integers beyond 2^53 as strings. */
export async function duckdb(sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    const reader = await connection.runAndReadAll(sql);
    return reader.getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
