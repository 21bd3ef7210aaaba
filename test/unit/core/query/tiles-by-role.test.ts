import { join } from "node:path";
import { expect, it } from "vitest";
import { familyUnit } from "../../../../src/core/catalog/index.js";
import { keyTiles, StoredRun } from "../../../../src/core/query/index.js";
import { complete, runStatistics } from "../../../../src/core/stats/index.js";
import { describeReal, realRun } from "../../../support/real-runs.js";

describeReal("tiles of a disaggregated deployment", (directory) => {
  it("are by role where several have the metric, from samples and from statistics", async () => {
    const run = await realRun(join(directory, "dynamo/disagg"));
    const tiles = keyTiles(run);
    const named = new Map(tiles.map(({ title, value }) => [title, value]));
    // Each of the requests of a decode worker was one of the prefill worker first.
    expect(named.get("Requests in flight (prefill)")).toBeCloseTo(4.06, 1);
    expect(named.get("Requests in flight (decode)")).toBeCloseTo(25, 1);
    expect(named.get("Requests finished (prefill)")).toBeCloseTo(9.74, 1);
    expect(named.has("Requests running (decode)")).toBe(false);
    expect(new Set(tiles.map(({ id }) => id)).size).toBe(tiles.length);
    const stored = keyTiles(new StoredRun(complete(runStatistics(run, { unitOf: familyUnit }))));
    expect(stored.map(({ id, title }) => [id, title])).toEqual(tiles.map(({ id, title }) => [id, title]));
  });
});
