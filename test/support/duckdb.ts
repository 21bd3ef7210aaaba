import { DuckDBInstance, type DuckDBValue } from "@duckdb/node-api";

/** Rows of a query by DuckDB, as objects. Integers of 64 bits come as bigint. */
export async function query(sql: string): Promise<readonly Record<string, DuckDBValue>[]> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjects();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
