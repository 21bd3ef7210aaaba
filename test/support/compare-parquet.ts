import type { DuckDBValue } from "@duckdb/node-api";
import type { Comparison } from "./compare-artifacts.js";
import { query } from "./duckdb.js";
import { different } from "./compare-values.js";

const NUMBERS = ["value", "sum", "count", "bucket_count"];

/**
 * Compares our Parquet with the reference's as sets of rows keyed by all that is no number. Left out are
 * - deviation 7: our rows after `endNs`, where the reference's stopped up to schema 1.0;
 * - deviation 1: the reference's rows of samples that were NaN or infinite, which are gaps in ours.
 */
export async function compareParquet(ours: string, expected: string, endNs?: bigint): Promise<Comparison> {
  const [schema, expectedSchema] = await Promise.all([schemaOf(ours), schemaOf(expected)]);
  const differences: string[] = [];
  if (schema.join() !== expectedSchema.join())
    differences.push(`columns ${schema.join()} instead of ${expectedSchema.join()}`);
  const [actual, wanted] = await Promise.all([
    rowsOf(ours, endNs === undefined ? "" : `where timestamp_ns <= ${endNs}`),
    rowsOf(expected, ""),
  ]);
  for (const [key, row] of wanted) {
    const values = NUMBERS.map((name) => row[name]);
    if (values.some((value) => typeof value === "number" && !Number.isFinite(value))) {
      if (actual.has(key)) differences.push(`a gap has a row: ${key}`);
      continue;
    }
    const found = actual.get(key);
    if (found === undefined) {
      differences.push(`missing row ${key}`);
      continue;
    }
    NUMBERS.forEach((name, i) => {
      if (different(found[name], values[i]))
        differences.push(`${name} of ${key} is ${String(found[name])} instead of ${String(values[i])}`);
    });
  }
  for (const key of actual.keys()) if (!wanted.has(key)) differences.push(`extra row ${key}`);
  return { compared: wanted.size, differences };
}

/** Of the reference's program, of the AIPerf run around it, of the machine or of the moment. */
const OWN_KEYS = [
  "aiperf.version",
  "aiperf.python_version",
  "aiperf.pyarrow_version",
  "aiperf.model_names",
  "aiperf.concurrency",
  "ARROW:schema",
  "aiperf.benchmark_id",
  "aiperf.exporter",
  "aiperf.export_timestamp_utc",
  "aiperf.hostname",
  "aiperf.input_config",
];

/** Compares the key-value metadata that both writers can share; ours may have more. */
export async function compareParquetMetadata(ours: string, expected: string): Promise<Comparison> {
  const [actual, wanted] = await Promise.all([parquetMetadata(ours), parquetMetadata(expected)]);
  const shared = [...wanted].filter(([key]) => !OWN_KEYS.includes(key));
  const differences = shared.flatMap(([key, value]) =>
    actual.get(key) === value ? [] : [`${key} is ${String(actual.get(key))} instead of ${value}`],
  );
  return { compared: shared.length, differences };
}

export async function parquetMetadata(path: string): Promise<ReadonlyMap<string, string>> {
  const rows = await query(`select decode(key) as key, decode(value) as value from parquet_kv_metadata('${path}')`);
  return new Map(rows.map(({ key, value }) => [String(key), String(value)]));
}

async function schemaOf(path: string): Promise<string[]> {
  const rows = await query(`select name, type, converted_type, repetition_type from parquet_schema('${path}')`);
  // The root has the writer's own name.
  return rows.slice(1).map((row) => Object.values(row).map(String).join(" "));
}

async function rowsOf(path: string, condition: string): Promise<Map<string, Record<string, DuckDBValue>>> {
  const rows = new Map<string, Record<string, DuckDBValue>>();
  for (const row of await query(`select * from '${path}' ${condition}`)) {
    const identity = Object.entries(row).filter(([name]) => !NUMBERS.includes(name));
    const key = JSON.stringify(identity.map(([name, value]) => [name, value === null ? null : String(value)]));
    if (rows.has(key)) throw new Error(`${path} has two rows ${key}`);
    rows.set(key, row);
  }
  return rows;
}
