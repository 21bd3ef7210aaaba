import { describe, expect, it } from "vitest";
import {
  compareRuns,
  type Comparison,
  type ComparisonOptions,
  type RunSet,
} from "../../../../src/core/compare/index.js";
import { complete } from "../../../../src/core/stats/index.js";
import type { Run } from "../../../../src/core/store/index.js";
import { normal, seeded } from "../../../support/histogram-simulation.js";
import { RunBuilder } from "../../../support/run-builder.js";

type Labelled = readonly [family: string, labels: Record<string, string>, mean: number];

let built = 0;

/** A run of 100 s of gauges around their means, and by endpoint. */
function runOf(endpoints: Readonly<Record<string, readonly Labelled[]>>): Run {
  const builder = new RunBuilder(5);
  const random = seeded(++built);
  for (let second = 0; second <= 100; second++)
    for (const [url, series] of Object.entries(endpoints))
      builder.scrape(
        second,
        series.map(([name, labels, mean]) => ({ name, labels, value: mean * (1 + 0.001 * normal(random)) })),
        url,
      );
  const { run } = builder.window(5, 100);
  Object.assign(run.metadata, { benchmarkId: `run ${built}` });
  return run;
}

/** As a store returns the series: with the target's labels, the series' own of these names renamed. */
function stored(series: readonly Labelled[], target: Record<string, string>): readonly Labelled[] {
  return series.map(([family, labels, mean]) => [
    family,
    {
      ...Object.fromEntries(
        Object.entries(labels).map(([name, value]) => [
          name in target || name === "instance" ? `exported_${name}` : name,
          value,
        ]),
      ),
      ...target,
    },
    mean,
  ]);
}

const set = (label: string, ...runs: readonly Run[]): RunSet => ({
  label,
  runs: runs.map((run, i) => ({ kind: "samples", label: `${label}${i}`, run })),
});
const compared = (a: Run, b: Run, options: ComparisonOptions = {}): Comparison =>
  complete(compareRuns(set("A", a), [set("B", b)], options));
const ruleOf = ({ rules }: Comparison, name: string) => rules.find(({ label }) => label === name);
const idsOf = ({ rows }: Comparison) => rows.map(({ id }) => id).sort();

const ONE = "http://one:8000/metrics";
const TWO = "http://two:8000/metrics";

const SERVER: readonly Labelled[] = [
  ["app:running", { model_name: "m" }, 10],
  ["app:requests", { model_name: "m", reason: "stop" }, 20],
  ["app:requests", { model_name: "m", reason: "length" }, 5],
];
const OPERATOR = {
  service: "vllm",
  endpoint: "http",
  container: "server",
  node: "n1",
  cluster: "east",
  prometheus: "monitoring/k8s",
  prometheus_replica: "prometheus-k8s-0",
  run_id: "1234",
  label: "before",
  try: "third",
};

/** Every series of both runs is matched and the same. */
function expectAllSame(comparison: Comparison, rows: number): void {
  expect(comparison.unmatched).toEqual([]);
  expect(comparison.rows.map(({ cells }) => cells[0]?.verdict)).toEqual(Array<string>(rows).fill("same"));
}

describe("labels that a store attaches to all series of a target", () => {
  it("do not keep a capture from a run of the store, whatever their names, in either direction", () => {
    const capture = runOf({ [ONE]: SERVER });
    const fetched = runOf({ [TWO]: stored(SERVER, OPERATOR) });
    const comparison = compared(capture, fetched);
    expectAllSame(comparison, 3);
    for (const [label, value] of Object.entries(OPERATOR)) {
      expect(ruleOf(comparison, label)).toMatchObject({ mode: "auto", applied: "aggregate", values: [[], [value]] });
      if (label !== "container")
        expect(ruleOf(comparison, label)?.reason).toBe("not in all runs, and one value for each endpoint");
    }
    const back = compared(fetched, capture);
    expectAllSame(back, 3);
    expect(idsOf(back)).toEqual(idsOf(comparison));
    expect(ruleOf(comparison, "reason")).toBeUndefined();
    expect(back.rows.map(({ labels }) => labels.map(([name]) => name))).toContainEqual(["model_name", "reason"]);
  });

  it("are no configuration of the server, where a run has none of them", () => {
    const info = (blocks: string): readonly Labelled[] => [["app:cache_config_info", { blocks }, 1], ...SERVER];
    const a = runOf({ [ONE]: info("100") });
    const b = runOf({ [ONE]: stored(info("200"), OPERATOR) });
    for (const { configuration } of [compared(a, b), compared(b, a)])
      expect(configuration.map(({ name }) => name)).toEqual(["app:cache_config_info blocks"]);
  });

  it("are left out endpoint by endpoint, also where a second target has others", () => {
    const gpus: readonly Labelled[] = [
      ["gpu:power", { gpu: "0" }, 300],
      ["gpu:power", { gpu: "1" }, 200],
    ];
    const capture = runOf({ [ONE]: SERVER, [TWO]: gpus });
    const fetched = runOf({ [ONE]: stored(SERVER, { service: "vllm" }), [TWO]: stored(gpus, { probe: "dcgm" }) });
    expectAllSame(compared(capture, fetched), 5);
  });

  it("are paired where both runs are of a store and have others", () => {
    const before = runOf({ [ONE]: stored(SERVER, { run_id: "1", node: "n1", try: "first", zone: "a" }) });
    const after = runOf({ [TWO]: stored(SERVER, { run_id: "2", node: "n2", try: "second", zone: "a" }) });
    const comparison = compared(before, after);
    expectAllSame(comparison, 3);
    expect(ruleOf(comparison, "run_id")).toMatchObject({ applied: "pair", values: [["1"], ["2"]] });
    expect(ruleOf(comparison, "try")?.reason).toBe("one value for each endpoint, and each run has another");
    expect(ruleOf(comparison, "zone")).toBeUndefined();
  });

  it("of targets that moved to other nodes are paired by name and not by chance", () => {
    const on = (node: string) => stored(SERVER, { node });
    const comparison = compared(
      runOf({ [ONE]: on("n1"), [TWO]: on("n2") }),
      runOf({ [ONE]: on("n2"), [TWO]: on("n3") }),
    );
    expectAllSame(comparison, 6);
  });

  it("go with their endpoints, where names of pods are in another order than these", () => {
    const on = (pod: string) => stored(SERVER, { pod });
    const comparison = compared(
      runOf({ [ONE]: on("a1"), [TWO]: on("a2") }),
      runOf({ [ONE]: on("b2"), [TWO]: on("b1") }),
    );
    expectAllSame(comparison, 6);
    expect(ruleOf(comparison, "pod")).toMatchObject({ mode: "auto", applied: "aggregate" });
  });

  it("still match where both runs have the values: a role is no identity", () => {
    const role = (component: string, factor: number) =>
      stored(
        SERVER.map(([family, labels, mean]) => [family, labels, mean * factor] as const),
        { component },
      );
    const comparison = compared(
      runOf({ [ONE]: role("prefill", 1), [TWO]: role("decode", 2) }),
      runOf({ [ONE]: role("decode", 2), "http://three:1/metrics": role("prefill", 1) }),
    );
    expect(ruleOf(comparison, "component")).toBeUndefined();
    for (const { baseline, cells } of comparison.rows)
      expect(baseline.series[0]?.labels.find(([name]) => name === "component")).toEqual(
        cells[0]?.candidate.series[0]?.labels.find(([name]) => name === "component"),
      );
  });

  it("of two replicas that scraped the same target are not added up", () => {
    const twice = ["a", "b"].flatMap((prometheus_replica) => stored(SERVER, { prometheus_replica }));
    const comparison = compared(runOf({ [ONE]: SERVER }), runOf({ [ONE]: twice }));
    expect(comparison.rows).toEqual([]);
    expect(comparison.unmatched).toHaveLength(9);
  });

  it("follow a rule that is set", () => {
    const options: ComparisonOptions = { labelRules: [{ label: "try", mode: "match" }] };
    const comparison = compared(runOf({ [ONE]: SERVER }), runOf({ [ONE]: stored(SERVER, { try: "first" }) }), options);
    expect(comparison.rows).toEqual([]);
    expect(ruleOf(comparison, "try")).toMatchObject({ mode: "match", applied: "match" });
  });

  it("are settled for repeats together", () => {
    const captures = [1, 2, 3].map(() => runOf({ [ONE]: SERVER }));
    const fetched = [1, 2, 3].map((n) => runOf({ [ONE]: stored(SERVER, { ...OPERATOR, run_id: String(n) }) }));
    const comparison = complete(compareRuns(set("A", ...captures), [set("B", ...fetched)]));
    expect(comparison.unmatched).toEqual([]);
    expect(comparison.rows).toHaveLength(3);
  });
});

describe("a label that a new version of a server has", () => {
  const old: readonly Labelled[] = [...SERVER, ["app:preempted", {}, 7]];
  const version = (...causes: readonly string[]) =>
    runOf({
      [ONE]: [...SERVER, ...causes.map((cause): Labelled => ["app:preempted", { cause }, 7 / causes.length])],
    });

  it("is left out where it has one value and tells no series apart", () => {
    const comparison = compared(runOf({ [ONE]: old }), version("memory"));
    expectAllSame(comparison, 4);
    expect(ruleOf(comparison, "cause")).toMatchObject({
      applied: "aggregate",
      values: [[], ["memory"]],
      reason: "not in all runs, and distinguishes no series of an endpoint",
    });
  });

  it("must match where it tells series apart, unless it is known to identify: then they add up", () => {
    const comparison = compared(runOf({ [ONE]: old }), version("memory", "priority"));
    expect(comparison.rows).toHaveLength(3);
    expect(comparison.unmatched.map(({ side, family }) => [side, family])).toEqual([
      ["baseline", "app:preempted"],
      ["candidate", "app:preempted"],
      ["candidate", "app:preempted"],
    ]);
    const engines = SERVER.flatMap(([family, labels, mean]): Labelled[] =>
      ["0", "1"].map((engine) => [family, { ...labels, engine }, mean / 2]),
    );
    expectAllSame(compared(runOf({ [ONE]: SERVER }), runOf({ [ONE]: engines })), 3);
  });

  it("is not taken for another one that the old version had instead", () => {
    const coded = (label: string, value: string) =>
      runOf({ [ONE]: [...SERVER, ["app:answers", { [label]: value }, 7]] });
    const comparison = compared(coded("code", "200"), coded("status", "error"));
    expect(comparison.rows).toHaveLength(3);
    expect(comparison.unmatched).toHaveLength(2);
  });

  it("is not left out where series without it remain beside", () => {
    const both = runOf({ [ONE]: [...old, ["app:preempted", { cause: "memory" }, 3]] });
    const comparison = compared(runOf({ [ONE]: old }), both);
    expect(comparison.rows).toHaveLength(4);
    expect(comparison.unmatched.map(({ labels }) => labels)).toEqual([[["cause", "memory"]]]);
  });
});

describe("a label of the server's that a store renamed", () => {
  const http: readonly Labelled[] = [
    ["app:running", {}, 10],
    ["app:http", { endpoint: "/v1/chat", job: "x", instance: "a" }, 20],
    ["app:http", { endpoint: "/generate", job: "y", instance: "b" }, 5],
  ];

  it("matches the plain name of a capture, and the target's own label of that name is left out", () => {
    const target = { endpoint: "metrics", job: "vllm" };
    const capture = runOf({ [ONE]: http });
    const fetched = runOf({ [ONE]: stored(http, target) });
    const comparison = compared(capture, fetched);
    expectAllSame(comparison, 3);
    expect(ruleOf(comparison, "endpoint")).toMatchObject({
      applied: "match",
      values: [
        ["/generate", "/v1/chat"],
        ["/generate", "/v1/chat"],
      ],
      reason: "a store renamed it exported_endpoint",
    });
    expect(ruleOf(comparison, "job")?.reason).toBe("a store renamed it exported_job");
    expect(ruleOf(comparison, "instance")?.reason).toBe("a store renamed it exported_instance");
    const back = compared(fetched, capture);
    expectAllSame(back, 3);
    expect(idsOf(back)).toEqual(idsOf(comparison));
    // Charts find the series by the labels that each run has.
    const chat = back.rows.find(({ id }) => id.includes("/v1/chat"));
    expect(chat?.baseline.series[0]?.labels).toContainEqual(["exported_endpoint", "/v1/chat"]);
    expect(chat?.labels).toContainEqual(["endpoint", "/v1/chat"]);
  });

  it("stays as it is between two runs of a store", () => {
    const [a, b] = [1, 2].map(() => runOf({ [ONE]: stored(http, { endpoint: "metrics", job: "vllm" }) }));
    const comparison = compared(a!, b!);
    expectAllSame(comparison, 3);
    expect(ruleOf(comparison, "job")).toMatchObject({ applied: "pair", values: [["vllm"], ["vllm"]] });
  });

  it("is not the target's label of a run whose server has none of its own", () => {
    const plain = http.map(([family, { endpoint: _, job: __, ...rest }, mean], i): Labelled => [
      i === 2 ? "app:other" : family,
      rest,
      mean,
    ]);
    const target = { job: "vllm" };
    const some: readonly Labelled[] = [["app:pushed", { job: "batch" }, 3], ...plain];
    const comparison = compared(runOf({ [ONE]: stored(some, target) }), runOf({ [ONE]: stored(plain, target) }));
    expect(comparison.rows).toHaveLength(3);
    expect(comparison.unmatched.map(({ family }) => family)).toEqual(["app:pushed"]);
  });
});
