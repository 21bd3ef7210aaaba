import { expect, it } from "vitest";
import { withMissedHere } from "../../../../../src/core/model/index.js";
import { runInsights } from "../../../../../src/core/insights/index.js";
import { complete } from "../../../../../src/core/stats/index.js";
import { RunBuilder } from "../../../../support/run-builder.js";

/** What is said of a run that lacks ten scrapes of sixty. @param here how many the capture was too late for */
function said(here: number): string | undefined {
  const builder = new RunBuilder();
  for (let i = 0; i < 60; i++) if (i < 20 || i >= 30) builder.scrape(i, [{ name: "jobs", value: i % 7 }]);
  const { run } = builder.window(0, 59);
  const [url = ""] = run.metadata.endpointsConfigured;
  Object.assign(run.metadata.inputConfig, withMissedHere(here === 0 ? [] : [[url, here]]));
  const found = complete(runInsights({ kind: "samples", run }, {}));
  return found.findings.find(({ id }) => id === "gap")?.text;
}

it("missing scrapes are blamed on the machine that captured as far as the capture was too late for them", () => {
  expect(said(0)).toMatch(/10 scrapes of 60 .* were missing, about 10 s in all\.$/);
  expect(said(10)).toMatch(/in all: the machine that captured was too busy to scrape, not the server\.$/);
  expect(said(4)).toMatch(/in all: 4 of them because the machine that captured was too busy to scrape\.$/);
});
