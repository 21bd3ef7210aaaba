import { describe, expect, it } from "vitest";
import { JsonlReader, parseExact, RunAssembler } from "../../../../src/core/artifacts/index.js";
import { epochNs, type FamilyResult, type NamedPhase, type RunMetadata } from "../../../../src/core/model/index.js";
import { findPhase, parsePhaseList, runPhases, statisticsByPhase } from "../../../../src/core/window/index.js";
import { complete, runStatistics } from "../../../../src/core/stats/index.js";
import type { Run } from "../../../../src/core/store/index.js";
import { jsonlLines } from "../../../support/jsonl-lines.js";
import { ORIGIN, RunBuilder, SECOND } from "../../../support/run-builder.js";

const URL = "http://localhost:8000/metrics";
const at = (seconds: number) => epochNs(ORIGIN + BigInt(Math.round(seconds * SECOND)));
const unitOf = () => undefined;
const METADATA = { benchmarkId: "b", endpointsConfigured: [], sliceDurationSeconds: 5, inputConfig: {} };

/** A scrape a second for 20 s; the counter rises by 1 a second in the warm-up, by 10 from 5 s on. */
function run(): Run {
  const builder = new RunBuilder();
  for (let i = 0; i <= 20; i++) {
    const value = i <= 5 ? i : 5 + (i - 5) * 10;
    builder.scrape(i, [
      { name: "c", type: "counter", value },
      { name: "g", type: "gauge", value: i },
    ]);
  }
  return builder.window(5.5, 20).run;
}

/** The run of a JSONL's lines, none of which is a problem. */
function assembled(lines: readonly string[], metadata: RunMetadata = METADATA): Run {
  const assembler = new RunAssembler();
  const reader = new JsonlReader({
    onScrape: (scrape, phase) => assembler.scrape(scrape, phase),
    onEvent: (event) => assembler.event(event),
    onProblem: ({ message }) => expect.fail(message),
  });
  reader.push(new TextEncoder().encode([...lines, ""].join("\n")));
  reader.end();
  return assembler.assemble(metadata, reader);
}

const counterOf = (families: readonly FamilyResult[]) => {
  const stats = families.find(({ name }) => name === "c")?.series[0]?.stats;
  return stats !== undefined && "total" in stats ? stats.total : undefined;
};
const statisticsOf = (given: Run) => statisticsByPhase(given, { unitOf });

describe("the phases of a run", () => {
  it("is profiling alone without a warm-up, and has no other statistics", () => {
    const plain = run();
    expect(runPhases(plain).map(({ name, window }) => [name, window.kind])).toEqual([["profiling", "recorded"]]);
    expect(complete(statisticsOf(plain)).warmup).toBeUndefined();
  });

  it("keeps what happened in the warm-up out of profiling, and the other way round", () => {
    const given = run();
    given.putPhase({ name: "warmup", kind: "warmup", start: at(0.5), end: at(5.2) });
    const { families, warmup } = complete(statisticsOf(given));
    expect(counterOf(families)).toBe(150);
    expect(counterOf(warmup?.families ?? [])).toBe(5);
    expect(warmup).toMatchObject({ start: at(0.5), end: at(5.2) });
  });

  it("ends a warm-up where profiling starts, also when that is moved", () => {
    const given = run();
    given.putPhase({ name: "warmup", kind: "warmup", start: at(0) });
    given.setProfilingStart(at(8));
    expect(runPhases(given)[0]).toMatchObject({ name: "warmup", end: at(8) });
    given.setProfilingStart(at(3));
    expect(runPhases(given)[0]).toMatchObject({ name: "warmup", end: at(3) });
  });

  it("knows where a warm-up ended as recorded when a user has moved its end, and goes back there", () => {
    const given = run();
    given.setProfilingStart(at(3));
    expect(given.recordedStart).toBeUndefined();
    given.moveProfilingStart(at(6));
    given.moveProfilingStart(at(7));
    expect([given.profilingStart, given.recordedStart]).toEqual([at(7), at(3)]);
    given.moveProfilingStart(undefined);
    expect([given.profilingStart, given.recordedStart]).toEqual([at(3), undefined]);
  });

  it("leaves the warm-up out beside a window that reaches into it, and calls one inside it by its name", () => {
    const given = run();
    given.putPhase({ name: "warmup", kind: "warmup", start: at(0.5), end: at(5) });
    given.chooseWindow({ start: at(3), end: at(9) });
    expect(complete(statisticsOf(given))).not.toHaveProperty("warmup");
    given.chooseWindow({ start: at(1), end: at(3) });
    expect(complete(statisticsOf(given)).phase).toBe("warmup");
  });

  it("counts the scrapes that its bounds name, with the one before them as reference", () => {
    const given = run();
    const low: NamedPhase = { name: "low", kind: "profiling", start: at(6), end: at(8) };
    given.putPhase(low);
    given.putPhase({ name: "high", kind: "profiling", start: at(12), end: at(15) });
    const totalOf = (name: string) => {
      const phase = findPhase(runPhases(given), name);
      if (phase === undefined) throw new Error(`no phase ${name}`);
      given.chooseWindow(phase.window);
      return counterOf(complete(statisticsOf(given)).families);
    };
    expect(runPhases(given).map(({ name }) => name)).toEqual(["low", "high"]);
    expect(totalOf("LOW")).toBe(30);
    given.putPhase({ ...low, tags: { from: at(6), to: at(10) } });
    expect(totalOf("low")).toBe(40);
    expect(totalOf("high")).toBe(40);
  });

  it("leaves gauges out between two phases, and what a counter did there in its total", () => {
    const given = run();
    given.setProfilingStart(at(6));
    given.putPhase({ name: "low", kind: "profiling", start: at(6), end: at(8) });
    given.putPhase({ name: "high", kind: "profiling", start: at(12), end: at(15) });
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    // 6, 7, 8 and, after the pause, 12 to the end of the run.
    const counting = [6, 7, 8, 12, 13, 14, 15, 16, 17, 18, 19, 20];
    const { families } = complete(statisticsOf(given));
    const gauge = families.find(({ name }) => name === "g")?.series[0]?.stats;
    expect(gauge).toMatchObject({ min: 6, max: 20, avg: expect.closeTo(mean(counting), 9) as number });
    expect(counterOf(families)).toBe(150);
    // A window that somebody chose has all that lies inside.
    given.chooseWindow({ start: at(6), end: at(15) });
    const chosen = complete(statisticsOf(given)).families.find(({ name }) => name === "g")?.series[0]?.stats;
    expect(chosen).toMatchObject({ avg: 10.5 });
  });

  it("tells of each scrape in which phase it began; between two it belongs to none", () => {
    const given = run();
    given.putPhase({ name: "warmup", kind: "warmup", start: at(1), end: at(4) });
    given.setProfilingStart(at(6));
    given.putPhase({ name: "low", kind: "profiling", start: at(6), end: at(8) });
    given.putPhase({ name: "high", kind: "profiling", start: at(12), end: at(15) });
    const phaseOf = (seconds: number, sent = seconds) => given.phaseOf({ time: at(seconds), requestSent: at(sent) });
    expect([0.5, 1, 5, 6, 8, 10, 12, 19].map((seconds) => phaseOf(seconds))).toEqual([
      undefined,
      "warmup",
      "warmup",
      "profiling",
      "profiling",
      undefined,
      "profiling",
      "profiling",
    ]);
    expect(phaseOf(6.2, 5.9)).toBe("warmup");
  });

  it("is the same again once written as JSONL and read", () => {
    const given = run();
    given.putPhase({ name: "warmup", kind: "warmup", start: at(1), end: at(4) });
    given.putPhase({ name: "low", kind: "profiling", start: at(6), end: at(8), tags: { from: at(6), to: at(1e6) } });
    const again = assembled([...jsonlLines(given)], given.metadata);
    expect(again.phases).toEqual(given.phases);
    expect(complete(statisticsOf(again))).toEqual(complete(statisticsOf(given)));
  });
});

describe("phases by the tags of another tool's lines", () => {
  it("go on after a gap, whose scrapes belong to none", () => {
    const tags = ["", "warmup", "warmup", "", "profiling", "profiling", "", "", "profiling", "profiling", ""];
    const lines = tags.map(
      (tag, i) =>
        `{"endpoint_url":"${URL}","timestamp_ns":${at(i)},"endpoint_latency_ns":1000,"metrics":{"c":[{"value":${i}}]}${tag === "" ? "" : `,"benchmark_phase":"${tag}"`}}`,
    );
    const read = assembled(lines);
    expect([read.profilingStart, read.profilingEnd]).toEqual([at(4), at(9)]);
    expect(read.phases).toEqual([{ name: "warmup", kind: "warmup", start: at(1), end: at(2) }]);
  });

  it("keeps a scrape of the warm-up that came after the first of profiling out of a gauge's values", () => {
    const line = (tag: string, i: number) =>
      `{"endpoint_url":"${URL}","timestamp_ns":${at(i)},"endpoint_latency_ns":1000,"metrics":{"g":[{"value":${10 ** i}}]},"benchmark_phase":"${tag}"}`;
    const read = assembled(["warmup", "profiling", "warmup", "profiling"].map(line));
    const { families } = complete(runStatistics(read, { unitOf }));
    expect(families[0]?.series[0]?.stats).toMatchObject({ avg: (10 + 1000) / 2, min: 10, max: 1000 });
  });
});

describe("a list of phases", () => {
  const list = (...phases: object[]) => parsePhaseList(parseExact(JSON.stringify({ phases })));
  const low = { name: "low", kind: "profiling", start_ns: "10", end_ns: "20" };

  it("takes times as integers and as digits, and a manifest's own keys", () => {
    const text = `[{"phase_name":"w","phase_kind":"warmup","start_ns":1765000002123456789,"end_ns":"1765000008123456789","tag_from_ns":1,"tag_to_ns":4611686018427387904},{"name":"low","kind":"profiling","start_ns":1765000010123456789,"end_ns":1765000012123456789}]`;
    expect(parsePhaseList(parseExact(text))).toEqual([
      {
        name: "w",
        kind: "warmup",
        start: 1765000002123456789n,
        end: 1765000008123456789n,
        tags: { from: 1n, to: 4611686018427387904n },
      },
      { name: "low", kind: "profiling", start: 1765000010123456789n, end: 1765000012123456789n },
    ]);
  });

  it.each([
    ["no list", {}, "a list of phases was expected"],
    ["no profiling", { phases: [{ ...low, kind: "warmup", name: "w" }] }, "none of its phases is of kind profiling"],
    ["no name", { phases: [{ ...low, name: "1st" }] }, '"1st" cannot name a phase'],
    ["a path", { phases: [{ ...low, name: "../x" }] }, "cannot name a phase"],
    ["a reserved name", { phases: [{ ...low, name: "Warmup" }] }, "kind profiling cannot be named Warmup"],
    ["one name twice", { phases: [low, { ...low, name: "LOW" }] }, "two phases are named LOW"],
    ["the end before the start", { phases: [{ ...low, end_ns: "9" }] }, "phase low ends (9) before it starts (10)"],
    ["no time", { phases: [{ ...low, start_ns: "soon" }] }, "start_ns of phase 1 is not a time"],
    ["no start", { phases: [{ ...low, start_ns: undefined }] }, "phase 1 has no start_ns"],
    ["another kind", { phases: [{ ...low, kind: "cooldown" }] }, "kind of phase 1 is neither"],
  ])("says what is wrong with %s", (_, document, message) => {
    expect(() => parsePhaseList(parseExact(JSON.stringify(document)))).toThrow(message);
    expect(list(low)).toHaveLength(1);
  });
});
