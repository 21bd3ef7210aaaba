/**
 * The real servers that tests of sources and sinks write to and read from: Debian's packages of Prometheus,
 * VictoriaMetrics and the Pushgateway. Only node: modules.
 */
import { access, constants, mkdir, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { cached, installed } from "./cache.mjs";
import { run } from "./project.mjs";

/** By program: the package that has it. */
const PACKAGES = {
  prometheus: "prometheus",
  promtool: "prometheus",
  "victoria-metrics": "victoria-metrics",
  "prometheus-pushgateway": "prometheus-pushgateway",
};
/** Of the cache. */
const FOLDER = "stores";
/** Where fetched programs lie. */
export const STORES = cached(path.join(FOLDER, "usr/bin"));

/**
 * @param {string} program
 * @returns {Promise<string | undefined>} its path
 */
export async function findProgram(program) {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter).filter((folder) => folder !== "");
  for (const folder of [...folders, STORES]) {
    const file = path.join(folder, program);
    const runs = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return file;
  }
  return undefined;
}

/**
 * Gets those that are missing into the project's cache, without asking for rights, where the system has Debian's
 * packages. In CI it fails without them: a test that is skipped there would be missed by nobody.
 * @returns {Promise<{ found: string, untested?: string }>} in words what there is, and what cannot be tested without
 */
export async function ensureStores() {
  let missing = await absentPrograms();
  let failure = "";
  if (missing.length > 0) {
    failure = await download().then(
      () => "",
      (error) => ` ${error instanceof Error ? error.message : String(error)}`,
    );
    missing = await absentPrograms();
  }
  const found = `found ${Object.keys(PACKAGES)
    .filter((name) => !missing.includes(name))
    .join(", ")}`;
  if (missing.length === 0) return { found };
  const packages = new Set(Object.entries(PACKAGES).flatMap(([name, from]) => (missing.includes(name) ? [from] : [])));
  const untested = `what needs ${missing.join(", ")} (apt-get install ${[...packages].join(" ")}).${failure}`;
  if (process.env["CI"] === "true") throw new Error(`Not tested: ${untested} In CI it must be.`);
  return { found, untested };
}

async function absentPrograms() {
  const names = Object.keys(PACKAGES);
  const found = await Promise.all(names.map(findProgram));
  return names.filter((_, i) => found[i] === undefined);
}

/** Packages are downloaded and unpacked, not installed: that takes no rights, nor do package lists of one's own. */
async function download() {
  console.log("Getting Prometheus, VictoriaMetrics and the Pushgateway from Debian into .cache (46 MB).");
  await installed(
    FOLDER,
    async (directory) => {
      const apt = path.join(directory, "apt");
      for (const folder of ["state/lists/partial", "cache/archives/partial"])
        await mkdir(path.join(apt, folder), { recursive: true });
      const own = [`Dir::State=${apt}/state`, `Dir::Cache=${apt}/cache`, "Dir::State::status=/var/lib/dpkg/status"];
      const options = ["-q", ...[...own, "APT::Sandbox::User="].flatMap((option) => ["-o", option])];
      await run("apt-get", [...options, "update"]);
      await run("apt-get", [...options, "download", ...new Set(Object.values(PACKAGES))], { cwd: directory });
      for (const name of await readdir(directory))
        if (name.endsWith(".deb")) {
          await run("dpkg-deb", ["-x", name, "."], { cwd: directory });
          await rm(path.join(directory, name));
        }
      await rm(apt, { recursive: true });
    },
    "Debian's packages; check that this system has them (apt-get) and reaches them",
  );
}
