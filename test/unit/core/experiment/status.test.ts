import { describe, expect, it } from "vitest";
import {
  decide,
  exampleFor,
  exampleOfRuns,
  exampleText,
  experimentStatus,
  judgedName,
  parseDefinition,
} from "../../../../src/core/experiment/index.js";
import { runOf, simulated, twoConfigurations } from "../../../support/experiments.js";

/** Values of the README's worked example, ms. */
const BASELINE = [412, 398, 421, 405, 409];
const CANDIDATE = [371, 366, 377, 359, 370];

describe("the status of an experiment", () => {
  const definition = twoConfigurations("seed: 3");
  const { decision, runs } = simulated(definition, (step) =>
    runOf(definition, step, ((step.configuration === "a" ? BASELINE : CANDIDATE)[step.block - 1] ?? NaN) / 1000),
  );

  it("has a cell for each configuration, and the sequence as the worked example has it", () => {
    const status = experimentStatus({ definition, decision, runs });
    expect(status.end).toBe("decided");
    expect(status.planned).toEqual([]);
    expect(status.cells).toMatchObject([
      { configuration: "a", made: 4, valid: 4, state: "baseline" },
      {
        configuration: "b",
        made: 4,
        valid: 4,
        state: "better",
        difference: expect.stringMatching(/5.26 % to 14.4 %/) as string,
      },
    ]);
    const [plot] = status.plots;
    expect(plot?.decidedAfter).toBe(4);
    expect(plot?.looks.map(({ blocks, mean, bounds }) => [blocks, mean, bounds !== undefined])).toEqual([
      [2, expect.closeTo(-0.0943, 4), false],
      [3, expect.closeTo(-0.0997, 4), true],
      [4, expect.closeTo(-0.1049, 4), true],
    ]);
    const [low, high] = plot?.looks[2]?.bounds ?? [];
    expect([Math.expm1(low ?? 0), Math.expm1(high ?? 0)]).toEqual([
      expect.closeTo(-0.144, 3),
      expect.closeTo(-0.0526, 4),
    ]);
  });

  it("has the sequence of each guard, told apart from what decides", () => {
    const guarded = twoConfigurations("guards: [{ metric: itl, statistic: avg, relevant: 5% }]\nseed: 3");
    const [itl] = guarded.guards;
    const made = simulated(guarded, (step) => {
      const run = runOf(
        guarded,
        step,
        ((step.configuration === "a" ? BASELINE : CANDIDATE)[step.block - 1] ?? 400) / 1000,
      );
      return { ...run, values: { ...run.values, [judgedName(itl!)]: { value: 0.02 + step.block / 1e4, error: 0 } } };
    });
    const { plots } = experimentStatus({ definition: guarded, ...made });
    expect(plots.map(({ title, isGuard }) => [title, isGuard])).toEqual([
      ["b under load: ttft avg", false],
      ["b under load: itl avg", true],
    ]);
    expect(plots[1]?.looks.map(({ mean }) => mean)).toEqual(plots[1]?.looks.map(() => 0));
    expect(plots[1]?.looks.length).toBeGreaterThan(1);
  });

  it("has the levels that a search tried, with its limit", () => {
    const search = parseDefinition(`question: What rate can it take?
endpoints: [http://127.0.0.1:9/metrics]
configurations: [{ name: a }]
loads: [{ name: rate, command: "load --rate \${level}" }]
primary: { metric: ttft, statistic: p99, relevant: 3% }
search: { from: 1, to: 32, limit: 500ms, resolution: 15% }`);
    // 500 ms at a level of 10, and a noise of a thousandth.
    const made = simulated(search, (step) => runOf(search, step, 0.05 * (step.level ?? NaN) * (1 + step.block / 1e4)));
    const plot = experimentStatus({ definition: search, ...made }).search;
    expect(plot?.limit).toBe(0.5);
    expect(plot?.levels.length).toBeGreaterThan(3);
    for (const { level, value, state } of plot?.levels ?? []) {
      expect(value).toBeCloseTo(0.05 * level, 2);
      expect(state).toBe(level < 10 ? "met" : "missed");
    }
    expect(plot?.levels[0]?.text).toBe("rate at 1: 50 ms, met");
  });

  it("plans the rest of the block that comes next, and counts only what is valid", () => {
    const made = runs.slice(0, 3).map((run, i) => (i === 1 ? { ...run, problems: ["It broke."] } : run));
    const status = experimentStatus({ definition, decision: decide(definition, made), runs: made });
    expect(status.end).toBeUndefined();
    expect(status.planned).toHaveLength(1);
    expect(status.planned[0]).toMatchObject({ block: 2, load: "load" });
    expect(status.cells.map(({ made, valid }) => made - valid).sort()).toEqual([0, 1]);
    expect(status.runs[1]).toMatchObject({ problems: ["It broke."] });
  });

  it("names each command once, for the question whether they may run", () => {
    const example = parseDefinition(exampleText(exampleFor([])));
    expect(experimentStatus({ definition: example, decision: decide(example, []), runs: [] }).commands).toEqual([
      "${server_metrics} demo --port ${port} --seed ${block} --kv-blocks 2200",
      "${server_metrics} demo --port ${port} --seed ${block} --kv-blocks 250",
      "sleep 6",
    ]);
  });
});

describe("the example", () => {
  it("is an experiment, whatever URLs it is given", () => {
    for (const urls of [
      ["http://gpu-1:8000/metrics"],
      ["http://[::1]:8000/metrics?a=b, c", "https://b/metrics#x: y"],
    ]) {
      const { configurations } = parseDefinition(exampleText(exampleFor(urls)));
      expect(configurations.map(({ endpoints }) => endpoints)).toEqual([[urls[0]], [urls[1] ?? urls[0]]]);
    }
  });

  it("repeats two runs with the commands that they recorded", () => {
    const run = (label: string, url: string, command: string) => ({
      label,
      endpoints: [url],
      inputConfig: {
        provenance: { command: { line: "aiperf profile --model 'a b'" }, servers: { [url]: { command } } },
      },
    });
    const parts = exampleOfRuns(
      run("before", "http://a:8000/metrics", "vllm serve m --max-num-seqs 32"),
      run("after", "http://a:8000/metrics", "vllm serve m --override '{\"a\": 1} # no comment'"),
    );
    const definition = parseDefinition(exampleText(parts));
    expect(definition).toMatchObject({
      question: "Is after better than before?",
      configurations: [
        { server: "vllm serve m --max-num-seqs 32" },
        { server: "vllm serve m --override '{\"a\": 1} # no comment'", endpoints: ["http://a:8000/metrics"] },
      ],
      loads: [{ command: "aiperf profile --model 'a b'" }],
    });
  });

  it("repeats runs of another experiment with the load of its file", () => {
    const line = `/bin/sh -c 'aiperf profile --model '\\''a b'\\'' --artifact-dir /data/e/runs/rate-8/01-a; sleep 1'`;
    const run = { label: "a", endpoints: [], inputConfig: { provenance: { command: { line } } } };
    expect(exampleOfRuns(run, run).load.command).toBe("aiperf profile --model 'a b' --artifact-dir ${run}; sleep 1");
  });
});
