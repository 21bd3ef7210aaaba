import { expect, it } from "vitest";
import { boundText } from "../../../../src/core/model/index.js";
import { mergeBuckets } from "../../../../src/core/query/stored.js";

const buckets = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts).map(([bound, count]) => [boundText(bound), count] as const);

it("adds buckets up on the bounds that all share, however a server writes them", () => {
  const merged = mergeBuckets([
    buckets({ "0.5": 1, "1.0": 3, "2.0": 4, "+Inf": 5 }),
    buckets({ "1": 10, "2": 20, "4": 30, "+Inf": 40 }),
  ]);
  expect(Object.fromEntries(merged)).toEqual({ "1.0": 13, "2.0": 24, "+Inf": 45 });
});
