import { join } from "node:path";
import { spawnComparison } from "../../../src/engine/client.js";
import type { ComparisonState } from "../../../src/protocol/comparison.js";
import { linesOf, scaleRun, VLLM, type RunScale } from "../../support/scale-run.js";
import type { BenchRow, Task } from "./frame.js";
import { inputFile, writeRun } from "./inputs.js";
import { duckdb, rowsOf } from "./parquet-rows.js";

/** Five endpoints of 500 lines at 333 ms; the scale is in hours. */
const hours = (scale: number): RunScale => ({
  endpoints: 5,
  scalars: 104,
  histograms: 18,
  bounds: 20,
  scrapes: Math.round(10_800 * scale),
  named: VLLM,
});

const work = (scale: number) => {
  const run = hours(scale);
  return `twice ${(rowsOf(run) / 1e6).toFixed(1)} M rows: ${run.endpoints} endpoints × ${linesOf(run)} lines × ${run.scrapes} scrapes`;
};

const SEEDS = [1, 2] as const;

const oneRun = (scale: number, seed: number) =>
  inputFile(`hours-${scale}-${seed}.parquet`, async (path) => {
    await writeRun(path, scaleRun({ ...hours(scale), seed }));
  });

async function twoRuns(scale: number): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const seed of SEEDS) paths.push(await oneRun(scale, seed));
  return paths;
}

/** From the command to the state in which it is done, as a page of the extension sees it. */
const comparing =
  (isDone: (state: ComparisonState) => boolean): Task =>
  async (scale) => {
    const sources = (await twoRuns(scale)).map((path) => ({ path }));
    return async () => {
      const { client, dispose } = spawnComparison(join(__dirname, "comparison.js"));
      const done = new Promise<void>((resolve) => client.on("state", (state) => void (isDone(state) && resolve())));
      const settings = { threshold: 0.03, labelRules: [], directions: {}, objectives: [] };
      await client.call("compare", { sources, settings });
      await done;
      await dispose();
    };
  };

const totals = duckdb(
  (path) =>
    `select endpoint_url, metric_name, avg(value), max(sum), max(count), max(bucket_count) from '${path}' group by all`,
);

export const COMPARE_ROWS: readonly BenchRow[] = [
  {
    name: "two one-hour runs compared, first table",
    work,
    inputs: twoRuns,
    goal: { seconds: 1 },
    quick: 0.02,
    cold: true,
    ours: comparing(({ revision }) => revision > 0),
    anchor: {
      name: "DuckDB, averages and totals of one of them",
      task: totals((scale) => oneRun(scale, SEEDS[0])),
    },
  },
  {
    name: "two one-hour runs compared, whole",
    work,
    inputs: twoRuns,
    goal: { seconds: 5 },
    growth: [0.01, 0.1, 1],
    cold: true,
    ours: comparing(({ runs, comparing: left, revision }) => {
      return revision > 0 && left === undefined && runs.every(({ state }) => state.kind === "ready");
    }),
    anchor: {
      name: "DuckDB, averages and totals of one of them",
      task: totals((scale) => oneRun(scale, SEEDS[0])),
    },
  },
];
