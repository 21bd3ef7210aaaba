import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { startDemoServer } from "../../src/demo/index.js";
import { exportArtifacts } from "../../src/files/index.js";
import { CLI } from "../support/cli.js";
import { describeReal, realRun } from "../support/real-runs.js";

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: {
    readonly steps: readonly {
      readonly name: string;
      readonly run?: string;
      readonly env?: Readonly<Record<string, string>>;
    }[];
  };
}

const ROOT = path.resolve(import.meta.dirname, "../..");
const ACTION = parse(readFileSync(path.join(ROOT, ".github/actions/gate/action.yml"), "utf8")) as Action;

describeReal("the action that is a gate", (directory) => {
  let dir: string;
  let programs: string;
  const artifact = (run: string) => path.join(dir, run, "server_metrics_export.json");
  const set = (...runs: readonly string[]) => runs.map(artifact).join(" ");

  beforeAll(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "server-metrics-gate-"));
    for (const name of ["A00", "A01", "A02", "A03", "A04", "A05", "B00", "B01", "B02"]) {
      const run = await realRun(path.join(directory, "repeats", name));
      await exportArtifacts(run, { directory: path.join(dir, name), formats: ["json"], verify: false });
    }
    programs = path.join(dir, "programs");
    await mkdir(programs);
    await writeFile(path.join(programs, "gh"), `#!/bin/sh\necho "$@" >> '${path.join(dir, "gh.log")}'\n`);
    await chmod(path.join(programs, "gh"), 0o755);
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  /** Runs the shell of a step as the runner does. @returns its exit code */
  async function runStep(name: string, given: Readonly<Record<string, string>>): Promise<number | null> {
    const step = ACTION.runs.steps.find((one) => one.name === name);
    const known: Record<string, string> = {
      "github.token": "none",
      "github.event.pull_request.html_url": "https://example.com/pull/1",
    };
    for (const [input, { default: fallback }] of Object.entries(ACTION.inputs))
      known[`inputs.${input}`] = given[input] ?? fallback ?? "";
    const valueOf = (text: string) =>
      text.replace(/\$\{\{ (\S+) \}\}/g, (_, expression: string) => known[expression] ?? expression);
    const env = Object.fromEntries(Object.entries(step?.env ?? {}).map(([key, text]) => [key, valueOf(text)]));
    const shell = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step?.run ?? "exit 99"], {
      stdio: "ignore",
      cwd: dir,
      env: {
        ...process.env,
        ...env,
        PATH: `${programs}:${process.env["PATH"] ?? ""}`,
        GITHUB_STEP_SUMMARY: path.join(dir, "step.md"),
      },
    });
    const [status] = (await once(shell, "close")) as [number | null];
    return status;
  }
  const program = { program: `${process.execPath} ${CLI}` };

  it("fails where repeats got worse, and comments what", async () => {
    const given = { ...program, baseline: set("A00", "A01", "A02"), candidate: set("B00", "B01", "B02") };
    expect(await runStep("Compare", given)).toBe(1);
    const report = await readFile(path.join(dir, "server-metrics-gate", "gate.md"), "utf8");
    expect(report).toMatch(/worse/);
    expect(await readFile(path.join(dir, "step.md"), "utf8")).toBe(report);
    expect(await runStep("Comment", given)).toBe(0);
    expect(await readFile(path.join(dir, "gh.log"), "utf8")).toBe(
      "pr comment https://example.com/pull/1 --body-file server-metrics-gate/gate.md --edit-last --create-if-none\n",
    );
  });

  it("passes where nothing changed, with patterns that are no names of files", async () => {
    const given = { ...program, baseline: set("A00", "A01", "A02"), candidate: set("A03", "A04", "A05") };
    expect(await runStep("Compare", given)).toBe(0);
    expect(await runStep("Compare", { ...given, options: "--metrics vllm:*latency* --undecided pass" })).toBe(0);
  });

  it("captures while the command runs, each time as a run of its own", async () => {
    const demo = await startDemoServer({ port: 0, profile: "vllm", seed: 1 });
    try {
      const given = { ...program, endpoints: demo.url, command: "sleep 1 && echo done", repeats: "2", out: "captured" };
      expect(await runStep("Capture", given)).toBe(0);
      expect((await readdir(path.join(dir, "captured"))).sort()).toEqual(["run-1", "run-2"]);
      const baseline = set("A00", "A01", "A02");
      // They are compared together with what is named: here of another load, which the gate does not decide for us.
      expect([0, 1, 3]).toContain(await runStep("Compare", { ...given, baseline }));
      expect(await readFile(path.join(dir, "captured", "gate.md"), "utf8")).toContain("run-1");
    } finally {
      await demo.close();
    }
  });
});
