/**
 * Finds the Chromium that end-to-end tests drive; in CI installs Debian's where there is none. Only node: modules.
 */
import { access, constants } from "node:fs/promises";
import path from "node:path";
import { run } from "./project.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const ELSEWHERE = [
  "/usr/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

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
  ]) {
    if (await executable(candidate)) return candidate;
  }
  return undefined;
}

/** Debian's packages, as root or through sudo. A font is named because browser packages only recommend theirs. */
export async function installChromium() {
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
