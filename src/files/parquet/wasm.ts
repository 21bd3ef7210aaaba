import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type * as parquetWasm from "parquet-wasm/esm";

export type ParquetWasm = typeof parquetWasm;

let loading: Promise<ParquetWasm> | undefined;

/** parquet-wasm, read and compiled (5 MB) when it is first needed. */
export function loadParquetWasm(): Promise<ParquetWasm> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<ParquetWasm> {
  const [wasm, bytes] = await Promise.all([import("parquet-wasm/esm"), readFile(wasmPath())]);
  wasm.initSync({ module: bytes });
  return wasm;
}

/** Beside the bundle; from the package when run from source. */
function wasmPath(): string {
  // A CommonJS bundle has no import.meta.url, a module no __dirname.
  const here = typeof __dirname === "string" ? __dirname : dirname(fileURLToPath(import.meta.url));
  const beside = join(here, "parquet_wasm_bg.wasm");
  return existsSync(beside)
    ? beside
    : createRequire(join(here, "wasm.ts")).resolve("parquet-wasm/esm/parquet_wasm_bg.wasm");
}
