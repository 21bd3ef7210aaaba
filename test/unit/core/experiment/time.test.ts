import { describe, expect, it } from "vitest";
import {
  decide,
  parseDefinition,
  statedSeconds,
  timeLines,
  withEarlierRuns,
} from "../../../../src/core/experiment/index.js";
import { runOf } from "../../../support/experiments.js";

/** Two configurations under these loads, in 3 to 12 blocks. */
function experiment(loads: Readonly<Record<string, string>>, more = "") {
  const list = Object.entries(loads).map(([name, command]) => `{ name: ${name}, command: "${command}" }`);
  return parseDefinition(`question: q
endpoints: [http://127.0.0.1:9/metrics]
configurations: [{ name: a }, { name: b }]
loads: [${list.join(", ")}]
primary: { metric: ttft, statistic: avg, relevant: 3% }
${more}`);
}

/** @param own seconds of its runs, by configuration; @param earlier of those of other experiments */
function lines(
  definition: ReturnType<typeof experiment>,
  own: readonly (readonly [configuration: string, seconds: number, problem?: string])[] = [],
  earlier: typeof own = [],
) {
  const [runs, others] = [own, earlier].map((made) =>
    made.map(([configuration, seconds, problem], i) => ({
      ...runOf(definition, { load: "steady", configuration, block: i + 1, attempt: 1 }, 1, problem),
      seconds,
    })),
  );
  return timeLines({
    definition,
    decision: withEarlierRuns(definition, decide(definition, runs!), others!),
    runs: runs!,
  });
}

const ELSE = "How long a run takes besides its load, such as to start its server, is known after the first run.";

describe("how long an experiment takes", () => {
  const steady = experiment({ steady: "sleep 60" });

  it("is at least what its commands say, before its first run", () => {
    // 60 s × 2 configurations × 3 to 12 blocks.
    expect(lines(steady)).toEqual([
      "The loads alone take at least 360 s to 24 min: 60 s per run under steady (from its command).",
      ELSE,
    ]);
  });

  it("is told by earlier runs, and better by its own", () => {
    const earlier = [
      ["a", 70],
      ["b", 90],
    ] as const;
    expect(lines(steady, [], earlier)).toEqual([
      "The runs take about 480 s to 32 min: 80 s per run under steady (mean of 2 earlier runs).",
    ]);
    // Each configuration has the same weight, and what did not count none.
    const own = [
      ["a", 100],
      ["a", 120],
      ["b", 90],
      ["b", 2, "It broke."],
    ] as const;
    expect(lines(steady, own, earlier)).toEqual([
      "The runs take about 10 min to 40 min: 100 s per run under steady (mean of 3 runs so far).",
    ]);
  });

  it("is not known where nothing tells it, but for what ends it", () => {
    expect(lines(experiment({ rate: "load" }, "budget: 2h"))).toEqual([
      "How long a run under rate takes is known after the first one. A load is stopped after 60 min.",
      "A run that would end after the budget of 2 h is not started.",
    ]);
    expect(lines(experiment({ steady: "sleep 60", rate: "load" }), [["a", 100]])).toEqual([
      "The runs under steady take about 10 min to 40 min: 100 s per run under steady (mean of 1 run so far).",
      "How long a run under rate takes is known after the first one. A load is stopped after 60 min.",
    ]);
  });

  it("of a search is by the levels that it may try", () => {
    const search = experiment({ steady: "sleep 60" }, "search: { from: 1, to: 8, limit: 5, resolution: 100% }");
    // From the lowest alone to four of them, each in 3 to 12 runs.
    expect(lines(search)[0]).toMatch(/^The loads alone take at least 360 s to 96 min:/);
  });

  it("is not said of one that is over", () => {
    expect(
      lines(
        steady,
        Array.from({ length: 4 }, () => ["a", 60, "It broke."] as const),
      ),
    ).toEqual([]);
  });
});

it.each([
  ["sleep 0.5m", 30],
  ["aiperf profile --request-rate 8 --benchmark-duration 120 --artifact-dir ${run}", 120],
  ["aiperf profile --request-rate 8 --request-count=400", 50],
  ["vllm bench serve --num-prompts 100 --request-rate 4", 25],
  ["vllm bench serve --num-prompts 100 --request-rate inf", undefined],
  ["guidellm benchmark --rate-type constant --rate 1,2 --max-requests 100", undefined],
  ["guidellm benchmark --rate 10 --max-seconds 60 --max-requests 300", 30],
  ["load --request-rate ${level} --request-count 100", undefined],
  ["aiperf profile --concurrency 8 --request-count 100", undefined],
])("%s takes %s s", (command, seconds) => {
  expect(statedSeconds(command)).toBe(seconds);
});
