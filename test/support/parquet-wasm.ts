import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

/** Another program's reader and writer of Parquet, to compare ours with. */
export async function loadParquetWasm() {
  const path = createRequire(join(process.cwd(), "package.json")).resolve("parquet-wasm/esm/parquet_wasm_bg.wasm");
  const [wasm, module] = await Promise.all([import("parquet-wasm/esm"), readFile(path)]);
  wasm.initSync({ module });
  return wasm;
}
