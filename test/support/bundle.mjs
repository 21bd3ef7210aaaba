/** Bundles a script of the tests like the host's code and runs it in a process of its own. */
import path from "node:path";
import { pathToFileURL } from "node:url";
import * as esbuild from "esbuild";
import { copyRuntimeFiles, nodeOptions } from "../../esbuild.mjs";
import { root, run } from "../workbench/project.mjs";

/**
 * @param {string} script which exports `run(args)`, relative to the project
 * @param {readonly string[]} args
 */
export async function runScript(script, args) {
  const name = script.replace(/\.ts$/, "").replaceAll("/", "-");
  const out = path.join(root, "out", name);
  await copyRuntimeFiles(out);
  const outfile = path.join(out, `${name}.cjs`);
  await esbuild.build({
    ...nodeOptions,
    stdin: {
      contents: `import { run } from ${JSON.stringify(path.join(root, script))};\nrun(process.argv.slice(2)).catch((error) => { console.error(error); process.exitCode = 1; });`,
      resolveDir: root,
      sourcefile: `${name}-main.ts`,
    },
    // A CommonJS bundle has none of its own.
    define: { "import.meta.url": JSON.stringify(pathToFileURL(path.join(root, "test/support/bundle.mjs")).href) },
    sourcemap: "inline",
    outfile,
  });
  await run(process.execPath, ["--enable-source-maps", outfile, ...args]);
}
