/**
 * `npm test`: all checks of the project, on a fresh checkout too: it installs, builds and packages first.
 *
 *   npm test                       everything
 *   npm test -- --only unit,lint   some of: lint, typecheck, unit, bench, integration, e2e
 *
 * A failing step does not keep later ones from running, but for those that need what it makes. The last line printed is
 * `N passed, N failed` (`, N skipped`); the exit code is 1 when anything failed. Only node: modules are imported here.
 */
import { execFile } from "node:child_process";
import { mkdir, readFile, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { ensureChromium } from "./workbench/chromium.mjs";
import { installWorkbench } from "./workbench/install.mjs";
import { ensureStores } from "./workbench/stores.mjs";
import { build, ensureDependencies, packageExtension, requireNode, root, run } from "./workbench/project.mjs";

const CHECKS = ["lint", "typecheck", "unit", "bench", "integration", "e2e"];

/**
 * `failures` names what failed: tests, each with the first line of its error.
 * @typedef {{ passed: number, failed: number, skipped: number, failures: readonly string[] }} Count
 */

const total = { passed: 0, failed: 0, skipped: 0 };

/** What failed at the first try, in files that were then tried again. @type {string[]} */
const triedAgain = [];

/** For want of a program. @type {string[]} */
const notTested = [];

/** What failed in the end, for the last lines: the output above them is long. @type {string[]} */
const failures = [];

/**
 * Prints a heading, runs the step, prints its outcome and time, and adds up.
 * @param {string} name
 * @param {() => Promise<Partial<Count> | void>} step what it counted; it may throw instead, which counts as one failure
 * @returns {Promise<boolean>} whether nothing failed
 */
async function step(name, step) {
  console.log(`\n── ${name} ${"─".repeat(Math.max(3, 76 - name.length))}`);
  const start = performance.now();
  /** @type {Partial<Count>} */
  let count;
  try {
    count = (await step()) ?? {};
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    count = { failed: 1 };
  }
  const { passed = 0, failed = 0, skipped = 0 } = count;
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
  if (failed > 0) failures.push(...(count.failures ?? [name]));
  console.log(
    `── ${name}: ${failed > 0 ? `${failed} failed` : skipped > 0 ? `${skipped} skipped` : "ok"} in ${((performance.now() - start) / 1000).toFixed(1)} s`,
  );
  return failed === 0;
}

/** A check that is one test by itself. */
function tool(/** @type {string} */ script, /** @type {string[]} */ ...args) {
  return async () => {
    await run(process.execPath, [path.join("node_modules", script), ...args]);
    return { passed: 1 };
  };
}

/**
 * As `tool`, but started at once: it runs beside the steps before its own, which then prints its output.
 * @param {string} script
 * @param {string[]} args
 */
function startedTool(script, ...args) {
  const ended = promisify(execFile)(process.execPath, [path.join("node_modules", script), ...args], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  }).then(
    (output) => ({ ...output, passed: 1 }),
    (error) => ({ stdout: "", stderr: `${error.message}\n`, ...error, failed: 1 }),
  );
  return async () => {
    const { stdout, stderr, ...count } = await ended;
    process.stdout.write(stdout);
    process.stderr.write(stderr);
    return count;
  };
}

/** The table of speeds in its quick form, which fails below half of a kept ratio. */
async function benchQuick() {
  await run(process.execPath, ["test/bench/run.mjs", "--quick"]);
  return { passed: 1 };
}

/**
 * @param {string} project of vitest.config.mts
 * @param {{ files?: readonly string[], workers?: number }} [options] files: absent, all of the project's; workers: how
 *   many of them run at once
 * @returns {Promise<Map<string, Count>>} by file
 */
async function vitest(project, { files = [], workers = 1 } = {}) {
  const report = path.join(root, "out/test", `${project}.json`);
  await mkdir(path.dirname(report), { recursive: true });
  const outside = path.join(root, "out/test", `${project}-outside.json`);
  await rm(report, { force: true });
  await rm(outside, { force: true });
  const args = [
    "node_modules/vitest/vitest.mjs",
    "run",
    // Unit tests are two of them.
    `--project=${project}*`,
    "--reporter=default",
    "--reporter=json",
    "--reporter=./test/outside-errors.mjs",
    `--outputFile.json=${report}`,
    `--maxWorkers=${workers}`,
    ...files,
  ];
  const failure = await run(process.execPath, args, { env: { ...process.env, OUTSIDE_ERRORS: outside } }).then(
    () => undefined,
    (error) => error,
  );
  const counted = await readFile(report, "utf8").then(JSON.parse, () => undefined);
  if (counted === undefined) throw failure ?? new Error(`vitest has written no ${path.relative(root, report)}`);
  if (counted.numTotalTests === 0) throw new Error(`no ${project} test was run`);
  /** @type {Map<string, Count>} */
  const byFile = new Map(counted.testResults.map(countOf));
  /** @type {{ file?: string, message: string }[]} */
  const errors = await readFile(outside, "utf8").then(JSON.parse, () => []);
  for (const { file, message } of errors) {
    const name = file === undefined ? "" : path.relative(root, file);
    // Vitest does not say whose process died: that file has a test that did not end.
    if (name === "" && sum(byFile).failed > 0) continue;
    const { passed, failed, skipped, failures } = byFile.get(name) ?? {
      passed: 0,
      failed: 0,
      skipped: 0,
      failures: [],
    };
    const failure = `${name || project}: outside of any test: ${firstLine(message)}`;
    byFile.set(name, { passed, failed: failed + 1, skipped, failures: [...failures, failure] });
  }
  if (failure !== undefined && sum(byFile).failed === 0) throw failure;
  return byFile;
}

/**
 * @typedef {{ fullName: string, status: string, failureMessages?: string[] }} TestResult of vitest's report
 * @param {{ name: string, status: string, message: string, assertionResults: TestResult[] }} result of a file
 * @returns {[string, Count]}
 */
function countOf({ name, status, message, assertionResults }) {
  const file = path.relative(root, name);
  const passed = assertionResults.filter((test) => test.status === "passed").length;
  // One that has no result was running when its process died.
  const failed = assertionResults.filter((test) => test.status === "failed" || test.status === "pending");
  const failures = failed.map(
    (test) =>
      `${file}: ${test.fullName}: ${test.status === "pending" ? "it did not end" : firstLine(test.failureMessages?.[0])}`,
  );
  // A file that does not load has no test to count.
  if (status === "failed" && failures.length === 0) failures.push(`${file}: ${firstLine(message)}`);
  return [
    file,
    { passed, failed: failures.length, skipped: assertionResults.length - passed - failed.length, failures },
  ];
}

/** @param {string | undefined} text */
function firstLine(text) {
  return text?.trim().split("\n")[0] ?? "";
}

/**
 * @param {ReadonlyMap<string, Count>} byFile
 * @returns {Count}
 */
function sum(byFile) {
  const counts = [...byFile.values()];
  const total = (/** @type {"passed" | "failed" | "skipped"} */ what) =>
    counts.reduce((sum, count) => sum + count[what], 0);
  return {
    passed: total("passed"),
    failed: total("failed"),
    skipped: total("skipped"),
    failures: counts.flatMap((count) => count.failures),
  };
}

/**
 * All of them wait for states: what else the machine does makes them slower, and changes nothing else. Each is idle for
 * half of its time, so there is one more than cores.
 */
async function threeAtATime(/** @type {string} */ project) {
  return again(project, await vitest(project, { workers: Math.min(3, availableParallelism() + 1) }));
}

/**
 * Real processes, sockets, workbenches and browsers share the machine with whatever else runs on it: a file with a
 * failure has to fail again, begun anew and with nothing of ours beside it, to count. What failed at first is said.
 * @param {string} project
 * @param {Map<string, Count>} byFile of the first try
 */
async function again(project, byFile) {
  const failed = [...byFile].filter(([file, count]) => file !== "" && count.failed > 0).map(([file]) => file);
  if (failed.length === 0) return sum(byFile);
  triedAgain.push(...sum(byFile).failures);
  console.log(`\n${sum(byFile).failed} failed at the first try (above). Once more: ${failed.join(", ")}\n`);
  for (const [file, count] of await vitest(project, { files: failed })) byFile.set(file, count);
  return sum(byFile);
}

/**
 * Known vulnerabilities of what ships, as the registry tells them; one that answers no such question is passed over.
 * @throws Error with the list
 */
async function audit() {
  const command = ["audit", "--omit=dev", "--json"];
  /** @type {string} */
  const text = await promisify(execFile)("npm", command, { cwd: root, timeout: 60_000 }).then(
    ({ stdout }) => stdout,
    (error) => String(error.stdout),
  );
  const found = (() => {
    try {
      return JSON.parse(text).vulnerabilities;
    } catch {
      return undefined;
    }
  })();
  if (found === undefined)
    return console.log("The registry tells nothing of vulnerabilities: what ships was not audited.");
  const all = Object.values(found).map(({ name, severity, range }) => `${name} ${range} (${severity})`);
  if (all.length > 0) throw new Error(`what ships has known vulnerabilities: ${all.join(", ")}. See npm audit.`);
  console.log("No known vulnerability in what ships.");
}

/** @returns {Set<string>} */
function wanted() {
  const args = process.argv.slice(2);
  if (args.length === 0) return new Set(CHECKS);
  const [option, list, ...more] = args;
  const names = list?.split(",") ?? [];
  if (option !== "--only" || more.length > 0 || names.length === 0 || names.some((name) => !CHECKS.includes(name))) {
    console.error(`usage: npm test [-- --only ${CHECKS.join(",")}]`);
    process.exit(2);
  }
  return new Set(names);
}

async function main() {
  const only = wanted();
  await requireNode();
  if (!(await step("install", ensureDependencies))) return;
  // The longest of the checks of sources, and on one core only.
  const lint = only.has("lint") ? startedTool("eslint/bin/eslint.js", ".") : undefined;
  if (only.has("lint")) {
    await step("format", tool("prettier/bin/prettier.cjs", "--check", "--log-level=warn", "."));
    await step("dead code", tool("knip/bin/knip.js", "--no-progress"));
    if (process.env["CI"] === "true") await step("audit", audit);
  }
  if (only.has("typecheck")) await step("typecheck", tool("typescript-7/bin/tsc", "-b"));
  const built = !(only.has("unit") || only.has("integration") || only.has("e2e")) || (await step("build", build));
  if (only.has("unit"))
    await step("unit", async () => again("unit", await vitest("unit", { workers: availableParallelism() })));
  if (lint !== undefined) await step("lint", lint);
  if (only.has("bench")) await step("bench", benchQuick);
  if (!only.has("integration") && !only.has("e2e")) return;
  if (!built) {
    console.log("\nIntegration and end-to-end tests need what was not built.");
    return;
  }
  await step("browser", async () => console.log(await ensureChromium()));
  const packed = await step("package", async () => void (await packageExtension()));
  if (only.has("integration"))
    await step("stores", async () => {
      const { found, untested } = await ensureStores();
      console.log(found);
      if (untested !== undefined) notTested.push(untested);
    });
  if (only.has("integration")) await step("integration", () => threeAtATime("integration"));
  if (only.has("e2e") && packed)
    await step("e2e", async () => {
      await installWorkbench();
      return threeAtATime("e2e");
    });
}

await main();
const { passed, failed, skipped } = total;
process.exitCode = failed > 0 ? 1 : 0;
const list = (/** @type {readonly string[]} */ lines) => lines.map((line) => `\n  ${line}`).join("");
if (failures.length > 0) console.log(`\nFailed:${list(failures)}`);
if (notTested.length > 0) console.log(`\nNot tested:${list(notTested)}`);
console.log(`\nNeeded a second try: ${triedAgain.length === 0 ? "none" : list(triedAgain)}`);
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
