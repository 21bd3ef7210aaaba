/**
 * Installs the workbench that tests and `npm start` use: a pinned code-server from the npm registry, without what only
 * its remote and AI features need, so that nothing has to be compiled. Only node: modules, for it runs on a fresh
 * checkout too.
 *
 * `node test/workbench/install.mjs` installs it by hand; a second run does nothing.
 */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { installed, installPackages } from "./cache.mjs";
import { root } from "./project.mjs";

const CODE_SERVER = "4.139.1";
/** Raise it when the recipe below changes: cached installations are then made anew. */
const RECIPE = 2;
/** code-server needs 22 or newer; where the system's Node is older, this one comes from the registry as a package. */
const NODE_NEEDED = 22;
const NODE_PACKAGE = "24";

/** Of code-server's own dependencies, those that a local server with our extension never loads. */
const UNUSED = [
  "@devcontainers/cli",
  "@github/copilot-sdk",
  "@microsoft/mxc-sdk",
  "@vscode/copilot-api",
  "@vscode/sandbox-runtime",
  "@vscode/sqlite3",
  "@vscode/windows-process-tree",
  "@vscode/windows-registry",
  "@vscode/deviceid",
  "kerberos",
  "ssh2",
  "zod",
  "katex",
];

/** Modules that would have to be compiled, each with what replaces it. */
const REPLACED = {
  "@vscode/spdlog": `
const fs = require("node:fs"), path = require("node:path");
class Logger {
  constructor(type, name, file) { this.file = file; this.level = 2; this.plain = false; fs.mkdirSync(path.dirname(file), { recursive: true }); }
  write(level, text) { if (level >= this.level) fs.appendFileSync(this.file, this.plain ? text : new Date().toISOString() + " " + text + "\\n"); }
  trace(text) { this.write(0, text); } debug(text) { this.write(1, text); } info(text) { this.write(2, text); }
  warn(text) { this.write(3, text); } error(text) { this.write(4, text); } critical(text) { this.write(5, text); }
  getLevel() { return this.level; } setLevel(level) { this.level = level; }
  setPattern() {} clearFormatters() { this.plain = true; } flush() {} drop() {}
}
exports.version = 0;
exports.setLevel = exports.setFlushOn = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = exports.createAsyncRotatingLogger = async (name, file) => new Logger("rotating", name, file);
`,
  "@vscode/native-watchdog": "exports.start = () => {};\n",
};

/** @typedef {{ node: string, entry: string }} Workbench The Node to run it with, and its entry script. */

/**
 * Installs what is missing, atomically: a folder that exists is complete.
 * @returns {Promise<Workbench>}
 * @throws Error saying what could not be installed
 */
export async function installWorkbench() {
  const server = await installed(`code-server-${CODE_SERVER}-${RECIPE}`, installCodeServer);
  return { node: await findNode(), entry: path.join(server, "node_modules/code-server/out/node/entry.js") };
}

async function findNode() {
  if (Number(process.versions.node.split(".")[0]) >= NODE_NEEDED) return process.execPath;
  const platform = process.platform === "win32" ? "win" : process.platform;
  const name = `${platform === "darwin" && process.arch === "arm64" ? "node-bin" : "node"}-${platform}-${process.arch}`;
  const directory = await installed(`node-${NODE_PACKAGE}-${platform}-${process.arch}`, (into) =>
    installPackages(into, `${name}@${NODE_PACKAGE}`),
  );
  return path.join(directory, "node_modules", name, process.platform === "win32" ? "bin/node.exe" : "bin/node");
}

/** @param {string} directory */
async function installCodeServer(directory) {
  await installPackages(directory, `code-server@${CODE_SERVER}`);
  const server = path.join(directory, "node_modules/code-server/lib/vscode");
  const manifestFile = path.join(server, "package.json");
  const manifest = JSON.parse(await readFile(manifestFile, "utf8"));
  for (const name of [...UNUSED, ...Object.keys(REPLACED)]) delete manifest.dependencies[name];
  delete manifest.overrides;
  delete manifest.allowScripts;
  await writeFile(manifestFile, JSON.stringify(manifest, null, 2));
  await installPackages(server);
  for (const [name, source] of Object.entries(REPLACED)) {
    const module = path.join(server, "node_modules", name);
    await mkdir(module, { recursive: true });
    await writeFile(path.join(module, "package.json"), JSON.stringify({ name, version: "0.0.0", main: "index.js" }));
    await writeFile(path.join(module, "index.js"), source);
  }
  await rm(path.join(server, "node_modules/.package-lock.json"), { force: true });
}

async function main() {
  try {
    const { entry, node } = await installWorkbench();
    console.log(
      `${path.relative(root, entry)} (with ${path.relative(root, node).startsWith("..") ? node : path.relative(root, node)})`,
    );
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}

// Not awaited: the bench's bundle, which has this file within, could not.
if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) void main();
