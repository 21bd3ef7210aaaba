import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { AgentCaptures } from "../../../src/agents/captures.js";
import { RunFolder } from "../../../src/agents/folder.js";
import { RunReader } from "../../../src/agents/reader.js";
import { callTool } from "../../../src/agents/tool.js";
import { listRuns } from "../../../src/agents/tools/list-runs.js";
import { EXPERIMENT_JOURNAL, EXPERIMENT_LOCK } from "../../../src/files/experiment-folder.js";
import { exportArtifacts } from "../../../src/files/index.js";
import { ownerText, thisOwner } from "../../../src/files/owner.js";
import { built, distinct, noisy } from "../../support/comparing.js";

let dir: string;
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), "server-metrics-list-runs-")));
  process.env["XDG_CACHE_HOME"] = join(dir, ".cache");
  for (const [i, name] of ["a", "b", "c"].entries()) {
    const run = distinct(built(noisy("vllm:num_requests_running", 10 * (i + 1)), { seconds: 20 }));
    run.configure({ label: `label of ${name}`, concurrency: 2 ** i });
    await exportArtifacts(run, { directory: join(dir, name), formats: ["json"], verify: false });
  }
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function asked(input: object) {
  const folder = await RunFolder.at(dir);
  const origins = { named: new Set<string>(), allow: () => Promise.resolve("no" as const) };
  const context = { runs: new RunReader(folder), captures: new AgentCaptures(folder), origins };
  const { text } = await callTool(listRuns, input, context);
  return JSON.parse(text) as {
    data: { runs?: readonly Record<string, unknown>[]; under_way?: unknown; error?: string };
  };
}

it("filters, sorts and shows columns of the runs", async () => {
  const MEAN = "vllm:num_requests_running avg";
  const { data } = await asked({ filter: "concurrency >= 2", sort: `-${MEAN}`, columns: ["label", "load", MEAN] });
  expect(data.runs?.map(({ label, load }) => [label, load])).toEqual([
    ["label of c", "concurrency 4"],
    ["label of b", "concurrency 2"],
  ]);
  expect(data.runs?.[0]?.[MEAN]).toBeCloseTo(30, 0);
});

it("list_runs tells an experiment under way, which is no run", async () => {
  await mkdir(join(dir, "batch"));
  await writeFile(join(dir, "batch", EXPERIMENT_JOURNAL), "");
  await writeFile(join(dir, "batch", EXPERIMENT_LOCK), ownerText(thisOwner()));
  for (const input of [{}, { columns: ["label"] }]) {
    const { data } = await asked(input);
    expect(data.under_way).toEqual([{ id: "batch", state: "running, 0 runs" }]);
    expect(data.runs).toHaveLength(3);
  }
});

it("list_runs says what is wrong with a filter", async () => {
  expect((await asked({ filter: "ttft <" })).data.error).toMatch(/The filter cannot be read/);
});
