import { describe, expect, it } from "vitest";
import { openMetrics } from "../../../../src/core/artifacts/index.js";
import { ExpositionParser, parseDocument } from "../../../../src/core/exposition/index.js";
import { durationNs, epochNs } from "../../../../src/core/model/index.js";
import { Run, Store } from "../../../../src/core/store/index.js";
import { ORIGIN, SECOND } from "../../../support/run-builder.js";

const A = "http://a:1/metrics";
const B = "http://b:1/metrics";

/** The export of one scrape of each of some endpoints. */
function exported(expositions: Readonly<Record<string, string>>): string {
  const run = new Run(
    { benchmarkId: "one", endpointsConfigured: [A, B], sliceDurationSeconds: 5, inputConfig: {} },
    new Store(ORIGIN),
  );
  Object.entries(expositions).forEach(([endpointUrl, text], i) => {
    const batch = new ExpositionParser().parse(Buffer.from(text), "text");
    const time = epochNs(ORIGIN + BigInt(i * SECOND));
    const outcome = { kind: "samples", batch } as const;
    run.store.append({ endpointUrl, time, latency: durationNs(1e6), requestSent: time, outcome });
  });
  return [...openMetrics(run)].join("");
}

/** TYPE lines, and samples without labels and times. */
function outline(text: string): string[] {
  return text
    .split("\n")
    .filter((line) => line !== "" && line !== "# EOF")
    .map((line) => line.replace(/\{.*\} (\S+) \S+$/, " $1"));
}

describe("the OpenMetrics export", () => {
  it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    [
      "has each counter under the name that its server exposed",
      { [A]: "# TYPE jobs counter\njobs 3\n# TYPE runs_total counter\nruns_total 4\n" },
      ["# TYPE jobs unknown", "jobs 3", "# TYPE runs counter", "runs_total 4"],
    ],
    [
      "keeps the names of endpoints apart that expose one counter differently",
      { [A]: "# TYPE jobs counter\njobs 3\n", [B]: "# TYPE jobs_total counter\njobs_total 4\n" },
      ["# TYPE jobs unknown", "jobs 3", "# TYPE jobs_total unknown", "jobs_total 4"],
    ],
    [
      "declares no counter under the name of a gauge",
      { [A]: "# TYPE heap gauge\nheap 3\n# TYPE heap_total counter\nheap_total 4\n" },
      ["# TYPE heap gauge", "heap 3", "# TYPE heap_total unknown", "heap_total 4"],
    ],
  ])("%s", (_, expositions, lines) => {
    const text = exported(expositions);
    expect(outline(text)).toEqual(lines);
    expect(() => parseDocument(Buffer.from(text), "openmetrics", "strict")).not.toThrow();
  });
});
