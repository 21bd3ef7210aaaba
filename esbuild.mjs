/**
 * Builds everything that ships into dist/: the extension, its workers (engine, comparison, agents, export, demo), the
 * CLI and the webview.
 *
 *   node esbuild.mjs [--production] [--watch] [--metafile]
 *
 * --production minifies and leaves source maps out; --watch rebuilds on change; --metafile writes
 * out/meta/<bundle>.json.
 */
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { billOfMaterials, shippedInputs, shippedPackages, thirdPartyNotices } from "./notices.mjs";

const root = path.dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);

/**
 * node:assert reads and parses the file of a failed assertion that has no message, to quote it: of a bundle of a
 * megabyte on one line that takes seconds, in which nothing is scraped. undici asserts what servers send, so its
 * assertions get a message.
 * @type {esbuild.Plugin}
 */
const quickAssertions = {
  name: "quick-assertions",
  setup(build) {
    build.onResolve({ filter: /^(node:)?assert$/ }, ({ importer }) =>
      /[\\/]node_modules[\\/]undici[\\/]/.test(importer)
        ? { path: "assert", namespace: "quick-assertions" }
        : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: "quick-assertions" }, () => ({
      resolveDir: root,
      contents: `
const assert = require("node:assert");
const ok = (value, message = "an assumption about the answer does not hold") => assert.ok(value, message);
module.exports = Object.assign(ok, assert, { ok });
`,
    }));
  },
};

/** Modules that are imported when they are needed, and their bundles. */
const LOADED_LATER = /** @type {const} */ ([
  ["src/kubernetes/client", "./kubernetes.js"],
  ["src/extension/run-files", "./run-files.js"],
  ["src/cli/top/app", "./top.mjs"],
]);

/**
 * What is large and not needed at the start is a bundle of its own that is loaded at its first use: the Kubernetes
 * client, what the extension itself reads of run files, and the screen of `top`.
 * @type {esbuild.Plugin}
 */
const loadedLater = {
  name: "loaded-later",
  setup(build) {
    for (const [module, bundle] of LOADED_LATER)
      build.onResolve({ filter: new RegExp(`/${path.basename(module)}\\.js$`) }, ({ kind, path: from, resolveDir }) => {
        if (kind !== "dynamic-import") return undefined;
        const file = path.resolve(resolveDir, from).replace(/\.js$/, "");
        return file === path.join(root, module) ? { path: bundle, external: true } : undefined;
      });
  },
};

/**
 * Ink connects to React's developer tools where it is told to, which nobody who watches servers does, and draws nothing
 * before its end where the environment has a `CI`, as that of some terminals has: whether there is a terminal is asked
 * before.
 * @type {esbuild.Plugin}
 */
const inkInTerminal = {
  name: "ink-in-terminal",
  setup(build) {
    for (const [filter, contents] of /** @type {const} */ ([
      [/^\.\/devtools\.js$/, ""],
      [/^is-in-ci$/, "export default false;"],
    ])) {
      build.onResolve({ filter }, ({ path: name }) => ({ path: name, namespace: "ink-in-terminal" }));
      build.onLoad({ filter, namespace: "ink-in-terminal" }, () => ({ contents }));
    }
  },
};

/** What stands in browsers for modules of Node and of ours; of what is named nowhere nothing is there. */
const IN_BROWSER = /** @type {Readonly<Record<string, string>>} */ ({
  "node:path": "path-browserify",
  "node:fs": "./src/web/node/fs.ts",
  "node:fs/promises": "./src/web/node/fs.ts",
  "node:zlib": "./src/web/node/zlib.ts",
  "node:timers/promises": "./src/web/node/timers.ts",
  "node:crypto": "./src/web/node/small.ts",
  "node:os": "./src/web/node/small.ts",
  "node:url": "./src/web/node/small.ts",
  "node:util": "./src/web/node/small.ts",
  "src/extension/file-uri": "./src/web/file-uri.ts",
});

/** What needs Node, and how it is called where a browser is asked for it. */
const DESKTOP_ONLY = /** @type {Readonly<Record<string, string>>} */ ({
  "src/engine/capture/start": "A capture",
  "src/engine/capture/probing": "A capture",
  "src/engine/capture/store-writer": "Remote write",
  "src/engine/stored": "Reading a store",
  "src/engine/library": "The library",
  "src/engine/report/index": "A report",
  "src/collect/index": "A capture",
  "src/files/export/export": "An export",
  "src/files/export/output-file": "An export",
  "src/files/export/summary": "An export",
  "src/files/journal/writer": "A capture",
  "src/files/parquet/wasm": "Parquet with this compression",
  "src/files/sweep": "A sweep",
  "src/extension/capture/export": "An export",
  "src/extension/experiment/new-experiment": "An experiment",
});

/**
 * Bundles for browsers: the same code, with what reads files in place of Node, and refusals in place of what a browser
 * cannot do.
 * @param {Readonly<Record<string, string>>} own modules of this bundle alone
 * @returns {esbuild.Plugin}
 */
const inBrowser = (own) => ({
  name: "in-browser",
  setup(build) {
    const stands = { ...IN_BROWSER, ...own };
    build.onResolve({ filter: /^(node:|\.\.?\/)/ }, ({ path: from, resolveDir, namespace }) => {
      if (namespace === "in-browser") return undefined;
      const name = from.startsWith("node:")
        ? from
        : path.relative(root, path.resolve(resolveDir, from)).replaceAll("\\", "/").replace(/\.js$/, "");
      const isOurs = name in stands || name in DESKTOP_ONLY || name.startsWith("node:");
      return isOurs ? { path: name, namespace: "in-browser" } : undefined;
    });
    build.onLoad({ filter: /.*/, namespace: "in-browser" }, ({ path: name }) => ({
      resolveDir: root,
      contents: `
const own = ${name in stands ? `require(${JSON.stringify(stands[name])})` : "{}"};
module.exports = require("./src/web/desktop-only.ts").partOf(own, ${JSON.stringify(DESKTOP_ONLY[name] ?? "This")});
`,
    }));
  },
});

/**
 * What every bundle that runs in Node shares. The WebAssembly of parquet-wasm is read from beside the bundle on first
 * use, so the `import.meta.url` that its loader falls back on is never evaluated.
 * @type {esbuild.BuildOptions}
 */
export const nodeOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  mainFields: ["module", "main"],
  external: ["vscode"],
  plugins: [quickAssertions, loadedLater],
  logLevel: "warning",
  logOverride: { "empty-import-meta": "silent" },
};

/**
 * What bundles share that run in a browser's workers.
 * @type {esbuild.BuildOptions}
 */
const browserOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: "browser",
  target: "es2022",
  format: "cjs",
  external: ["vscode"],
  inject: ["src/web/node/globals.ts"],
  logLevel: "warning",
  logOverride: { "empty-import-meta": "silent" },
};

/** @type {esbuild.BuildOptions} */
const webviewOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: "browser",
  target: "es2022",
  format: "iife",
  jsx: "automatic",
  jsxImportSource: "preact",
  loader: { ".svg": "dataurl" },
  logLevel: "warning",
};

/**
 * The bundles, by name: dist/<name>.js.
 * @param {boolean} production
 * @returns {Record<string, esbuild.BuildOptions>}
 */
export function bundles(production) {
  const shared = {
    minify: production,
    sourcemap: !production,
    metafile: true,
    define: { "process.env.NODE_ENV": production ? '"production"' : '"development"' },
  };
  return {
    extension: { ...nodeOptions, ...shared, entryPoints: { extension: "src/extension/main.ts" }, outdir: "dist" },
    "run-files": {
      ...nodeOptions,
      ...shared,
      entryPoints: { "run-files": "src/extension/run-files.ts" },
      outdir: "dist",
    },
    engine: { ...nodeOptions, ...shared, entryPoints: { engine: "src/engine/worker.ts" }, outdir: "dist" },
    // Less than half of the engine, none of what captures need: the thread of a comparison loads it.
    comparison: {
      ...nodeOptions,
      ...shared,
      entryPoints: { comparison: "src/engine/comparison/worker.ts" },
      outdir: "dist",
    },
    agents: { ...nodeOptions, ...shared, entryPoints: { agents: "src/agents/worker.ts" }, outdir: "dist" },
    export: { ...nodeOptions, ...shared, entryPoints: { export: "src/files/export/worker.ts" }, outdir: "dist" },
    demo: { ...nodeOptions, ...shared, entryPoints: { demo: "src/extension/demo/worker.ts" }, outdir: "dist" },
    cli: {
      ...nodeOptions,
      ...shared,
      entryPoints: { cli: "src/cli/main.ts" },
      // Used where a user has it.
      external: [...(nodeOptions.external ?? []), "@duckdb/node-api"],
      outdir: "dist",
      banner: { js: "#!/usr/bin/env node" },
    },
    // Its layout engine awaits at the top level, which only a module may.
    top: {
      ...nodeOptions,
      ...shared,
      entryPoints: { top: "src/cli/top/app.tsx" },
      format: "esm",
      outExtension: { ".js": ".mjs" },
      jsx: "automatic",
      plugins: [...(nodeOptions.plugins ?? []), inkInTerminal],
      outdir: "dist",
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    },
    kubernetes: {
      ...nodeOptions,
      ...shared,
      entryPoints: { kubernetes: "src/kubernetes/client.ts" },
      outdir: "dist",
    },
    "web/extension": {
      ...browserOptions,
      ...shared,
      define: { ...shared.define, __dirname: '"/"' },
      entryPoints: { extension: "src/web/main.ts" },
      plugins: [inBrowser({ "node:worker_threads": "./src/web/node/worker-threads.ts" })],
      outdir: "dist/web",
    },
    // Engines and comparisons: a worker takes the part that its name says.
    "web/engine": {
      ...browserOptions,
      ...shared,
      define: { ...shared.define, __dirname: '"/"' },
      entryPoints: { engine: "src/web/worker.ts" },
      plugins: [inBrowser({ "node:worker_threads": "./src/web/node/parent-port.ts" })],
      outdir: "dist/web",
    },
    webview: { ...webviewOptions, ...shared, entryPoints: { webview: "webview-ui/main.tsx" }, outdir: "dist" },
    // What a page needs beside the views where no VS Code is around it.
    report: { ...webviewOptions, ...shared, entryPoints: { report: "webview-ui/report/report.css" }, outdir: "dist" },
  };
}

/** Files that are shipped as they are, each to dist/ under its own name. */
const copied = [require.resolve("parquet-wasm/esm/parquet_wasm_bg.wasm")];

/** @param {string} directory */
export async function copyRuntimeFiles(directory) {
  await mkdir(directory, { recursive: true });
  await Promise.all(copied.map((file) => copyFile(file, path.join(directory, path.basename(file)))));
}

/**
 * What is done after each build of a bundle, in both modes.
 * @param {string} name
 * @param {boolean} keepMetafile
 * @returns {esbuild.Plugin}
 */
function finish(name, keepMetafile) {
  return {
    name: "finish",
    setup(build) {
      build.onStart(() => console.log(`build of ${name} started`));
      build.onEnd(async (result) => {
        if (result.metafile === undefined) return console.log(`build of ${name} failed`);
        if (name === "cli") await chmod(path.join(root, "dist/cli.js"), 0o755);
        if (keepMetafile) {
          await mkdir(path.join(root, "out/meta"), { recursive: true });
          await writeFile(path.join(root, `out/meta/${name}.json`), JSON.stringify(result.metafile));
        }
        const sizes = Object.entries(result.metafile.outputs)
          .filter(([file]) => !file.endsWith(".map"))
          .map(([file, { bytes }]) => `${file} ${Math.ceil(bytes / 1000)} kB`);
        console.log(`build of ${name} finished: ${sizes.join(", ")}`);
      });
    },
  };
}

/** @param {readonly esbuild.BuildResult[]} results of all bundles */
async function writeNotices(results) {
  const inputs = results.flatMap(({ metafile }) => (metafile === undefined ? [] : shippedInputs(metafile)));
  const shipped = copied.map((file) => path.relative(root, file));
  const packages = await shippedPackages(root, [...inputs, ...shipped]);
  const list = billOfMaterials(JSON.parse(await readFile(path.join(root, "package.json"), "utf8")), packages);
  await writeFile(path.join(root, "dist/THIRD_PARTY_NOTICES.txt"), thirdPartyNotices(packages));
  await writeFile(path.join(root, "dist/bom.cdx.json"), `${JSON.stringify(list, null, 2)}\n`);
}

async function main() {
  const known = ["--production", "--watch", "--metafile"];
  const flags = new Set(process.argv.slice(2));
  const unknown = [...flags].find((flag) => !known.includes(flag));
  if (unknown !== undefined) throw new Error(`unknown option ${unknown}; there are ${known.join(", ")}`);

  await rm(path.join(root, "dist"), { recursive: true, force: true });
  await copyRuntimeFiles(path.join(root, "dist"));
  const all = bundles(flags.has("--production"));
  const contexts = await Promise.all(
    Object.entries(all).map(([name, options]) =>
      esbuild.context({ ...options, plugins: [...(options.plugins ?? []), finish(name, flags.has("--metafile"))] }),
    ),
  );
  if (flags.has("--watch")) {
    await Promise.all(contexts.map((context) => context.watch()));
    return;
  }
  const results = await Promise.allSettled(contexts.map((context) => context.rebuild()));
  await Promise.all(contexts.map((context) => context.dispose()));
  // esbuild has printed its errors with file and line already.
  if (results.some((result) => result.status === "rejected")) process.exitCode = 1;
  else await writeNotices(results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])));
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  main().catch((error) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
}
