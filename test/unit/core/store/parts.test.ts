import { expect, it } from "vitest";
import { epochNs, offsetNs } from "../../../../src/core/model/index.js";
import { complete, runStatistics } from "../../../../src/core/stats/index.js";
import { Run } from "../../../../src/core/store/index.js";
import { jsonlLines } from "../../../support/jsonl-lines.js";
import { seededRandom } from "../../../support/random.js";
import { ORIGIN, RunBuilder, SECOND, type TestSample } from "../../../support/run-builder.js";

/** All kinds of cells: whole, broken, absent, gaps, bounds that change, scrapes that fail, repeat or come late. */
function unevenRun(scrapes: number): Run {
  const random = seededRandom(3);
  const builder = new RunBuilder(5);
  for (let i = 0; i < scrapes; i++) {
    const late = i % 97 === 5 ? i - 3.5 : i;
    const bounds = i < 700 ? { "0.5": i, "1.0": 2 * i, "+Inf": 3 * i } : { "0.5": i, "2.0": 2 * i, "+Inf": 3 * i };
    const samples: TestSample[] = [
      { name: "whole", type: "counter", value: i * 7, labels: { engine: "0" } },
      { name: "wide", value: Math.floor(random() * 1e7), labels: { engine: "0" } },
      { name: "broken", value: i % 13 === 0 ? NaN : random() },
      { name: "zero", value: i % 2 === 0 ? -0 : 0 },
      { name: "same", value: 0.25 },
      { name: "h_seconds", buckets: bounds, sum: i * 1.7, count: 3 * i },
    ];
    if (i % 50 === 20) builder.scrape(late, "failed");
    else if (i % 50 === 30) builder.scrape(late, "duplicate");
    else builder.scrape(late, i > 900 ? samples.slice(2) : samples, i % 3 === 0 ? "http://b:1/metrics" : undefined);
  }
  const { run } = builder.window(10, scrapes - 10);
  run.addMark({ time: epochNs(ORIGIN + BigInt(20 * SECOND)), label: "a mark" });
  run.setSliceSeconds(7);
  for (const { id, family } of run.store.seriesKeys())
    if (family.type === "histogram") run.store.setCreated(id, offsetNs(12_345));
  return run;
}

const contents = (run: Run) => ({
  lines: jsonlLines(run),
  statistics: complete(runStatistics(run, { unitOf: () => undefined })),
  slice: run.sliceSeconds,
});

it("a run in parts gives a run back bit for bit from parts that crossed to another thread", () => {
  for (const scrapes of [3, 512, 1300]) {
    const run = unevenRun(scrapes);
    const { head, series } = run.parts();
    const crossed = Run.of(
      structuredClone(head),
      [...series].map((part) => structuredClone(part)),
    );
    expect(contents(crossed)).toEqual(contents(run));
    expect([...crossed.store.seriesKeys()]).toEqual([...run.store.seriesKeys()]);
    expect(crossed.store.families()).toEqual(run.store.families());
    const newest = (of: Run) => [...of.store.seriesKeys()].map(({ id }) => of.store.last(id));
    expect(newest(crossed)).toEqual(newest(run));
  }
});

it("a run in parts stays as it was while the run goes on growing", () => {
  const run = unevenRun(600);
  const before = contents(run);
  const { head, series } = run.parts();
  const plain = structuredClone(head);
  const source = run.store.scrapesInOrder(300, 0);
  for (const scrape of [...source]) if (scrape.outcome.kind === "failed") run.store.append(scrape);
  const crossed = Run.of(
    plain,
    [...series].map((part) => structuredClone(part)),
  );
  expect(contents(crossed)).toEqual(before);
});
