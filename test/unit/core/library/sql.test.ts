import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { duckdbRows } from "../../../../src/cli/commands/sql.js";
import { cellOf, libraryViews, type LibraryRun } from "../../../../src/core/library/index.js";
import { exportArtifacts } from "../../../../src/files/index.js";
import { readLibrary } from "../../../../src/files/library/library.js";
import { built, distinct, noisy } from "../../../support/comparing.js";
import { query } from "../../../support/duckdb.js";
import { ROOT } from "../../../support/repository-files.js";

const DOCUMENT = await readFile(join(ROOT, "docs/sql.md"), "utf8");
const QUESTIONS = [...DOCUMENT.matchAll(/\n\n([^\n]+\?)\n\n```sql\n(.*?)```/gs)].map(([, question = "", sql = ""]) => ({
  question,
  sql,
}));

let dir: string;
let runs: readonly LibraryRun[];

beforeAll(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), "server-metrics-sql-")));
  process.env["XDG_CACHE_HOME"] = join(dir, ".cache");
  for (const [i, name] of ["it's", "b", "c"].entries()) {
    const run = distinct(
      built(
        (s, r) => [
          ...noisy("vllm:num_requests_running", 10 * (i + 1), { model_name: "m" })(s, r),
          ...noisy("vllm:num_requests_waiting", i + 1)(s, r),
          ...noisy("vllm:kv_cache_usage_perc", 0.2 * (i + 1))(s, r),
          { name: "vllm:generation_tokens", type: "counter", labels: { model_name: "m" }, value: 50 * (i + 1) * s },
          { name: "vllm:prefix_cache_hits", type: "counter", value: (i + 1) * s },
          { name: "vllm:prefix_cache_queries", type: "counter", value: 10 * s },
          ...["vllm:time_to_first_token_seconds", "vllm:e2e_request_latency_seconds"].map((histogram) => ({
            name: histogram,
            labels: { model_name: "m" },
            buckets: { "0.1": s, "0.5": 2 * s, "+Inf": 2 * s },
            sum: 0.3 * s,
            count: 2 * s,
          })),
        ],
        { seconds: 40 },
      ),
    );
    run.configure({
      label: `label of ${name}`,
      concurrency: 2 ** i,
      provenance: { git: { commit: `commit ${i}` }, machine: { cores: 8 } },
    });
    await exportArtifacts(run, { directory: join(dir, name), formats: ["json", "csv", "parquet"], verify: false });
  }
  runs = await readLibrary(dir);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const ask = (sql: string) => query(`${libraryViews(runs)}\n${sql}`);

describe("the questions of docs/sql.md", () => {
  it("are ten", () => expect(QUESTIONS).toHaveLength(10));

  it.each(QUESTIONS)("$question", async ({ sql }) => {
    const rows = await ask(sql);
    expect(rows.length).toBeGreaterThan(0);
    // No column is empty in all rows.
    for (const name of Object.keys(rows[0] ?? {}))
      expect(rows.map((row) => row[name]).some((value) => value !== null)).toBe(true);
  });

  it("get true answers", async () => {
    const byQuestion = (part: string) => ask(QUESTIONS.find(({ question }) => question.includes(part))?.sql ?? "");
    const rates = (await byQuestion("prefix cache")).map((row) => Number(row["hit_rate"]));
    for (const [i, rate] of rates.entries()) expect(rate).toBeCloseTo((i + 1) / 10, 6);
    const settings = await byQuestion("settings differ");
    expect(settings.map(({ key }) => key)).toEqual(["concurrency", "git.commit", "label"]);
    const [best] = await byQuestion("commit was best");
    expect(best).toMatchObject({ commit: "commit 2", run: "c" });
    const [fullest] = await byQuestion("KV cache");
    expect(fullest?.["run"]).toBe("c");
  });
});

it("the library's SQL gives the statistics that the library reads of the run's own JSON", async () => {
  const statistics = await ask("SELECT run, metric_name, metric_type, avg, max, total, rate, count FROM statistics");
  expect(statistics).toHaveLength(3 * 8);
  for (const { run: id, metric_name: name, metric_type: type, ...values } of statistics) {
    const run = runs.find((one) => cellOf(one, "run") === id);
    const wanted = type === "gauge" ? ["avg", "max"] : type === "counter" ? ["total", "rate"] : ["avg", "count"];
    for (const statistic of wanted)
      expect(Number(values[statistic]), `${String(name)} ${statistic}`).toBeCloseTo(
        Number(run === undefined ? NaN : cellOf(run, `${String(name)} ${statistic}`)),
        4,
      );
  }
});

it("the library's SQL answers for the command line, in values that JSON has, and says what DuckDB refuses", async () => {
  const views = libraryViews(runs);
  const rows = await duckdbRows(`${views}SELECT label, started, tokens FROM runs ORDER BY run DESC LIMIT 1`);
  expect(rows).toEqual([
    { label: "label of it's", started: expect.stringMatching(/^2025-12-06/) as string, tokens: 50 },
  ]);
  await expect(duckdbRows(`${views}SELECT nothing FROM runs`)).rejects.toThrow(
    /DuckDB refuses the statement: .*nothing/,
  );
});

it("the library's SQL makes a view of no runs, too", async () => {
  expect(await query(`${libraryViews([])}SELECT count(*) AS n, count(settings) AS s FROM runs`)).toEqual([
    { n: 0n, s: 0n },
  ]);
});
