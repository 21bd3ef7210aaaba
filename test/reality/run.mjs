/** `npm run reality [-- --only vllm] [--folder DIR]` bundles test/reality/main.ts like the host's code and runs it. */
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as esbuild from "esbuild";
import { nodeOptions } from "../../esbuild.mjs";
import { root, run } from "../workbench/project.mjs";

const directory = path.dirname(fileURLToPath(import.meta.url));
const bundle = path.join(root, "out/reality/main.cjs");
await run(process.execPath, ["esbuild.mjs", "--production"]);
await esbuild.build({ ...nodeOptions, entryPoints: [path.join(directory, "main.ts")], outfile: bundle });
const { default: reality } = await import(pathToFileURL(bundle).href);
try {
  await reality.run(root, process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
