/**
 * `npm run bench [-- --quick]` prints the table of test/bench/table. `npm run bench -- <name> [args]` bundles
 * test/bench/<name>.bench.ts like the host's code and runs it in a process of its own; `all` runs every one, `list`
 * lists them.
 */
import { readdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as esbuild from "esbuild";
import { bundles, copyRuntimeFiles, nodeOptions } from "../../esbuild.mjs";
import { root, run } from "../workbench/project.mjs";

const SUFFIX = ".bench.ts";
const directory = path.dirname(fileURLToPath(import.meta.url));
const out = path.join(root, "out/bench");

/**
 * @param {string} name
 * @param {readonly string[]} args
 */
async function bench(name, args) {
  const bundle = path.join(out, `${name}.js`);
  await esbuild.build({
    ...nodeOptions,
    stdin: {
      contents: `import { run } from ${JSON.stringify(`./${name}${SUFFIX}`)};\nrun(process.argv.slice(2)).catch((error) => { console.error(error); process.exitCode = 1; });`,
      resolveDir: directory,
      sourcefile: `${name}-main.ts`,
    },
    // Native programs, or what looks for files beside itself.
    external: [...(nodeOptions.external ?? []), "@duckdb/node-api", "esbuild", "playwright-core"],
    // A CommonJS bundle has none of its own: helpers find their files by these.
    define: {
      "import.meta.url": JSON.stringify(pathToFileURL(path.join(root, "test/support/bundle.mjs")).href),
      "import.meta.dirname": JSON.stringify(path.join(root, "test/support/view-harness")),
    },
    // Beside it: within, the map would lie in the memory of each process that measures.
    sourcemap: true,
    outfile: bundle,
  });
  await run(process.execPath, ["--expose-gc", "--enable-source-maps", bundle, ...args]);
}

const benches = (await readdir(directory))
  .filter((file) => file.endsWith(SUFFIX))
  .map((file) => file.slice(0, -SUFFIX.length))
  .sort();
const given = process.argv.slice(2);
const [name = "", ...args] = given[0] === undefined || given[0].startsWith("--") ? ["table", ...given] : given;
try {
  if (name === "list") {
    console.log(`npm run bench -- <name> [args], with one of: ${[...benches, "all"].join(", ")}`);
  } else if (name !== "all" && !benches.includes(name)) {
    throw new Error(`there is no test/bench/${name}${SUFFIX}; there are ${[...benches, "all", "list"].join(", ")}`);
  } else {
    await copyRuntimeFiles(out);
    for (const worker of ["export", "engine", "comparison"])
      await esbuild.build({ ...bundles(true)[worker], outdir: out });
    for (const each of name === "all" ? benches : [name]) {
      console.log(`── ${each}`);
      await bench(each, args);
    }
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
