import { copyFileSync, renameSync } from "node:fs";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseWithPatterns, type ComparisonCell } from "../../src/core/compare/index.js";
import { DEFAULT_COMPARISON_SETTINGS, type IdentifiedComparison } from "../../src/protocol/comparison.js";
import { comparisonViews, isSettled, recordComparedRuns } from "../support/comparison-engine.js";

const view = comparisonViews();
let dir: string;
let small: string;
let large: string;
let logLines: readonly string[];
beforeAll(async () => {
  ({ dir, small, large, logLines } = await recordComparedRuns());
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const KV = "vllm:kv_cache_usage_perc";
const HITS = "vllm:prefix_cache_hits";
const TTFT = "vllm:time_to_first_token_seconds";

/** A cell but for what depends on the number of rows. */
function withoutCorrection(cell: ComparisonCell | undefined): unknown {
  return cell === undefined ? undefined : { ...cell, adjustedP: 0, verdict: "", reason: "" };
}

describe("a comparison engine", () => {
  it("compares averages of key metrics of large files first, then all metrics", async () => {
    const one = view({ largeRows: 1 });
    const reached = one
      .next(({ revision }) => revision === 1)
      .then(async (state) => ({ state, first: (await one.client.call("comparison", {})).comparison }));
    const settled = one.compare([path.join(dir, "large", "server_metrics_export.parquet"), small]);
    const { state, first } = await reached;
    expect(state.runs.map((run) => run.state.kind)).toEqual(["reading", "reading"]);
    expect(first.partial).toBe(true);
    expect(first.warnings[0]).toMatchObject({ kind: "partial", severity: "note" });
    expect(first.rows.every(({ family }) => family.startsWith("vllm:"))).toBe(true);
    const verdicts = (comparison: IdentifiedComparison) =>
      comparison.rows
        .filter(({ family }) => family === TTFT)
        .map(({ quantity, cells }) => [quantity, cells[0]?.verdict])
        .sort();
    expect(verdicts(first)).toEqual([["avg", "no-evidence"]]);
    expect((await settled).problem).toBeUndefined();
    const { revision, comparison } = await one.client.call("comparison", {});
    expect([revision, comparison.partial]).toEqual([2, undefined]);
    expect(verdicts(comparison)).toContainEqual(["p99", "worse"]);
    expect(comparison.rows.length).toBeGreaterThan(first.rows.length);
    expect(comparison.warnings.some(({ kind }) => kind === "partial")).toBe(false);
    // What was compared first has the same values, and their uncertainty.
    for (const row of first.rows) {
      const whole = comparison.rows.find(({ id }) => id === row.id);
      expect([row.baseline, withoutCorrection(row.cells[0])], row.id).toEqual([
        whole?.baseline,
        withoutCorrection(whole?.cells[0]),
      ]);
    }
  });

  it("compares the file that has taken the place of a large one after the first table", async () => {
    const taken = path.join(dir, "taken.parquet");
    const other = path.join(dir, "large", "server_metrics_export.parquet");
    const rowsOf = async (one: ReturnType<typeof view>, files: readonly string[]) => {
      await one.compare(files);
      return (await one.client.call("comparison", {})).comparison.rows.map(({ baseline, cells }) => [baseline, cells]);
    };
    for (const inOrder of [(file: string) => [file, small], (file: string) => [small, file]]) {
      const expected = await rowsOf(view({ largeRows: 1 }), inOrder(other));
      await copyFile(small, taken);
      const one = view({ largeRows: 1 });
      const replaced = one
        .next(({ revision }) => revision === 1)
        .then(() => {
          // In one go: nothing of the file is read in between.
          copyFileSync(other, `${taken}.new`);
          renameSync(`${taken}.new`, taken);
        });
      expect(await rowsOf(one, inOrder(taken))).toEqual(expected);
      await replaced;
    }
  });

  it("reads its runs one by one, says how far it is, and finds what a larger KV cache changes", async () => {
    const one = view();
    const state = await one.compare([small, large]);
    expect(state.problem).toBeUndefined();
    expect(state.runs.map(({ label }) => label)).toEqual(["small", "large"]);
    expect(state.runs.map((run) => run.state.kind)).toEqual(["ready", "ready"]);
    expect(one.states[0]?.runs.map((run) => run.state)).toEqual([
      { kind: "reading", fraction: 0 },
      { kind: "reading", fraction: 0 },
    ]);
    const { revision, comparison } = await one.client.call("comparison", {});
    expect(revision).toBe(1);
    expect([comparison.baseline.label, comparison.candidates.map(({ label }) => label)]).toEqual(["small", ["large"]]);
    const found = comparison.rows.findIndex(({ family, quantity }) => family === TTFT && quantity === "p99");
    expect(comparison.rows[found]?.cells[0]?.verdict).toBe("better");
    expect(comparison.rows[found]?.cells[0]?.share).toBeLessThan(-0.8);
    // How long KV blocks stay changes more.
    expect(found).toBeLessThan(16);
    expect(comparison.configuration.some(({ values }) => values.includes("1500") && values.includes("6000"))).toBe(
      true,
    );
    const changes = await one.client.call("findingChanges", {});
    expect(changes.map(({ run }) => run)).toEqual([large]);
    expect(changes[0]?.gone.map(({ id }) => id)).toContain("kv-pressure");
    // A threshold that neither run reaches leaves nothing that could go.
    const stricter = await one.client.call("findingChanges", { thresholds: { kvUsage: 1.1 } });
    expect(stricter[0]?.gone.map(({ id }) => id)).not.toContain("kv-pressure");
  });

  it("answers for each run by its id, in its own time, and for all runs of a chart at once", async () => {
    const one = view();
    const state = await one.compare([small, path.join(dir, "large", "server_metrics_export.json")]);
    const anchors = state.runs.map((run) => (run.state.kind === "ready" ? run.state.anchors : undefined));
    expect(anchors[0]?.originMs).toBeCloseTo(1_765_000_000_001, -1);
    const { comparison } = await one.client.call("comparison", {});
    const ids = state.runs.map(({ id }) => id);
    expect(comparison.runIds).toEqual(ids);
    const rowOf = (family: string) => comparison.rows.find((row) => row.family === family)?.id ?? "";
    const runs = ids.map((run) => ({ run, window: {} }));
    const limits = { maxPoints: 500, maxSeries: 6, maxJoined: 50 };
    const charts = await one.client.call("runChart", { row: rowOf(KV), runs, ...limits });
    expect(charts.map(({ run, column, seriesCount }) => [run, column, seriesCount])).toEqual([
      [ids[0], 0, 1],
      [ids[1], 1, 1],
    ]);
    for (const [i, low, high] of [
      [0, 0.5, 1],
      [1, 0.05, 0.5],
    ] as const) {
      const values = [...(charts[i]?.data?.lines[0]?.values ?? [])].filter((value) => !Number.isNaN(value));
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      expect([mean > low, mean < high], String(mean)).toEqual([true, true]);
    }
    // A ratio is drawn as the ratio that its row compares, not as the rate of its numerator.
    const ratio = comparison.rows.find(({ quantity, family }) => quantity === "ratio" && family === HITS);
    const shares = await one.client.call("runChart", { row: ratio?.id ?? "", runs, ...limits });
    for (const [i, side] of [ratio?.baseline, ratio?.cells[0]?.candidate].entries()) {
      const [line, ...others] = shares[i]?.data?.lines ?? [];
      expect([line?.quantity, others.length, shares[i]?.data?.unit]).toEqual(["value", 0, "ratio"]);
      const values = [...(line?.values ?? [])].filter((value) => !Number.isNaN(value));
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      expect(mean / (side?.value ?? NaN)).toBeCloseTo(1, 0);
      expect(Math.max(...values)).toBeLessThanOrEqual(1 + 1e-9);
    }
    const heatmaps = await one.client.call("runHeatmap", { row: rowOf(TTFT), runs, maxColumns: 20 });
    expect(heatmaps.map(({ data }) => data?.rates.some((rate) => rate > 0))).toEqual([true, true]);
    const assertions = [parseWithPatterns(`${KV} avg < 0.5`)];
    for (const [i, run] of ids.entries()) {
      const [check] = await one.client.call("runCheck", { run, assertions });
      expect(check?.passed).toBe(i === 1);
    }
    // Nothing of a run is in sight: its series are counted all the same. One that is gone is left out.
    const some = [{ run: ids[1] ?? "" }, { run: "gone", window: {} }];
    expect(await one.client.call("runChart", { row: rowOf(KV), runs: some, ...limits })).toEqual([
      { run: ids[1], column: 1, seriesCount: 1 },
    ]);
    await expect(one.client.call("runCheck", { run: "gone", assertions })).rejects.toMatchObject({ code: "no-run" });
  });

  it("keeps the ids of runs and rows whichever run is the baseline, and whatever a run is called", async () => {
    const elsewhere = path.join(dir, "elsewhere", "small", "server_metrics_export.json");
    await mkdir(path.dirname(elsewhere), { recursive: true });
    const json = await readFile(path.join(dir, "large", "server_metrics_export.json"), "utf8");
    await writeFile(elsewhere, json.replace(/"benchmark_id":\s*"[^"]+"/, '"benchmark_id": "another"'));
    const one = view();
    const before = await one.compare([small, large]);
    const rowsOf = async () => (await one.client.call("comparison", {})).comparison.rows;
    const rows = (await rowsOf()).map(({ id }) => id);
    expect(new Set(rows).size).toBe(rows.length);
    expect(rows.some((id) => id.includes("://"))).toBe(false);
    const ids = before.runs.map(({ id }) => id);

    const swapped = one.next((state) => isSettled(state) && state.revision > before.revision);
    await one.client.call("arrange", { order: [...ids].reverse() });
    const after = await swapped;
    expect(after.runs.map(({ id, label }) => [id, label])).toEqual([
      [ids[1], "large"],
      [ids[0], "small"],
    ]);
    expect((await rowsOf()).map(({ id }) => id).sort()).toEqual([...rows].sort());

    // A run of the same folder name gives another one a longer label; charts are asked by ids and stay.
    const kv = (await rowsOf()).find(({ family }) => family === KV)?.id ?? "";
    const chart = async () =>
      (
        await one.client.call("runChart", {
          row: kv,
          runs: ids.map((run) => ({ run, window: {} })),
          maxPoints: 100,
          maxSeries: 6,
          maxJoined: 50,
        })
      ).map(({ run, data }) => [run, data?.lines.length]);
    const drawn = await chart();
    expect(drawn).toEqual(ids.map((id) => [id, 1]));
    const added = one.next(({ runs }) => runs.length === 3 && runs.every(({ state }) => state.kind === "ready"));
    await one.client.call("addSource", { source: { path: elsewhere } });
    const three = await added;
    expect(three.runs.map(({ label }) => label)).not.toContain("small");
    expect(await chart()).toEqual(drawn);
  });

  it("compares anew, once, when settings change together, and knows them", async () => {
    const one = view();
    await one.compare([small, large]);
    const again = one.next((state) => isSettled(state) && state.revision > 1);
    const changes = [0.1, 0.2, 0.9].map((threshold) => one.client.call("configure", { threshold }));
    await Promise.all([
      ...changes,
      one.client.call("configure", {
        directions: { [KV]: "up" },
        labelRules: [{ label: "engine", mode: "aggregate" }],
      }),
    ]);
    const state = await again;
    expect([state.revision, state.settings.threshold]).toEqual([2, 0.9]);
    const { comparison } = await one.client.call("comparison", {});
    expect(comparison.method.threshold).toBe(0.9);
    expect(comparison.rows.find(({ family, quantity }) => family === KV && quantity === "avg")?.direction).toBe("up");
    expect(comparison.rules.find(({ label }) => label === "engine")?.applied).toBe("aggregate");
  });

  it("turns the differences round with the baseline", async () => {
    const one = view();
    await one.compare([small, large]);
    const cell = async () =>
      (await one.client.call("comparison", {})).comparison.rows.find(
        ({ family, quantity }) => family === TTFT && quantity === "p99",
      )?.cells[0];
    const before = await cell();
    const swapped = one.next((state) => isSettled(state) && state.revision > 1);
    await one.client.call("arrange", { order: [large, small] });
    expect((await swapped).runs.map(({ label }) => label)).toEqual(["large", "small"]);
    const after = await cell();
    expect(after?.difference).toBeCloseTo(-(before?.difference ?? NaN), 12);
    expect([before?.verdict, after?.verdict]).toEqual(["better", "worse"]);
  });

  it("keeps what was found when a run is added, and says what a run alone lacks", async () => {
    const one = view();
    await one.compare([small, large]);
    // Shorter than the others, so that it is no repeat of either.
    const log = path.join(dir, "small", "first-half.jsonl");
    await writeFile(log, logLines.slice(0, logLines.length / 2).join("\n"));
    const added = one.next((state) => isSettled(state) && state.revision > 1);
    await one.client.call("addSource", { source: { path: log, label: "the log" } });
    expect((await added).runs.map(({ label }) => label)).toEqual(["small", "large", "the log"]);
    const { comparison } = await one.client.call("comparison", {});
    expect(comparison.rows[0]?.cells).toHaveLength(2);
    const alone = one.next((state) => isSettled(state) && state.problem !== undefined);
    await one.client.call("arrange", { order: [log] });
    expect((await alone).problem).toEqual({
      code: "nothing-to-compare",
      message: "One run alone cannot be compared.",
      remedy: "Add another run.",
    });
    // What was found of others is not to be had any more.
    await expect(one.client.call("comparison", {})).rejects.toMatchObject({
      code: "no-comparison",
      message: "One run alone cannot be compared.",
    });
    // A run that was taken out can come back.
    const back = one.next((state) => isSettled(state) && state.problem === undefined);
    await one.client.call("addSource", { source: { path: large } });
    expect((await back).runs.map(({ label }) => label)).toEqual(["the log", "large"]);
  });

  it("compares repeats as sets: by their configuration or names, and as a user groups them", async () => {
    const copies = path.join(dir, "repeats");
    const copy = async (from: "small" | "large", name: string, id: string) => {
      const text = await readFile(path.join(dir, from, "server_metrics_export.json"), "utf8");
      await mkdir(path.join(copies, name), { recursive: true });
      const own = text.replace(/("benchmark_id": ?)"[^"]*"/, `$1"${id}"`);
      await writeFile(path.join(copies, name, "server_metrics_export.json"), own);
      return { path: path.join(copies, name, "server_metrics_export.json"), label: name };
    };
    const sources = await Promise.all([
      copy("small", "cand-1", "00000000-0000-4000-8000-000000000011"),
      copy("large", "base-1", "00000000-0000-4000-8000-000000000012"),
      copy("small", "cand-2", "00000000-0000-4000-8000-000000000013"),
      copy("large", "base-2", "00000000-0000-4000-8000-000000000014"),
    ]);
    const one = view();
    const { runs } = await one.compare(sources);
    expect(runs.map(({ label, set }) => [label, runs.find(({ id }) => id === set)?.label])).toEqual([
      ["cand-1", "cand-1"],
      ["cand-2", "cand-1"],
      ["base-1", "base-1"],
      ["base-2", "base-1"],
    ]);
    const { comparison } = await one.client.call("comparison", {});
    expect([comparison.baseline, ...comparison.candidates].map(({ label }) => label)).toEqual(["cand ×2", "base ×2"]);
    expect(comparison.runIds).toEqual([runs[0]?.id, runs[2]?.id]);
    const [c1 = "", c2 = "", b1 = "", b2 = ""] = runs.map(({ id }) => id);
    const regrouped = one.next(isSettled);
    await one.client.call("arrange", { order: [b1, b2, c1, c2], sets: [[b1, b2], [c1], [c2]] });
    await regrouped;
    const second = (await one.client.call("comparison", {})).comparison;
    expect([second.baseline, ...second.candidates].map(({ label }) => label)).toEqual(["base ×2", "cand-1", "cand-2"]);
    // All runs of a set are charted, in its column.
    const row = second.rows.find(({ family }) => family === KV)?.id ?? "";
    const charts = await one.client.call("runChart", {
      row,
      runs: [b1, b2, c2].map((run) => ({ run, window: {} })),
      ...{ maxPoints: 500, maxSeries: 6, maxJoined: 50 },
    });
    expect(charts.map(({ run, column, seriesCount, data }) => [run, column, seriesCount, data?.lines.length])).toEqual([
      [b1, 0, 1, 1],
      [b2, 0, 1, 1],
      [c2, 2, 1, 1],
    ]);
    // The same runs in a later session, given in any order.
    const later = view();
    const again = later.next(isSettled);
    const sets = [[b1, b2], [c1], [c2]];
    const settings = DEFAULT_COMPARISON_SETTINGS;
    await later.client.call("compare", { sources, settings, sets, oldestFirst: true });
    expect((await again).grouped).toBe(true);
    const third = (await later.client.call("comparison", {})).comparison;
    expect([third.baseline, ...third.candidates].map(({ label }) => label)).toEqual(["base ×2", "cand-1", "cand-2"]);
  });

  /** Runs of two configurations by turns. */
  const copies = (count: number) =>
    Promise.all(
      Array.from({ length: count }, async (_, i) => {
        const copy = path.join(dir, "copies", `${i}.json`);
        await mkdir(path.dirname(copy), { recursive: true });
        await writeFile(
          copy,
          (
            await readFile(path.join(dir, i % 2 === 0 ? "small" : "large", "server_metrics_export.json"), "utf8")
          ).replace(/"benchmark_id":\s*"[^"]+"/, `"benchmark_id": "run-${i}"`),
        );
        return copy;
      }),
    );

  it("takes up to 24 candidates", async () => {
    const one = view();
    const state = await one.compare(await copies(25));
    expect(state.problem).toBeUndefined();
    // Those of one configuration are repeats, in the order of the first of them.
    const { baseline, candidates } = (await one.client.call("comparison", {})).comparison;
    expect([baseline, ...candidates].map(({ runs }) => runs.length)).toEqual([13, 12]);
    expect(state.runs.map(({ label }) => Number(label))).toEqual(
      [0, 1].flatMap((odd) => Array.from({ length: 13 - odd }, (_, i) => 2 * i + odd)),
    );
    await expect(one.client.call("addSource", { source: { path: large } })).rejects.toMatchObject({
      code: "unusable-settings",
      message: "a baseline can be compared with up to 24 others",
    });
  });

  it("shows the first of many candidates before all are compared", async () => {
    const one = view();
    const paths = await copies(7);
    const settled = one.next(isSettled);
    const sets = paths.map((own) => [own]);
    const sources = paths.map((own) => ({ path: own }));
    await one.client.call("compare", { sources, settings: DEFAULT_COMPARISON_SETTINGS, sets });
    expect((await settled).revision).toBe(2);
    expect(one.states.find(({ revision }) => revision === 1)?.comparing).toBeGreaterThan(0);
    expect((await one.client.call("comparison", {})).comparison.candidates.length).toBe(6);
  });

  it("reports what it found, whole or by rows", async () => {
    const one = view();
    await one.compare([small, large]);
    const { comparison } = await one.client.call("comparison", {});
    const text = async (format: "markdown" | "csv" | "json", rows?: readonly string[]) =>
      (await one.client.call("report", { format, ...(rows === undefined ? {} : { rows }) })).text;
    expect(await text("markdown")).toMatch(/^## small → large\n/);
    expect(await text("markdown")).toContain(TTFT);
    const undecided = comparison.rows.find(({ cells }) => cells[0]?.verdict === "no-evidence")!;
    expect(await text("markdown")).not.toContain(`\`${undecided.family}\` | ${undecided.quantity} `);
    expect(await text("markdown", [undecided.id])).toContain(undecided.family);
    expect((await text("csv")).trimEnd().split("\r\n")).toHaveLength(comparison.rows.length + 1);
    expect((await text("csv", [undecided.id])).trimEnd().split("\r\n")).toHaveLength(2);
    expect(
      (JSON.parse(await text("json", [undecided.id])) as { rows: { id: string }[] }).rows.map(({ id }) => id),
    ).toEqual([undecided.id]);
  });
});
