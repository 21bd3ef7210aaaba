import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { LibraryRun } from "../../../src/core/library/index.js";
import { runHistory } from "../../../src/engine/run-history.js";

let repository: string;

beforeEach(async () => {
  repository = await mkdtemp(join(tmpdir(), "server-metrics-history-"));
  git("init", "--quiet");
});
afterEach(async () => {
  await rm(repository, { recursive: true, force: true });
});

const git = (...args: string[]): string =>
  execFileSync("git", ["-C", repository, "-c", "user.name=a", "-c", "user.email=a@b.c", ...args], {
    encoding: "utf8",
  }).trim();

function commit(subject: string): string {
  git("commit", "--quiet", "--allow-empty", "-m", subject);
  return git("rev-parse", "HEAD");
}

function run(i: number, head: string, ttft: number): LibraryRun {
  return {
    id: `run-${i}`,
    files: [],
    modified: i,
    about: {
      benchmarkId: String(i),
      startMs: i,
      seconds: 10,
      endpoints: [],
      configured: {},
      provenance: { "git.commit": head },
    },
    measured: {
      servers: [],
      models: [],
      facts: {},
      points: [],
      values: new Map([
        ["ttft.p99", ttft],
        ["tokens", 100 + (i % 2)],
        ["client.concurrency", 8],
        ["vllm:num_preemptions total", ttft > 0.15 ? 40 + i : i],
      ]),
    },
    note: {},
  };
}

it("of runs says where a metric changed for good, which way, and the commits in between", async () => {
  const before = commit("before");
  const [first, second] = [commit("scheduler: smaller batches"), commit("attention: new kernel")];
  const runs = [0.1, 0.102, 0.099, 0.101, 0.1, 0.1, 0.2, 0.203, 0.199, 0.201, 0.2, 0.2].map((ttft, i) =>
    run(i, i < 6 ? before : second, ttft),
  );
  const columns = ["ttft.p99", "tokens", "client.concurrency", "vllm:num_preemptions total", "time"];
  // The table's order and its groups are no course.
  const history = await runHistory(repository, runs.toReversed(), { columns, sort: "tokens", grouped: "repeats" });
  expect(history.runs.map(({ id }) => id)).toEqual(runs.map(({ id }) => id));
  expect(history.courses.map(({ column }) => column.name)).toEqual([
    "ttft.p99",
    "tokens",
    "vllm:num_preemptions total",
  ]);
  const [ttft, tokens, preemptions] = history.courses;
  expect(ttft?.steps).toMatchObject([
    {
      at: 6,
      verdict: "worse",
      commits: [`${second.slice(0, 7)} attention: new kernel`, `${first.slice(0, 7)} scheduler: smaller batches`],
    },
  ]);
  expect(ttft?.steps[0]?.text).toMatch(/^100 ms → 20[01] ms, \+\d+(\.\d+)? %, worse \(p/);
  expect(tokens?.steps).toEqual([]);
  expect(preemptions?.steps).toMatchObject([{ at: 6, verdict: "worse" }]);
});

it("of runs whose commits the repository does not have names none, and passes nothing else to Git", async () => {
  const history = await runHistory(
    repository,
    [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2].map((ttft, i) => run(i, i < 6 ? "0123456789" : "--output=x", ttft)),
    { columns: ["ttft.p99"] },
  );
  expect(history.courses[0]?.steps).toMatchObject([{ at: 6, commits: [] }]);
});
