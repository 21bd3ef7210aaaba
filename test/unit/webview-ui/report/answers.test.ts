import { describe, expect, it } from "vitest";
import { runAnswers } from "../../../../src/engine/answers.js";
import { dashboardOf, instancesOf, tilesOf } from "../../../../src/engine/dashboards.js";
import { savedHeader } from "../../../../src/engine/header.js";
import { questions } from "../../../../src/engine/questions.js";
import { recordRun } from "../../../../src/engine/report/record-run.js";
import { ChannelClient, ChannelServer, packReport, unpackReport } from "../../../../src/protocol/index.js";
import type { ChartData, RunEvents, RunRequests, StatisticsTable } from "../../../../src/protocol/index.js";
import { UserError } from "../../../../src/core/text/errors.js";
import { pipe } from "../../../support/pipe.js";
import { makeRun } from "../../../support/view-harness/compared-runs.js";
import { recordedAnswers } from "../../../../webview-ui/report/host.js";

const TTFT = "vllm:time_to_first_token_seconds";
const ABOUT = { title: "", made: "", version: "", files: [], leftOut: [], redacted: [] };

/** The engine's own answers about a run, and those of a report of it, packed and unpacked. */
async function bothOf(options: Parameters<typeof makeRun>[0]) {
  const run = makeRun(options);
  const answers = runAnswers(run);
  const { endpoints } = savedHeader(run, []);
  const observed = { answers, endpoints };
  const none = () => {
    throw new UserError("It has none.", undefined, { code: "no-findings" });
  };
  const [view, own] = pipe();
  new ChannelServer<RunRequests, RunEvents>(own, {
    ...questions(() => answers),
    describe: () => ({ header: savedHeader(run, []), families: answers.families(), tiles: [] }),
    configuration: () => [],
    findings: none,
    clientServer: none,
    movesWith: none,
    addClient: none,
    snapshot: none,
    adjust: none,
    follow: none,
    instanceCourse: none,
    dashboard: (which, signal) => dashboardOf(observed, which, signal),
    instances: (which, signal) => instancesOf(observed, which, signal),
    tiles: (which, signal) => tilesOf(observed, which, signal),
  });
  const engine = new ChannelClient<RunRequests, RunEvents>(view);
  const recorded = await recordRun(engine, {});
  const report = unpackReport(packReport({ view: "run", about: ABOUT, answers: recorded.answers }));
  return { engine, ask: recordedAnswers(report), leftOut: recorded.leftOut };
}

describe("the answers of a report", () => {
  it("are the engine's own: statistics to the last digit, lines to six", async () => {
    const { engine, ask } = await bothOf({ label: "one", seed: 2 });
    const table = ask("statistics", { type: "histogram" });
    expect(table).toEqual(await engine.call("statistics", { type: "histogram" }));
    const query = { family: TTFT, maxSeries: 5, maxPoints: 1000 };
    const [shown, whole] = [ask("chart", query) as ChartData, await engine.call("chart", query)];
    expect(shown.lines.map(({ series, quantity }) => [series, quantity])).toEqual(
      whole.lines.map(({ series, quantity }) => [series, quantity]),
    );
    for (const [i, { times, values }] of shown.lines.entries()) {
      expect(times).toEqual(whole.lines[i]?.times);
      for (const [k, value] of values.entries()) expect(value).toBeCloseTo(whole.lines[i]?.values[k] ?? NaN, 5);
    }
  });

  it("are of one family where its table is asked for", async () => {
    const { engine, ask } = await bothOf({ label: "one", seed: 2 });
    const table = ask("statistics", { family: TTFT }) as StatisticsTable;
    const whole = await engine.call("statistics", { family: TTFT });
    expect(table.rows).toEqual(whole.rows);
  });

  it("show a part of the recorded points when zoomed, and claim no average there", async () => {
    const { ask } = await bothOf({ label: "one", seed: 2 });
    const family = "vllm:num_requests_running";
    const whole = ask("chart", { family, maxSeries: 20, maxPoints: 500 }) as ChartData;
    const [from, to] = [30e9, 60e9];
    const part = ask("chart", { family, maxSeries: 20, maxPoints: 500, from, to }) as ChartData;
    const [line] = part.lines;
    const inside = [...(whole.lines[0]?.times ?? [])].filter((time) => time >= from && time <= to);
    expect([...(line?.times ?? [])].filter((time) => time >= from && time <= to)).toEqual(inside);
    expect(line?.times.length).toBeLessThan(whole.lines[0]?.times.length ?? 0);
    expect(whole.lines[0]?.average).toBeGreaterThan(0);
    expect(line?.average).toBeUndefined();
  });

  it("never give what all series come to for some of them", async () => {
    const { engine, ask } = await bothOf({ label: "one", seed: 2 });
    const [first, second] = await engine.call("series", { family: TTFT });
    if (first === undefined || second === undefined) throw new Error("it has two series");
    const query = { family: TTFT, maxSeries: 5, maxPoints: 1000, together: true };
    const together = ask("chart", query) as ChartData;
    expect(together.lines.every(({ labels }) => labels.length === 0)).toBe(true);
    const some = ask("chart", { ...query, series: [second.id] }) as ChartData;
    expect(new Set(some.lines.map(({ series }) => series))).toEqual(new Set([second.id]));
    expect(some.lines[0]?.labels).toEqual(second.labels);
    const all = { family: TTFT, maxColumns: 50, endpoints: [first.endpointUrl] };
    expect(ask("heatmap", all)).toEqual(ask("heatmap", { family: TTFT, maxColumns: 50 }));
    expect(() => ask("heatmap", { ...all, series: [first.id] })).toThrow("does not hold it");
    expect(() => ask("distribution", { family: TTFT, endpoints: ["http://other/"] })).toThrow("does not hold it");
  });

  it("say that a question was not recorded, and what an engine had no answer to", async () => {
    const { ask } = await bothOf({ label: "one", seed: 2 });
    expect(() => ask("movesWith", { family: TTFT })).toThrow("does not hold it");
    expect(() => ask("findings", {})).toThrow("It has none.");
  });

  it("leave out what is looked at last where there are too many, and say how many", async () => {
    const { ask, leftOut } = await bothOf({ label: "one", seed: 2, devices: 4000, seconds: 20 });
    const { families } = ask("describe", {}) as { families: readonly { name: string }[] };
    expect(families.map(({ name }) => name)).toContain(TTFT);
    expect(leftOut.join(" ")).toMatch(/Statistics of [\d,]+ gauge series/);
  });
});
