import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { folderOf, type PlannedRun } from "../../src/core/experiment/index.js";
import { fieldsOf, isFields } from "../../src/core/text/index.js";
import { cliFolder } from "../support/cli-folder.js";
import { CLI, runCli, startCli, until } from "../support/cli.js";
import { refusedPort, serve } from "../support/faulty-server.js";
import { leftRunning } from "../support/left-running.js";
import { startMcp } from "../support/mcp.js";
import { startedBy } from "../support/peak.js";

const { file } = cliFolder();

/**
 * A server whose metric is its second argument, a little more with each block, times the level that a reset wrote. With
 * a folder it is not ready for half a second, and leaves "asked" there when it was asked meanwhile. With FAILING half
 * of its requests fail.
 */
const SERVER = `
const { createServer } = require("node:http");
const { readFileSync, writeFileSync } = require("node:fs");
const [port, value, block] = process.argv.slice(2).map(Number);
const folder = process.argv[5];
const level = () => { try { return Number(readFileSync("level", "utf8")) || 1; } catch { return 1; } };
const text = () => "# TYPE my_latency gauge\\nmy_latency " + value * level() * (1 + block / 1000) + "\\n# TYPE my_queue gauge\\nmy_queue 3\\n# TYPE my_info gauge\\nmy_info{setting=\\"" + value + "\\"} 1\\n";
const ended = (reason) => "vllm:request_success_total{finished_reason=\\"" + reason + "\\"} " + Math.floor(Date.now() / 10) + "\\n";
const failing = () => process.env.FAILING ? "# TYPE vllm:request_success_total counter\\n" + ended("stop") + ended("error") : "";
let ready = folder === undefined;
const server = createServer((request, response) => {
  if (!ready) writeFileSync(folder + "/asked", "");
  response.writeHead(ready ? 200 : 503, { "content-type": "text/plain; version=0.0.4" }).end(text() + failing());
});
server.listen(port, "127.0.0.1", () => setTimeout(() => (ready = true), 500));
`;
/** What a GuideLLM of two requests leaves. */
const CLIENT = `
const now = Date.now() / 1000;
const requests = [0, 1].map((i) => ({ request_start_time: now - 0.4 + i / 10, request_end_time: now - 0.1, request_latency: 0.3 - i / 10, output_tokens: 10 }));
require("node:fs").writeFileSync(process.argv[2] + "/benchmarks.json", JSON.stringify({ metadata: { version: 1 }, benchmarks: [{ duration: 0.4, config: { strategy: { type_: "concurrent", streams: 2 } }, metrics: { requests_per_second: {} }, requests: { successful: requests, errored: [], incomplete: [] } }] }));
`;

/** An editor that runs an experiment as the extension does, and answers its questions with yes. */
const EDITOR = `
const child = require("node:child_process").fork(process.argv[1], ["experiment", "run", process.argv[2]], { silent: true });
child.on("message", (question) => { console.log(question); child.send("started"); });
`;

/** Of the test that kills an experiment at every step. */
const KILLS = Number(process.env["EXPERIMENT_KILLS"] ?? 14);
/**
 * While its server starts and becomes ready, while it is reset, during warm-up and load, while artifacts are written,
 * and before the run is known.
 */
const STEPS = ["server.log", "asked", "reset.log", "load.log", "warm", "server_metrics_export.json", "summary.md"];
/** What leaves them, and takes a moment at each. */
const SLOW: Parts = {
  folder: " ${run}",
  load: "sleep 0.6; touch ${run}/warm; sleep 0.6",
  ofLoad: ", warmup: 500ms",
  ofBoth: ', ready: "http://127.0.0.1:${port}/health"',
  more: "reset: sleep 0.3",
};

interface Parts {
  /** Of configuration b. */
  readonly value?: number;
  readonly load?: string;
  readonly server?: string;
  /** Of a server that takes a while to be ready. */
  readonly folder?: string;
  readonly more?: string;
  readonly ofLoad?: string;
  readonly ofBoth?: string;
  readonly ofB?: string;
  readonly blocks?: number;
  readonly loads?: number;
}

/** Writes an experiment of two configurations, whose servers start one after the other at one port. */
async function experiment(parts: Parts = {}) {
  const { value = 2, load = "sleep 0.6", server, folder = "", more = "", ofLoad = "", ofBoth = "" } = parts;
  const { ofB = "", blocks = 2, loads = 1 } = parts;
  const port = await refusedPort();
  await writeFile(file("server.cjs"), SERVER);
  await writeFile(file("client.cjs"), CLIENT);
  const command = (own: number) => server ?? `${process.execPath} server.cjs \${port} ${own} \${block}${folder}`;
  await writeFile(
    file("e.experiment.yaml"),
    `question: Is b better than a?
endpoints: ["http://127.0.0.1:\${port}/metrics"]
configurations:
  - { name: a, port: ${port}, server: "${command(1)}"${ofBoth} }
  - { name: b, port: ${port}, server: "${command(value)}"${ofBoth}${ofB} }
loads: [${Array.from({ length: loads }, (_, i) => `{ name: load${i || ""}, command: '${load}'${ofLoad} }`).join(", ")}]
primary: { metric: my_latency, statistic: avg, relevant: 3%, better: lower }
repeats: { min: 2, max: ${blocks} }
# On a busy machine too there is no gap above a slice, with which a run does not count.
interval: 1s
${more}`,
  );
  return port;
}

const run = (...more: string[]) => runCli(["experiment", "run", "e.experiment.yaml", ...more], { cwd: file("") });

/** Lines of the journal. */
async function journal() {
  const text = await readFile(file("e/experiment.jsonl"), "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => {
    try {
      const parsed: unknown = JSON.parse(line);
      return isFields(parsed) ? [parsed] : [];
    } catch {
      return [];
    }
  });
}

async function runs() {
  return (await journal()).flatMap(({ run }) => (isFields(run) ? [run] : []));
}

/**
 * The runs that count, which are the same however often it was interrupted. On a busy machine a run may miss scrapes
 * and be made again at the end; that the order stays otherwise is tested in decide.test.ts.
 */
async function outline() {
  const valid = (await runs()).filter(({ problems }) => JSON.stringify(problems) === "[]");
  return valid.map(({ step, values }) => JSON.stringify([{ ...fieldsOf(step), attempt: 0 }, values])).sort();
}

const nothingRuns = () => until("nothing to be left running", () => leftRunning(file("")).length === 0);

describe.skipIf(process.platform !== "linux")("experiment run", () => {
  it("makes runs until it is decided, and leaves nothing running", async () => {
    await experiment({ blocks: 4 });
    const { code, stdout, stderr } = await run();
    expect(stderr).not.toMatch(/does not count/);
    expect(stdout).toMatch(/b is worse than a under load: my_latency avg is 100 % higher/);
    expect(code).toBe(1);
    expect(leftRunning(file(""))).toEqual([]);
    expect(await readdir(file("e"))).toEqual(["experiment.jsonl", "runs"]);
    const made = await readdir(file("e/runs/load/01-a"));
    for (const name of ["load.log", "server.log", "server_metrics_export.json", "summary.md"])
      expect(made).toContain(name);
    // Over: nothing is made again.
    const before = await outline();
    expect(await run()).toMatchObject({ code: 1 });
    expect(await outline()).toEqual(before);
    const report = await runCli(["experiment", "report", "e.experiment.yaml"], { cwd: file("") });
    expect(report.stdout).toMatch(/^# Is b better than a\?\n\nb is worse than a/);
    expect(report.stdout).toContain("| my\\_info setting | 1 | 2 |");
    await copyFile(file("e.experiment.yaml"), file("next.experiment.yaml"));
    const plan = await runCli(["experiment", "plan", "next.experiment.yaml"], { cwd: file("") });
    expect(plan.stdout).toMatch(
      /With 4 blocks, a difference of .* is detected with 80 % power, by the spread of \d+ earlier runs\./,
    );
    expect(plan.stdout).toMatch(
      /^The runs take about \S+ s to \S+ s: \S+ m?s per run under load \(mean of \d+ earlier runs\)\.$/m,
    );
    const files = ["a", "b"].map((name) => `e/runs/load/01-${name}/server_metrics_export.json`);
    const again = await runCli(["experiment", "init", "again.yaml", "--from", ...files], { cwd: file("") });
    expect(again).toMatchObject({ code: 0 });
    expect(await readFile(file("again.yaml"), "utf8")).toMatch(/command: .*sleep 0\.6/);
    const agent = await startMcp(file(""));
    const lines: string[] = [];
    for (let offset: unknown = 0; typeof offset === "number";) {
      const { json } = await agent.call("experiment_result", { experiment: "e.experiment.yaml", offset });
      lines.push(...(json["report"] as string[]));
      offset = json["next_offset"];
    }
    await agent.close();
    const untimed = (text: string) => text.replace(/ on \S+ at \S+ UTC/, "");
    expect(untimed(lines.join("\n"))).toBe(untimed(report.stdout.trimEnd()));
  });

  it("exits as the answer was expected", async () => {
    await experiment({ value: 0.5, blocks: 4 });
    expect(await run("--expect", "better")).toMatchObject({ code: 0 });
    expect(await run("--expect", "equivalent")).toMatchObject({ code: 1 });
  });

  it("joins what the load generator measured", async () => {
    const port = await experiment({
      load: `sleep 0.5; echo \${server_url} > \${run}/url; ${process.execPath} client.cjs \${run}`,
      more: "guards: [{ metric: 'client:request_latency_seconds', statistic: avg, relevant: 3% }]",
    });
    await run();
    expect((await runs())[0]?.["values"]).toMatchObject({
      "client:request_latency_seconds avg": { value: expect.closeTo(0.25, 6) as number },
    });
    expect(await readFile(file("e/runs/load/01-a/url"), "utf8")).toBe(`http://127.0.0.1:${port}\n`);
  });

  it("killed at every step, leaves nothing running and goes on with the first run that is missing", async () => {
    // Two configurations in two blocks of each load.
    await experiment({ ...SLOW, loads: Math.ceil(KILLS / STEPS.length / 4) });
    await run();
    const undisturbed = await outline();
    const folders = (await runs()).map(({ step }) => folderOf(step as PlannedRun)).slice(0, KILLS / STEPS.length);
    await rm(file("e"), { recursive: true });
    for (const folder of folders)
      for (const mark of STEPS) {
        const started = Date.now();
        const running = startCli(["experiment", "run", "e.experiment.yaml"], { cwd: file("") });
        const isThere = () => stat(file(`e/${folder}/${mark}`)).then(({ mtimeMs }) => mtimeMs > started);
        await until(`${mark} of ${folder}`, async () => {
          const isMade = (await runs()).some(({ step }) => folderOf(step as PlannedRun) === folder);
          return isMade || (await isThere().catch(() => false));
        });
        running.child.kill("SIGKILL");
        await running.finished;
        await nothingRuns();
      }
    const { code } = await run();
    expect(code).toBe(3);
    expect(await outline()).toEqual(undisturbed);
    const made = (await runs()).map(({ step }) => folderOf(step as PlannedRun));
    expect(new Set(made).size).toBe(made.length);
    expect(leftRunning(file(""))).toEqual([]);
  });

  it.each([
    ["before a word of its journal", ""],
    ["within the first line of its journal", '\n{"token":"4'],
  ])("killed %s, begins again", async (_, text) => {
    await experiment();
    await mkdir(file("e"));
    await writeFile(file("e/experiment.jsonl"), text);
    expect(await run()).toMatchObject({ code: 3 });
    expect(await runs()).toHaveLength(4);
  });

  it("killed, gives its server time to end, and stops one that has left its group", async () => {
    // The server's shell takes a moment to end; the load none.
    const server = `setsid ${process.execPath} server.cjs \${port} 1 \${block} & wait`;
    await experiment({ load: "sleep 30", server: `trap 'sleep 0.5; touch ended; exit' TERM; ${server}` });
    const running = startCli(["experiment", "run", "e.experiment.yaml"], { cwd: file("") });
    await until("the load to run", () => leftRunning(file("")).some((command) => command.trim() === "sleep 30"));
    running.child.kill("SIGKILL");
    await nothingRuns();
    expect(await readdir(file(""))).toContain("ended");
  });

  it("stops what is left where the guard was killed, too", async () => {
    await experiment({ load: "sleep 30" });
    const running = startCli(["experiment", "run", "e.experiment.yaml"], { cwd: file("") });
    // The load itself, not the shell that waits until the guard knows of it.
    const loads = () => leftRunning(file("")).filter((command) => command.trim() === "sleep 30");
    await until("the load to run", () => loads().length > 0);
    // While it runs, no other one does.
    expect(await run()).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/process \d+ runs the experiment in .*\. Wait for it/) as string,
    });
    const guards = (await startedBy(String(running.child.pid))).map(Number).filter(isGuard);
    expect(guards).toHaveLength(1);
    for (const guard of guards) process.kill(guard, "SIGKILL");
    running.child.kill("SIGKILL");
    await running.finished;
    expect(loads().length).toBeGreaterThan(0);
    await experimentLoad("sleep 30", "sleep 0.6");
    const { stderr } = await run("--anew");
    expect(stderr).toMatch(/left was stopped/);
    expect(leftRunning(file(""))).toEqual([]);
  });

  it("ends after the run under way at a first interrupt, and at once at a second", async () => {
    await experiment({ load: "sleep 1" });
    const first = startCli(["experiment", "run", "e.experiment.yaml"], { cwd: file("") });
    await until("the load to run", () => leftRunning(file("")).some((command) => command.includes("sleep 1")));
    first.child.kill("SIGINT");
    expect(await first.finished).toMatchObject({ code: 3, stdout: expect.stringMatching(/goes on/) as string });
    expect(await runs()).toHaveLength(1);
    expect(leftRunning(file(""))).toEqual([]);
    const second = startCli(["experiment", "run", "e.experiment.yaml"], { cwd: file("") });
    await until("the load to run", () => leftRunning(file("")).some((command) => command.includes("sleep 1")));
    second.child.kill("SIGINT");
    await until("it to be heard", () => second.stderrSoFar().includes("interrupt again"));
    second.child.kill("SIGINT");
    expect(await second.finished).toMatchObject({ code: 3 });
    expect(await runs()).toHaveLength(1);
    expect(leftRunning(file(""))).toEqual([]);
  });

  it("stops all it has started when the editor that runs it is killed", async () => {
    await experiment({ load: "sleep 30" });
    const editor = spawn(process.execPath, ["-e", EDITOR, CLI, "e.experiment.yaml"], {
      cwd: file(""),
      stdio: "ignore",
    });
    await until("the load to run", () => leftRunning(file("")).some((command) => command.trim() === "sleep 30"));
    const shown = await runCli(["experiment", "show", "--json", "e.experiment.yaml"], { cwd: file("") });
    const read: unknown = JSON.parse(shown.stdout);
    expect(read).toMatchObject({ runner: { state: "alive" }, runs: [], planned: [{ block: 1 }, { block: 1 }] });
    editor.kill("SIGKILL");
    await nothingRuns();
    await until("the experiment to be free", async () => !(await readdir(file("e"))).includes(".experiment.lock"));
    await experimentLoad("sleep 30", "sleep 0.6");
    expect(await run()).toMatchObject({ code: 3 });
  });

  it("asks the editor for servers that are started by hand", async () => {
    const port = await experiment({ server: "" });
    const text = await readFile(file("e.experiment.yaml"), "utf8");
    await writeFile(file("e.experiment.yaml"), text.replaceAll(', server: ""', ""));
    const server = spawn(process.execPath, ["server.cjs", String(port), "1", "1"], { cwd: file("") });
    const editor = spawn(process.execPath, ["-e", EDITOR, CLI, "e.experiment.yaml"], { cwd: file("") });
    let asked = "";
    editor.stdout.setEncoding("utf8").on("data", (text) => (asked += text));
    await once(editor, "close");
    server.kill();
    // Of two blocks in turn, a b and b a, the second begins with the server that runs.
    expect(asked.trim().split("\n")).toEqual(["a", "b", "a"].map((name) => `Start the server of ${name}`));
    expect(await runs()).toHaveLength(4);
  });

  it("finds a port in use before it starts a server", async () => {
    const port = await experiment();
    const other = await serve(() => {}, { port });
    const { code, stderr } = await run();
    await other.close();
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`port ${port} is in use already`));
    expect(await runs()).toEqual([]);
  });

  it("shows the last lines of a server that does not start, and ends when no run counts", async () => {
    await experiment({ server: "echo out of memory; exit 7" });
    const { code, stderr, stdout } = await run();
    expect(code).toBe(2);
    expect(stderr).toMatch(/exit code 7 before it was ready. Its last lines: out of memory/);
    expect(stdout).toMatch(/the last four runs did not count/);
  });

  it("makes a run that does not count once more, at the end", async () => {
    await experiment({ load: "sleep 0.6; test -e once || { touch once; echo no GPU; exit 9; }" });
    await run();
    const made = await runs();
    expect(made[0]).toMatchObject({ problems: [expect.stringMatching(/exit code 9\. Its last lines: no GPU$/)] });
    expect(made.at(-1)).toMatchObject({ step: { attempt: 2, block: 1 }, problems: [] });
  });

  it("counts a run as far as the requests that its server says have failed are within `errors`", async () => {
    const server = `FAILING=1 ${process.execPath} server.cjs \${port} 1 \${block}`;
    await experiment({ server, more: "errors: 60%" });
    await run();
    expect((await runs()).slice(0, 2)).toMatchObject([{ problems: [] }, { problems: [] }]);
    await rm(file("e"), { recursive: true });
    await experiment({ server });
    expect(await run()).toMatchObject({ code: 2 });
    expect((await runs())[0]).toMatchObject({ problems: [expect.stringMatching(/^Requests fail: .* 50 % of all/)] });
  });

  it("searches the largest level within a limit", async () => {
    // The metric is the level. Within a factor of 2 is narrow enough.
    await experiment({
      value: 1,
      blocks: 5,
      more: "reset: echo ${level} > level\nsearch: { from: 1, to: 8, limit: 5, resolution: 100% }",
    });
    const { code, stdout, stderr } = await run();
    expect(stdout).toMatch(/a meets my_latency avg ≤ 5 at 2\.83 of load and misses it at 8 \(9[58] % confidence\)/);
    expect(code, stderr).toBe(0);
  });

  it("does not count runs in which the setting took no effect", async () => {
    await experiment({ ofB: ", expect: { my_info: { setting: 3 } }" });
    const { stderr } = await run();
    expect(stderr).toMatch(/my_info has setting="2", and "3" was expected/);
    expect(await runs(), stderr).toHaveLength(6);
    // Once the plan is mended they are made by it, and the others stay.
    await experimentLoad("setting: 3", "setting: 2");
    expect(await run()).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/made again by the new plan: 4 runs that did not count/) as string,
      stdout: expect.stringMatching(/^4 of 4 runs count\.$/m) as string,
    });
    expect(await runs()).toHaveLength(8);
    const show = await runCli(["experiment", "show", "e.experiment.yaml"], { cwd: file("") });
    expect(show.stdout).toMatch(/^4 of 4 runs count\.$/m);
  });

  it("refuses runs of another plan, and sets them aside when asked to", async () => {
    await experiment();
    expect(await run()).toMatchObject({ code: 3 });
    // Other metrics are read from what was captured.
    await experimentLoad(
      "repeats:",
      "guards: [{ metric: my_queue, statistic: avg, relevant: 9%, better: lower }]\nrepeats:",
    );
    const show = await runCli(["experiment", "show", "e.experiment.yaml"], { cwd: file("") });
    expect(show.stdout).toMatch(/b +my_queue avg +undecided +2 .*9 %/);
    await experimentLoad("sleep 0.6", "sleep 0.7");
    const plan = await runCli(["experiment", "plan", "e.experiment.yaml"], { cwd: file("") });
    expect(plan.stderr).toMatch(/made by another plan: load changed\. .*--anew.* sets them aside/);
    const { code, stderr } = await run();
    expect(code).toBe(2);
    expect(stderr).toMatch(/\d runs in .* were made by another plan: load changed/);
    expect(await run("--anew")).toMatchObject({ code: 3 });
    expect(await readdir(file("e/earlier"))).toEqual(["experiment.jsonl", "runs"]);
  });

  it("names file and line of what is wrong", async () => {
    await mkdir(file("x"));
    await writeFile(file("bad.yaml"), "question: q\nprimary: 3\n");
    const { code, stderr } = await runCli(["experiment", "plan", file("bad.yaml")]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/bad\.yaml, line 1: configurations/);
  });
});

async function experimentLoad(from: string, to: string): Promise<void> {
  const path = file("e.experiment.yaml");
  await writeFile(path, (await readFile(path, "utf8")).replace(from, to));
}

/** A shell of the runner's that is none of its commands. */
function isGuard(pid: number): boolean {
  try {
    const isShell = readFileSync(`/proc/${pid}/cmdline`, "latin1").startsWith("/bin/sh\0");
    return isShell && !readFileSync(`/proc/${pid}/environ`, "latin1").includes("SERVER_METRICS_EXPERIMENT=");
  } catch {
    return false;
  }
}
