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
 * In CI as root, installs those that are missing; elsewhere their tests are skipped.
 * @returns {Promise<string>} what there is, in words
 */
export async function ensureStores() {
  const names = Object.keys(PACKAGES);
  const absent = async () => {
    const found = await Promise.all(names.map(findProgram));
    return Object.entries(PACKAGES).filter((_, i) => found[i] === undefined);
  };
  let missing = await absent();
  if (missing.length > 0 && process.env["CI"] === "true" && process.getuid?.() === 0) {
    const packages = [...new Set(missing.map(([, name]) => name))];
    const apt = ["DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1", "apt-get"];
    try {
      await run("env", [...apt, "update", "-q"]);
      await run("env", [...apt, "install", "-q", "-y", "--no-install-recommends", ...packages]);
    } catch (error) {
      console.log(error instanceof Error ? error.message : String(error));
    }
    missing = await absent();
  }
  return missing.length === 0
    ? `found ${names.join(", ")}`
    : `not found, so their tests are skipped: ${missing.map(([program]) => program).join(", ")} (apt-get install prometheus victoria-metrics prometheus-pushgateway)`;
}
