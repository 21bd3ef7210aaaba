import { describe, expect, it } from "vitest";
import {
  cellOf,
  cellText,
  defaultColumns,
  groupedRuns,
  libraryTable,
  orderOf,
  parseFilter,
  sorted,
  spreadOf,
  type LibraryRun,
  type RunNote,
} from "../../../../src/core/library/index.js";
import { shownRuns } from "../../../../src/protocol/shown-runs.js";

interface Given {
  readonly label?: string;
  readonly startMs?: number;
  readonly values?: Readonly<Record<string, number>>;
  readonly configured?: Readonly<Record<string, string>>;
  readonly provenance?: Readonly<Record<string, string>>;
  readonly note?: RunNote;
}

function run(
  id: string,
  { label, startMs = 1, values = {}, configured = {}, provenance = {}, note = {} }: Given = {},
): LibraryRun {
  return {
    id,
    files: [`/runs/${id}.json`],
    modified: startMs,
    about: {
      benchmarkId: id,
      startMs,
      seconds: 10,
      endpoints: [],
      configured,
      provenance,
      ...(label === undefined ? {} : { label }),
    },
    measured: { servers: ["vLLM"], models: ["m"], facts: {}, values: new Map(Object.entries(values)), points: [] },
    note,
  };
}

const RUNS = [
  run("a", {
    label: "base line",
    startMs: Date.parse("2026-11-20"),
    values: { "ttft.p99": 0.2, requests: 10, "vllm:num_requests_running avg": 4 },
    configured: { "scheduler.max_num_seqs": "64", seed: "1" },
    note: { tags: ["nightly", "gpu"], star: true },
  }),
  run("b", {
    startMs: Date.parse("2026-11-22"),
    values: { "ttft.p99": 0.7, requests: 12 },
    configured: { "scheduler.max_num_seqs": "32", seed: "2" },
    provenance: { "git.commit": "abcdef0123456789", "git.changed[0]": "x" },
  }),
  run("c 10", { startMs: Date.parse("2026-11-21"), note: { note: "no load", tags: ["nightly"] } }),
];

describe("a filter", () => {
  it.each([
    ["", "a b c 10"],
    ["nightly", "a c 10"],
    ["NIGHTLY base", "a"],
    ["ttft.p99 < 0.5", "a"],
    ["ttft.p99<500ms", "a"],
    ["ttft.p99 >= 500ms", "b"],
    ["requests > 9 and not star = ★", "b"],
    ["tags = nightly", "a c 10"],
    ["tags != nightly", "b"],
    ["tags ~ GP", "a"],
    ["note !~ load", "a b"],
    ["time >= 2026-11-21 time < 2026-11-22", "c 10"],
    ["(tags = gpu or requests = 12) and requests > 11", "b"],
    ['label = "base line"', "a"],
    ['"vllm:num_requests_running avg" > 3', "a"],
    ["scheduler.max_num_seqs <= 32", "b"],
    ["commit ~ abcdef", "b"],
    ["not (nightly or b)", ""],
  ])("%s keeps %s", (filter, ids) => {
    expect(
      RUNS.filter(parseFilter(filter))
        .map(({ id }) => id)
        .join(" "),
    ).toBe(ids);
  });

  it.each([
    ["ttft.p99 <", /COLUMN < VALUE|cannot be read/],
    ["ttft.p99 < fast", /needs a number, a time or a date behind it, not "fast"/],
    ["(a", /parenthesis is not closed/],
    ["a or", /ends where a condition was expected/],
    ["a )", /"\)" was not expected/],
    ["and a", /a condition was expected before "and"/],
  ])("%s is refused in a sentence", (filter, reason) => {
    expect(() => parseFilter(filter)).toThrow(reason);
  });
});

it("the library sorts by any column, what has nothing in it last", () => {
  const order = (text: string) => sorted(RUNS, orderOf(text)).map(({ id }) => id);
  expect(order("-time")).toEqual(["b", "c 10", "a"]);
  expect(order("ttft.p99")).toEqual(["a", "b", "c 10"]);
  expect(order("-ttft.p99")).toEqual(["b", "a", "c 10"]);
  expect(sorted([run("r10"), run("r9")], orderOf("run")).map(({ id }) => id)).toEqual(["r9", "r10"]);
});

it("the library shows what is there, and what differs in the configuration", () => {
  const columns = defaultColumns(RUNS);
  expect(columns).toContain("ttft.p99");
  expect(columns).toContain("scheduler.max_num_seqs");
  expect(columns).not.toContain("itl.p99");
  expect(cellText(cellOf(RUNS[1]!, "commit"), "commit")).toBe("abcdef0123+");
  expect(cellText(cellOf(RUNS[0]!, "ttft.p99"), "ttft.p99")).toBe("200 ms");
  expect(cellText(cellOf(RUNS[0]!, "time"), "time")).toBe("2026-11-20 00:00");
});

it("the library takes runs of one configuration and load for repeats, whatever their seed, and gives their spread", () => {
  const repeat = (id: string, requests: number, seed: string, seqs = "64") =>
    run(id, {
      values: { requests },
      configured: { "scheduler.max_num_seqs": seqs, random_seed: seed, concurrency: "8" },
    });
  const groups = groupedRuns([
    repeat("a", 10, "1"),
    repeat("b", 12, "2"),
    repeat("c", 5, "1", "32"),
    repeat("d", 14, "3"),
  ]);
  expect(groups.map(({ runs }) => runs.map(({ id }) => id))).toEqual([["a", "b", "d"], ["c"]]);
  expect(spreadOf(groups[0]!, "requests")).toEqual({ mean: 12, deviation: 2 });
  expect(spreadOf(groups[1]!, "requests")).toEqual({ mean: 5, deviation: NaN });
});

describe("intervals of a table's cells", () => {
  // VS Code carries JSON to pages.
  it("are the same on the page that is sent them", () => {
    const runs = [estimated("a", 1, 0.2, [0.18, 0.22])];
    const { rows } = shownRuns("/runs", runs, { columns: ["requests", "client.ttft"] });
    const sent = JSON.parse(JSON.stringify(rows)) as typeof rows;
    expect(sent[0]?.intervals).toEqual([null, [0.18, 0.22]]);
    expect(rows[0]?.intervals).toEqual(sent[0]?.intervals);
  });

  const estimated = (id: string, startMs: number, ttft: number, interval?: readonly [number, number]): LibraryRun => {
    const { measured, ...others } = run(id, { startMs, values: { "client.ttft": ttft, requests: 10 } });
    if (measured === undefined) throw new Error("it is measured");
    return {
      ...others,
      measured: { ...measured, ...(interval === undefined ? {} : { intervals: { "client.ttft": interval } }) },
    };
  };

  it("are those of estimates, and of repeats that of their mean by Student's t", () => {
    const single = libraryTable([estimated("a", 1, 0.2, [0.18, 0.22])], { columns: ["requests", "client.ttft"] });
    expect(single.rows[0]?.intervals).toEqual([undefined, [0.18, 0.22]]);
    expect(libraryTable([estimated("a", 1, 0.2)], { columns: ["client.ttft"] }).rows[0]?.intervals).toEqual([]);
    const repeats = [0.2, 0.3, 0.4].map((ttft, i) => estimated(`r${i}`, i + 1, ttft, [0, 1]));
    const [row, another] = libraryTable(repeats, { columns: ["client.ttft", "time"], grouped: "repeats" }).rows;
    expect(another).toBeUndefined();
    const [low = NaN, high = NaN] = row?.intervals[0] ?? [];
    // 0.3 ± 4.303 · 0.1 / √3
    expect(low).toBeCloseTo(0.3 - (4.3027 * 0.1) / Math.sqrt(3), 4);
    expect(high).toBeCloseTo(0.3 + (4.3027 * 0.1) / Math.sqrt(3), 4);
    expect(row?.intervals[1]).toBeUndefined();
  });
});

it("runs of an experiment share a row where that is asked for, whatever their configurations", () => {
  const all = [RUNS[0], RUNS[1], RUNS[2]].flatMap((run, i) =>
    run === undefined ? [] : [{ ...run, id: `r${i}`, ...(i < 2 ? { experiment: "batch" } : {}) }],
  );
  const { rows } = libraryTable(all, { columns: ["run"], sort: "run", grouped: "experiments" });
  expect(rows.map(({ runs }) => runs.map(({ id }) => id))).toEqual([["r0", "r1"], ["r2"]]);
});

it("a setting that a server tells twice is one column", () => {
  const runs = ["100", "200"].map((blocks, i) => {
    const one = run(`r${i}`, {
      provenance: { "servers[0].settings.cache_config.num_gpu_blocks": blocks, seed: blocks },
    });
    const facts = { "vllm:cache_config_info num_gpu_blocks": blocks };
    return { ...one, measured: { servers: [], models: [], values: new Map<string, number>(), facts, points: [] } };
  });
  expect(defaultColumns(runs).filter((name) => /blocks|seed/.test(name))).toEqual([
    "cache_config.num_gpu_blocks",
    "seed",
  ]);
});
