import { expect, it } from "vitest";
import { configurationTree, snapshotTable } from "../../../../src/core/query/index.js";
import { RunBuilder } from "../../../support/run-builder.js";

it("one scrape is a table of what every series stands at, a vector in one row, quantiles with what is certain of them", () => {
  const builder = new RunBuilder();
  builder.scrape(0, [
    { name: "running", labels: { gpu: "0" }, value: 3 },
    { name: "tokens", type: "counter", value: 40 },
    { name: "vllm:spec_decode_num_accepted_tokens_per_pos", type: "counter", labels: { position: "0" }, value: 9 },
    { name: "vllm:spec_decode_num_accepted_tokens_per_pos", type: "counter", labels: { position: "2" }, value: 4 },
    { name: "ttft_seconds", buckets: { "1": 50, "2": 95, "+Inf": 100 }, sum: 150, count: 100 },
  ]);
  const { columns, rows } = snapshotTable(builder.run);
  expect(columns.map(({ key }) => key)).toEqual(["value", "count", "sum", "avg", "p50", "p90", "p99"]);
  const cell = (row: number, key: string) => rows[row]?.values[key];
  expect(rows.map(({ family, type, labels, positions }) => [family, type, labels, positions])).toEqual([
    ["running", "gauge", [["gpu", "0"]], undefined],
    ["tokens", "counter", [], undefined],
    ["vllm:spec_decode_num_accepted_tokens_per_pos", "counter", [["position", "0…2"]], [9, NaN, 4]],
    ["ttft_seconds", "histogram", [], undefined],
  ]);
  expect([cell(0, "value"), cell(1, "value"), cell(2, "value"), cell(3, "count"), cell(3, "avg")]).toEqual([
    3,
    40,
    undefined,
    100,
    1.5,
  ]);
  expect(rows[3]?.estimates?.["p90"]).toMatchObject({ lower: 1, upper: 2, linear: 1 + 40 / 45 });
  expect(cell(3, "p90")! > 1 && cell(3, "p90")! <= 2).toBe(true);
});

it("a configuration keeps integers of any size, and its order", () => {
  const tree = configurationTree({ b: { seed: 9_007_199_254_740_993n, off: false, none: null }, a: ["x", 1.5, []] });
  expect(tree).toEqual([
    {
      key: "b",
      kind: "object",
      children: [
        { key: "seed", kind: "literal", text: "9007199254740993" },
        { key: "off", kind: "literal", text: "false" },
        { key: "none", kind: "literal", text: "null" },
      ],
    },
    {
      key: "a",
      kind: "list",
      children: [
        { key: "0", kind: "text", text: "x" },
        { key: "1", kind: "literal", text: "1.5" },
        { key: "2", kind: "list", children: [] },
      ],
    },
  ]);
});
