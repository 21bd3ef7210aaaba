/**
 * The project's own set-up steps, for scripts that must run on a fresh checkout: only node: modules are imported here.
 */
import { spawn } from "node:child_process";
import { copyFile, cp, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/** Ends the script with one clear line where Node is older than package.json's `engines` allows. */
export async function requireNode() {
  const { engines } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
  const needed = Number(/\d+/.exec(engines.node)?.[0]);
  if (Number(process.versions.node.split(".")[0]) >= needed) return;
  console.error(`Node ${needed} or newer is needed; this is ${process.version}.`);
  process.exit(1);
}

/**
 * Runs a command in the project, its output going where ours goes.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<void>}
 * @throws Error naming the command when it cannot be started or fails
 */
export function run(command, args, { cwd = root, env = process.env } = {}) {
  return new Promise((resolve, reject) => {
    const words = [command, ...args].map((word) =>
      path.relative(root, word).length < word.length && path.isAbsolute(word) ? path.relative(root, word) : word,
    );
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "inherit", "inherit"] });
    child.once("error", (error) => reject(new Error(`${words.join(" ")} could not be started: ${error.message}`)));
    child.once("close", (code, signal) => {
      if (code === 0) resolve();
      else
        reject(
          new Error(`${words.join(" ")} ended with ${signal === null ? `exit code ${code}` : `signal ${signal}`}`),
        );
    });
  });
}

const PARENT_CHECK_MS = 500;

/**
 * Calls back once when the process that started this one is gone: npm dies of a signal without passing it on to what
 * its shell runs.
 * @param {() => void} gone
 */
export function whenParentEnds(gone) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    gone();
  }, PARENT_CHECK_MS);
  timer.unref();
}

/**
 * Runs npm: the one that runs us, else the one that comes with Node.
 * @param {readonly string[]} args
 * @param {{ cwd?: string }} [options]
 */
export function npm(args, { cwd = root } = {}) {
  const env = Object.fromEntries(
    // An outer npm's own place and package must not leak into one that works in another folder.
    Object.entries(process.env).filter(
      ([name]) => !/^npm_(config_local_prefix|config_ignore_scripts|package_|lifecycle_)/i.test(name),
    ),
  );
  const running = process.env["npm_execpath"];
  if (running !== undefined && running.endsWith(".js")) return run(process.execPath, [running, ...args], { cwd, env });
  if (process.platform === "win32")
    return run(process.env["ComSpec"] ?? "cmd.exe", ["/d", "/c", "npm", ...args], { cwd, env });
  return run("npm", args, { cwd, env });
}

/** @param {string} file */
async function modified(file) {
  const stats = await stat(path.join(root, file)).catch(() => undefined);
  return stats?.mtimeMs ?? 0;
}

/** `npm ci` where node_modules is missing or older than the lock file. */
export async function ensureDependencies() {
  if ((await modified("node_modules/.package-lock.json")) >= (await modified("package-lock.json"))) return;
  await npm(["ci"]);
}

/** dist/, minified. */
export function build() {
  return run(process.execPath, ["esbuild.mjs", "--production"]);
}

/**
 * Where `packageExtension` puts the extension.
 * @param {string} [otherVersion] than package.json's
 */
export async function extensionPackage(otherVersion) {
  const { name, version } = JSON.parse(await readFile(path.join(root, "package.json"), "utf8"));
  return path.join(root, `${name}-${otherVersion ?? version}.vsix`);
}

/**
 * Packs dist/ and what package.json's `files` lists; `npm run package` builds first. The list of what is bundled is put
 * beside it (CycloneDX).
 * @param {string} [version] another than package.json's, for tests of updates
 * @returns {Promise<string>} the .vsix
 */
export async function packageExtension(version) {
  const file = await extensionPackage(version);
  const readme = "out/extension-page.md";
  await mkdir(path.join(root, "out"), { recursive: true });
  await writeFile(path.join(root, readme), packagedReadme(await readFile(path.join(root, "README.md"), "utf8")));
  const channel = isPreRelease(path.basename(file)) ? ["--pre-release"] : [];
  await packFolder(root, file, version, ["--readme-path", readme, ...channel]);
  await copyFile(path.join(root, "dist/bom.cdx.json"), file.replace(/vsix$/, "cdx.json"));
  return file;
}

/**
 * Packs the command line for npm. All is bundled: whoever installs it needs no other package.
 * @param {string} [destination] folder of the .tgz
 */
export async function packCommandLine(destination = root) {
  const folder = path.join(root, "out/npm");
  await rm(folder, { recursive: true, force: true });
  for (const name of ["dist", "media", "docs", "CHANGELOG.md", "LICENSE", "README.md"])
    await cp(path.join(root, name), path.join(folder, name), { recursive: true });
  const { name, version, description, license, keywords, engines, bin, files } = JSON.parse(
    await readFile(path.join(root, "package.json"), "utf8"),
  );
  const manifest = { name, version, description, license, keywords, engines: { node: engines.node }, bin, files };
  // npm proves that a package was built from its repository, and refuses it where the two differ.
  const { repository } = published();
  const from = repository === undefined ? {} : { repository: { type: "git", url: `git+${repository}.git` } };
  await writeFile(path.join(folder, "package.json"), JSON.stringify({ ...manifest, ...from }, null, 2));
  await npm(["pack", "--silent", "--pack-destination", destination], { cwd: folder });
}

/**
 * Whether a version is a pre-release: the marketplace takes no suffixes, so that its minor version is odd.
 * @param {string} text with a version in it
 */
export function isPreRelease(text) {
  return Number(/\d+\.(\d+)\.\d+/.exec(text)?.[1]) % 2 === 1;
}

/**
 * Where the release that is being made can be read: known in a workflow of GitHub.
 * @returns {{ repository?: string, pages?: string, pictures?: string }}
 */
function published({ GITHUB_REPOSITORY, GITHUB_REF_NAME } = process.env) {
  if (!GITHUB_REPOSITORY || !GITHUB_REF_NAME) return {};
  return {
    repository: `https://github.com/${GITHUB_REPOSITORY}`,
    pages: `https://github.com/${GITHUB_REPOSITORY}/blob/${GITHUB_REF_NAME}/`,
    pictures: `https://raw.githubusercontent.com/${GITHUB_REPOSITORY}/${GITHUB_REF_NAME}/`,
  };
}

/**
 * The README for the extension's page. VS Code shows only pictures from the net there, and follows only links to it:
 * they lead to the repository. Where that is not known, the others go, and their texts stay.
 * @param {string} text
 * @param {NodeJS.ProcessEnv} [env]
 */
export function packagedReadme(text, env) {
  const { pages, pictures } = published(env);
  if (pages !== undefined)
    return text.replace(
      /(!?)\[([^\]]*)\]\((?!https:)([^)]*)\)/g,
      (_, picture, words, to) => `${picture}[${words}](${picture === "" ? pages : pictures}${to})`,
    );
  return text.replace(/^!\[[^\]]*\]\((?!https:)[^)]*\)\n\n/gm, "").replace(/\[([^\]]*)\]\((?!https:)[^)]*\)/g, "$1");
}

/**
 * Packs the extension in a folder.
 * @param {string} folder
 * @param {string} file the .vsix
 * @param {string} [version] another than that of its package.json
 * @param {readonly string[]} [more] options of vsce
 */
export function packFolder(folder, file, version, more = []) {
  const vsce = path.join(root, "node_modules/@vscode/vsce/vsce");
  const options = [...(version === undefined ? [] : [version, ...OTHER_VERSION]), ...PACKAGE_OPTIONS, ...more];
  return run(process.execPath, [vsce, "package", ...options, "--out", file], { cwd: folder });
}

/** Everything is bundled, and the project has no public repository that links could be completed with. */
const PACKAGE_OPTIONS = [
  "--no-dependencies",
  "--allow-missing-repository",
  "--no-rewrite-relative-links",
  "--skip-license",
];
const OTHER_VERSION = ["--no-update-package-json", "--no-git-tag-version"];
