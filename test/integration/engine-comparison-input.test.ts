import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ComparisonState } from "../../src/protocol/comparison.js";
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

const write = async (name: string, content: string | Uint8Array) => {
  const file = path.join(dir, name);
  await writeFile(file, content);
  return file;
};

describe("what cannot be compared", () => {
  const errors = ({ runs }: ComparisonState) =>
    runs.map(({ state }) =>
      state.kind === "failed" ? `${state.error.message} ${state.error.remedy ?? ""}`.trim() : state.kind,
    );

  it("is reported where it was tried, and the rest is compared", async () => {
    const empty = await write("empty.jsonl", "");
    const gone = path.join(dir, "gone.parquet");
    const torn = await write("torn.parquet", (await readFile(small)).subarray(0, 5000));
    const scrape = await write("one.prom", "# TYPE up gauge\nup 1\n");
    const other = path.join(dir, "other", "server_metrics_export.jsonl");
    const one = view();
    const state = await one.compare([small, empty, gone, small, torn, scrape, other, large]);
    expect(state.problem).toBeUndefined();
    expect((await one.client.call("comparison", {})).comparison.candidates.map(({ label }) => label)).toEqual([
      "large",
    ]);
    const [first, second, ...rest] = errors(state);
    expect([first, second]).toEqual(["ready", "ready"]);
    expect(state.runs[1]?.label).toBe("large");
    expect(rest.map((text) => text.replaceAll(dir, ""))).toEqual([
      expect.stringMatching(/^\/empty\.jsonl is empty: JSON, .* was expected\.$/),
      expect.stringMatching(/^\/gone\.parquet cannot be read: there is no such file or folder\.$/),
      "/small/server_metrics_export.parquet is given twice: a run cannot be compared with itself. Choose another run.",
      expect.stringMatching(/^\/torn\.parquet cannot be read as Parquet: .*cut short/),
      expect.stringMatching(/^\/one\.prom is a single scrape: .* Choose a capture of several scrapes\.$/),
      expect.stringMatching(
        /^These runs have no metric family in common: small holds vLLM, other holds acme_\w+\. Choose/,
      ),
    ]);
  });

  it("is tried again when it is added again", async () => {
    const late = path.join(dir, "late.json");
    const one = view();
    expect((await one.compare([small, late])).problem?.code).toBe("nothing-to-compare");
    await writeFile(late, await readFile(path.join(dir, "large", "server_metrics_export.json")));
    const again = one.next((state) => isSettled(state) && state.problem === undefined);
    await one.client.call("addSource", { source: { path: late } });
    expect((await again).runs.map(({ state }) => state.kind)).toEqual(["ready", "ready"]);
  });

  it("is read again on demand, in its place, as often as it takes", async () => {
    const late = path.join(dir, "being-written.jsonl");
    const whole = await readFile(large, "utf8");
    const one = view();
    await one.compare([small, late, path.join(dir, "large", "server_metrics_export.json")]);
    const readAgain = async () => {
      const read = one.next(({ runs }) => runs.some(({ state }) => state.kind === "reading"));
      const settled = read.then(() => one.next(isSettled));
      await one.client.call("readAgain", { runs: [late] });
      return settled;
    };
    const before = one.states.at(-1)!;
    expect(before.runs.map(({ state }) => state.kind)).toEqual(["ready", "ready", "failed"]);
    // Still not there: the reason stays, and so does what was found of the others.
    const still = await readAgain();
    expect(errors(still)).toEqual(errors(before));
    expect(still.problem).toBeUndefined();
    await writeFile(late, whole.slice(0, 40));
    expect(errors(await readAgain())[2]).toMatch(/being-written\.jsonl/);
    await writeFile(late, whole.replaceAll("small", "late"));
    const after = await readAgain();
    expect(after.runs.map(({ label, state }) => [label, state.kind])).toEqual([
      ["small", "ready"],
      ["large", "ready"],
      [before.runs[2]!.label, "ready"],
    ]);
    expect((await one.client.call("comparison", {})).comparison.candidates).toHaveLength(2);
    expect(after.revision).toBeGreaterThan(before.revision);
    await expect(one.client.call("readAgain", { runs: ["gone"] })).rejects.toMatchObject({
      code: "unusable-settings",
      message: "there is no run gone in this comparison",
    });
  });

  it("compares the readable part of a JSONL that was cut off", async () => {
    const text = await readFile(large, "utf8");
    const torn = await write("torn.jsonl", text.slice(0, Math.floor(text.length * 0.8)));
    const one = view();
    const state = await one.compare([small, torn]);
    expect(state.problem).toBeUndefined();
    const [, run] = state.runs;
    expect(run?.state.kind === "ready" && run.state.header.problems.map(({ reason }) => reason).join()).toMatch(
      /cut off/,
    );
    expect((await one.client.call("comparison", {})).comparison.warnings.map(({ kind }) => kind)).toContain("length");
  });

  it("is one sentence and what to do when nothing is left", async () => {
    const other = path.join(dir, "other", "server_metrics_export.json");
    expect((await view().compare([small, other])).problem).toEqual({
      code: "incomparable",
      message:
        "These runs have no metric family in common: small holds vLLM, other holds acme_e2e_request_latency_seconds.",
      remedy: "Choose runs of the same kind of server.",
    });
    const missing = await view().compare([small, path.join(dir, "gone.parquet")]);
    expect(missing.problem).toEqual({
      code: "nothing-to-compare",
      message: "1 of 2 runs could not be read, so there is nothing to compare.",
      remedy: "Add another run.",
    });
    const one = view();
    await one.compare([path.join(dir, "gone.json"), path.join(dir, "gone.csv")]);
    await expect(one.client.call("comparison", {})).rejects.toMatchObject({ code: "no-comparison" });
    await expect(one.client.call("report", { format: "csv" })).rejects.toMatchObject({ code: "no-comparison" });
    await expect(
      one.client.call("runCheck", { run: path.join(dir, "gone.json"), assertions: [] }),
    ).rejects.toMatchObject({
      code: "no-run",
      message: expect.stringContaining("no such file") as string,
    });
  });
});

describe("a run that is being captured", () => {
  it("is compared anew as its journal grows, until profiling has ended", async () => {
    const journal = path.join(dir, "journal-1-now.jsonl.gz");
    const artifact = (await readFile(path.join(dir, "large", "server_metrics_export.jsonl"), "utf8"))
      .trimEnd()
      .split("\n");
    const end = artifact.findIndex((line) => line.includes('"profiling_end"'));
    const member = (from: number, to: number) => gzipSync(`${artifact.slice(from, to).join("\n")}\n`);
    expect(end).toBeGreaterThan(logLines.length / 2);
    await writeFile(journal, member(0, 400));
    const one = view();
    // Compared with values of gauges alone, which takes no time: the pace goes by that.
    const csv = await readFile(path.join(dir, "small", "server_metrics_export.csv"), "utf8");
    const gauges = csv.slice(0, csv.indexOf("\r\n\r\n"));
    const state = await one.compare([
      { path: journal, live: true, label: "now" },
      { path: await write("gauges.csv", `${gauges}\r\n`), label: "small" },
    ]);
    expect(state.runs[0]?.source.live).toBe(true);
    const seconds = async () => (await one.client.call("comparison", {})).comparison.baseline.runs[0]!.seconds;
    const header = (now: ComparisonState) =>
      now.runs[0]?.state.kind === "ready" ? now.runs[0].state.header : undefined;
    expect(header(state)?.state).toBe("capturing");
    const before = await seconds();
    const grown = one.next(({ revision }) => revision > state.revision);
    await writeFile(journal, member(400, 600), { flag: "a" });
    const later = await grown;
    expect(await seconds()).toBeGreaterThan(before + 30);
    expect(header(later)!.scrapes).toBeGreaterThan(header(state)!.scrapes! + 150);
    const over = one.next(({ runs }) => runs[0]?.source.live === undefined);
    await writeFile(journal, member(600, artifact.length), { flag: "a" });
    expect(header(await over)?.state).toBe("opened");
    expect(await seconds()).toBeCloseTo(240, 0);

    // Once it is written, its journal goes.
    const written = path.join(dir, "large", "server_metrics_export.json");
    const moved = one.next((now) => isSettled(now) && now.runs[0]?.source.path === written);
    await rm(journal);
    await one.client.call("moveSource", { from: journal, to: written });
    expect((await moved).runs.map((run) => [run.label, run.state.kind])).toEqual([
      ["now", "ready"],
      ["small", "ready"],
    ]);
  });
});
