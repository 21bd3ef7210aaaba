import { expect, it } from "vitest";
import { familyUnit } from "../../../../src/core/catalog/index.js";
import { complete, runStatistics } from "../../../../src/core/stats/index.js";
import { RunBuilder } from "../../../support/run-builder.js";

function counted(values: readonly number[], overlap = true) {
  const builder = new RunBuilder();
  builder.run.store.scrapesOverlap = overlap;
  for (const [i, value] of values.entries()) builder.scrape(i, [{ name: "f", type: "counter", value }]);
  const { families } = complete(runStatistics(builder.window(0, values.length).run, { unitOf: familyUnit }));
  const [family] = families;
  if (family?.type !== "counter") throw new Error("no counter");
  return family.series[0]?.stats;
}

// AIPerf 0.13 asked vLLM at .415 s and .757 s, and had the second answer first: 2,125 tokens, then 2,119.
it("the restart rule takes no scrape that another one has overtaken for a restart", () => {
  expect(counted([0, 1800, 2125, 2119, 2180, 2400])).toMatchObject({ total: 2400 });
  expect(counted([0, 1800, 2125, 2119, 2180, 2400])?.resets).toBeUndefined();
});

it("the restart rule takes every fall for a restart where a scrape waits for the one before", () => {
  expect(counted([0, 1800, 2125, 2119, 2180, 2400], false)).toMatchObject({ resets: 1 });
});

it("still tells a restart, after which a counter begins anew", () => {
  expect(counted([100, 1800, 2125, 30, 90, 400])).toMatchObject({ total: 2025 + 400, resets: 1 });
  expect(counted([100, 200, 2, 300])).toMatchObject({ total: 100 + 300, resets: 1 });
});
