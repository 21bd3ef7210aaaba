import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { AGENT_TOOLS, AgentCaptures, callTool, RunFolder, RunReader } from "../../../src/agents/index.js";
import { parseDefinition } from "../../../src/core/experiment/index.js";
import { ownerText, thisOwner } from "../../../src/files/owner.js";

const FILE = `question: Is b better than a?
endpoints: [http://127.0.0.1:9/metrics]
configurations: [{ name: a, server: serve a }, { name: b, server: serve b }]
loads: [{ name: steady, command: load }]
primary: { metric: my_latency, statistic: avg, relevant: 3%, better: lower }
guards: [{ metric: my_queue, statistic: p99, relevant: 5%, better: lower }]
repeats: { min: 2, max: 4 }
`;

let outer: string;
let dir: string;
beforeEach(async () => {
  outer = await realpath(await mkdtemp(join(tmpdir(), "server-metrics-experiments-")));
  dir = join(outer, "project");
  await mkdir(dir);
  await writeFile(join(dir, "e.experiment.yaml"), FILE);
});
afterEach(() => rm(outer, { recursive: true, force: true }));

async function asked(name: string, input: object) {
  const tool = AGENT_TOOLS.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  const folder = await RunFolder.at(dir);
  const { text } = await callTool(tool, input, {
    runs: new RunReader(folder),
    captures: new AgentCaptures(folder),
    origins: { named: new Set(), allow: () => Promise.resolve("no") },
  });
  return JSON.parse(text) as { data: Readonly<Record<string, unknown>>; next?: string };
}

/** Runs of three blocks, b's latencies twice as long, and one that does not count. */
async function record(out: string): Promise<void> {
  const run = (configuration: string, block: number, latency: number, problems: readonly string[] = []) => ({
    step: { load: "steady", configuration, block, attempt: 1 },
    problems,
    values: { "my_latency avg": { value: latency, error: 0 }, "my_queue p99": { value: 3, error: 0 } },
    seconds: 60,
  });
  const runs = [1, 2, 3].flatMap((block) => [run("a", block, 1 + block / 1000), run("b", block, 2 + block / 500)]);
  const lines = [
    { token: "t", definition: parseDefinition(FILE) },
    ...[...runs, run("a", 4, 1, ["The load failed.\u200b"])].map((one) => ({ run: one })),
  ];
  await mkdir(out, { recursive: true });
  await writeFile(join(out, "experiment.jsonl"), lines.map((line) => JSON.stringify(line)).join("\n"));
}

it("an experiment tool shows the plan of a file, and starts nothing", async () => {
  const { data, next } = await asked("plan_experiment", { experiment: "e.experiment.yaml" });
  expect(data).toMatchObject({ experiment: "e.experiment.yaml", question: "Is b better than a?" });
  expect((data["plan"] as string[])[0]).toBe("2 to 4 blocks of a and b under steady: 4 to 8 runs.");
  expect(next).toContain("server-metrics experiment run");
  // Its file is changed once there are runs.
  await record(join(dir, "e"));
  await writeFile(join(dir, "e.experiment.yaml"), FILE.replace("serve b", "serve c"));
  const { data: changed } = await asked("plan_experiment", { experiment: "e.experiment.yaml" });
  expect((changed["plan"] as string[]).at(-1)).toMatch(/^6 runs in .* were made by another plan: b changed\. .*--anew/);
  const { data: said } = await asked("experiment_status", { experiment: "e.experiment.yaml" });
  expect(said["other_plan"]).toMatch(/were made by another plan: b changed/);
  const { data: result } = await asked("experiment_result", { experiment: "e.experiment.yaml" });
  expect((result["report"] as string[])[2]).toMatch(/were made by another plan: b changed/);
  const tools = AGENT_TOOLS.filter(({ name }) => name.includes("experiment"));
  expect(tools.map(({ readOnly }) => readOnly)).toEqual([true, true, true]);
});

it("an experiment tool says how far it is, and whether it runs", async () => {
  const out = join(dir, "elsewhere/runs");
  await record(out);
  const status = () => asked("experiment_status", { experiment: "e.experiment.yaml", out: "elsewhere/runs" });
  expect((await status()).data).toMatchObject({
    running: "no",
    runs: "6 of 7 runs count.",
    invalid: [expect.stringMatching(/^runs\/steady\/04-a does not count: The load failed\./)],
    metrics: [
      { candidate: "b", metric: "my_latency avg", state: "worse", blocks: "3" },
      { candidate: "b", metric: "my_queue p99" },
    ],
  });
  await writeFile(join(out, ".experiment.lock"), ownerText(thisOwner()));
  expect((await status()).data["running"]).toBe("yes");
});

it("an experiment tool gives the answer first, then the report, page by page", async () => {
  const input = { experiment: "e.experiment.yaml" };
  expect((await asked("experiment_result", input)).data["error"]).toMatch(
    /^No run of e\.experiment\.yaml has been made/,
  );
  await record(join(dir, "e"));
  const lines: string[] = [];
  for (let offset: unknown = 0; typeof offset === "number";) {
    const { data } = await asked("experiment_result", { ...input, offset });
    lines.push(...(data["report"] as string[]));
    offset = data["next_offset"];
  }
  expect(lines.slice(0, 3)).toEqual([
    "# Is b better than a?",
    "",
    expect.stringMatching(/^b is worse than a under steady: my\\_latency avg is 100 % higher/),
  ]);
  expect(lines.filter((line) => line.startsWith("| runs/steady/"))).toHaveLength(7);
});

it("an experiment tool reads no other file, and nothing outside of its folder", async () => {
  await writeFile(join(outer, "out.experiment.yaml"), "secret: true");
  await writeFile(join(dir, "secret.yaml"), "secret: true");
  await symlink(join(outer, "out.experiment.yaml"), join(dir, "link.experiment.yaml"));
  await symlink(outer, join(dir, "folder"));
  await record(join(outer, "runs"));
  for (const [input, words] of [
    [{ experiment: "../out.experiment.yaml" }, /lies outside/],
    [{ experiment: "link.experiment.yaml" }, /is a link/],
    [{ experiment: "folder/out.experiment.yaml" }, /lies outside/],
    [{ experiment: "secret.yaml" }, /is no experiment's file/],
    [{ experiment: "a\0.experiment.yaml" }, /lies outside/],
    [{ experiment: "none.experiment.yaml" }, /none\.experiment\.yaml/],
    [{ experiment: "e.experiment.yaml", out: ".." }, /lies outside/],
    [{ experiment: "e.experiment.yaml", out: "folder/runs" }, /lies outside/],
  ] as const) {
    const { data } = await asked("experiment_result", input);
    expect(data["error"]).toMatch(words);
    expect(JSON.stringify(data)).not.toContain("secret: true");
  }
});

it("an experiment tool says on which line a file is wrong", async () => {
  await writeFile(join(dir, "e.experiment.yaml"), FILE.replace("repeats:", "repeat:"));
  expect((await asked("plan_experiment", { experiment: "e.experiment.yaml" })).data["error"]).toMatch(
    /e\.experiment\.yaml, line 7: there is no "repeat" here/,
  );
});
