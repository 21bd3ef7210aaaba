/**
 * The real servers that tests of sources and sinks write to and read from: Debian's packages of Prometheus,
 * VictoriaMetrics and the Pushgateway. Only node: modules.
 */
import { access, constants } from "node:fs/promises";
import path from "node:path";
import { run } from "./project.mjs";

/** By program: the package that has it. */
const PACKAGES = {
  prometheus: "prometheus",
  promtool: "prometheus",
  "victoria-metrics": "victoria-metrics",
  "prometheus-pushgateway": "prometheus-pushgateway",
};

/**
 * @param {string} program
 * @returns {Promise<string | undefined>} its path
 */
export async function findProgram(program) {
  for (const folder of (process.env["PATH"] ?? "").split(path.delimiter)) {
    const file = path.join(folder, program);
    const runs = await access(file, constants.X_OK).then(
      () => folder !== "",
      () => false,
    );
    if (runs) return file;
  }
  return undefined;
}

/**
 * In CI installs those that are missing, and fails without them: a test that is skipped there would be missed by
 * nobody. Elsewhere their tests are skipped.
 * @returns {Promise<string>} what there is, in words
 */
export async function ensureStores() {
  const inCi = process.env["CI"] === "true";
  let missing = await absentPrograms();
  let failure = "";
  if (missing.length > 0 && inCi) {
    failure = await install(missing).then(
      () => "",
      (error) => `${error instanceof Error ? error.message : String(error)}\n`,
    );
    missing = await absentPrograms();
  }
  if (missing.length === 0) return `found ${Object.keys(PACKAGES).join(", ")}`;
  const words = `not found: ${missing.join(", ")} (apt-get install ${packagesOf(missing).join(" ")})`;
  if (inCi) throw new Error(`${failure}${words}. In CI their tests must run.`);
  return `${words}, so their tests are skipped`;
}

async function absentPrograms() {
  const names = Object.keys(PACKAGES);
  const found = await Promise.all(names.map(findProgram));
  return names.filter((_, i) => found[i] === undefined);
}

/** @param {readonly string[]} programs */
async function install(programs) {
  const apt = ["DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1", "apt-get"];
  await run("env", [...apt, "update", "-q"]);
  await run("env", [...apt, "install", "-q", "-y", "--no-install-recommends", ...packagesOf(programs)]);
}

/** @param {readonly string[]} programs */
function packagesOf(programs) {
  return [...new Set(Object.entries(PACKAGES).flatMap(([name, from]) => (programs.includes(name) ? [from] : [])))];
}
