/** `npm run catalog -- diff FILE…` bundles test/catalog/diff.ts like the host's code and runs it. */
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as esbuild from "esbuild";
import { nodeOptions } from "../../esbuild.mjs";
import { root } from "../workbench/project.mjs";

const directory = path.dirname(fileURLToPath(import.meta.url));
const bundle = path.join(root, "out/catalog/diff.cjs");
await esbuild.build({ ...nodeOptions, entryPoints: [path.join(directory, "diff.ts")], outfile: bundle });
const { default: catalog } = await import(pathToFileURL(bundle).href);
try {
  await catalog.run(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
