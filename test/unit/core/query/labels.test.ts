import { expect, it } from "vitest";
import { labelCounts } from "../../../../src/core/query/index.js";
import { RunBuilder } from "../../../support/run-builder.js";

it("labelCounts counts the series of each family by each value of each label", () => {
  const builder = new RunBuilder();
  builder.scrape(0, [
    { name: "a", labels: { gpu: "0", model: "m" }, value: 1 },
    { name: "a", labels: { gpu: "1", model: "m" }, value: 1 },
    { name: "b", labels: { gpu: "1" }, value: 1 },
    { name: "plain", value: 1 },
  ]);
  expect(labelCounts(builder.run.store.seriesKeys())).toEqual([
    { family: "a", label: "gpu", value: "0", seriesCount: 1 },
    { family: "a", label: "gpu", value: "1", seriesCount: 1 },
    { family: "a", label: "model", value: "m", seriesCount: 2 },
    { family: "b", label: "gpu", value: "1", seriesCount: 1 },
  ]);
});
