import { describe, expect, it } from "vitest";
import { sourceOf } from "../../../../src/core/compare/index.js";
import { judgedName, problemsOf } from "../../../../src/core/experiment/index.js";
import { twoConfigurations } from "../../../support/experiments.js";
import { RunBuilder } from "../../../support/run-builder.js";

const A = "http://a:1/metrics";
const B = "http://b:1/metrics";

interface Parts {
  /** Of those seconds, which failed. */
  readonly failed?: readonly number[];
  readonly interval?: string;
}

/** Why a run does not count that is scraped at these seconds, and measured from 10 to 30 with slices of 5 s. */
function problems(
  scrapes: Readonly<Record<string, readonly number[]>>,
  { failed = [], interval = "1s" }: Parts = {},
): readonly string[] {
  const definition = twoConfigurations(`interval: ${interval}`);
  const [configuration] = definition.configurations;
  const builder = new RunBuilder(5);
  const times = Object.entries(scrapes).flatMap(([url, seconds]) => seconds.map((time) => ({ time, url })));
  for (const { time, url } of times.toSorted((one, other) => one.time - other.time))
    builder.scrape(time, failed.includes(time) ? "failed" : [{ name: "up", value: time }], url);
  const { run } = builder.window(10, 30);
  return problemsOf(definition, configuration!, {
    exitCode: 0,
    timedOut: false,
    run: { source: sourceOf({ kind: "samples", label: "run", run }), clients: [] },
    captured: run,
    findings: [],
    values: { [judgedName(definition.primary)]: { value: 1, error: 0 } },
  });
}

const gap = (url: string, seconds: string) => `${url} was not scraped for ${seconds}, longer than a slice (5 s).`;

describe("a run with a gap", () => {
  it.each([
    ["of a slice", [10, 15, 20, 25, 30], []],
    ["above a slice", [10, 15, 20.1, 25, 30], ["5.1 s"]],
    ["of a slice at both ends", [15, 20, 25], []],
    ["above a slice at the start", [15.2, 20, 25, 30], ["5.2 s"]],
    ["above a slice at the end", [10, 15, 20, 24.7], ["5.3 s"]],
    ["before and after what is measured", [0, 10, 15, 20, 25, 30, 40], []],
    ["that begins before and ends within a slice", [3, 14, 19, 24, 29], []],
    ["in which nothing is measured at all", [0, 40], ["20 s"]],
    ["of several above a slice, of which it names the longest", [10, 16, 23, 29], ["7 s"]],
  ])("%s", (_, seconds, gaps) => {
    expect(problems({ [A]: seconds })).toEqual(gaps.map((length) => gap(A, length)));
  });

  it("of failed scrapes is one as of scrapes that were not made", () => {
    const seconds = Array.from({ length: 21 }, (_, i) => 10 + i);
    expect(problems({ [A]: seconds }, { failed: [12, 13, 14, 15] })).toEqual([]);
    expect(problems({ [A]: seconds }, { failed: [12, 13, 14, 15, 16] })).toEqual([gap(A, "6 s")]);
  });

  it("is none where scrapes are meant to be that rare", () => {
    const seconds = [10.01, 17.02, 24.03];
    expect(problems({ [A]: seconds }, { interval: "7s" })).toEqual([]);
    expect(problems({ [A]: [10.01, 25] }, { interval: "7s" })).toEqual([
      `${A} was not scraped for 15 s, longer than two intervals (14 s).`,
    ]);
  });

  it("at one of several endpoints does not count for it, and names each", () => {
    const whole = [10, 14, 18, 22, 26, 30];
    expect(problems({ [A]: whole, [B]: whole.map((time) => time + 1) })).toEqual([]);
    expect(problems({ [A]: whole, [B]: [10, 14, 22, 26, 30] })).toEqual([gap(B, "8 s")]);
    expect(problems({ [A]: [10, 30], [B]: [10, 14, 22, 26, 30] })).toEqual([gap(A, "20 s"), gap(B, "8 s")]);
  });
});
