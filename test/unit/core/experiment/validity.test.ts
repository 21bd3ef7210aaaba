import { describe, expect, it } from "vitest";
import type { ClientResult } from "../../../../src/core/client/index.js";
import { sourceOf } from "../../../../src/core/compare/index.js";
import { judgedName, problemsOf } from "../../../../src/core/experiment/index.js";
import type { Finding, FindingId } from "../../../../src/core/insights/index.js";
import { epochNs } from "../../../../src/core/model/index.js";
import { twoConfigurations } from "../../../support/experiments.js";
import { ORIGIN, RunBuilder, SECOND } from "../../../support/run-builder.js";

const A = "http://a:1/metrics";
const B = "http://b:1/metrics";

interface Parts {
  /** Of those seconds, which failed. */
  readonly failed?: readonly number[];
  readonly interval?: string;
  /** Lines of the experiment's file. */
  readonly more?: string;
  readonly exitCode?: number;
  readonly timedOut?: boolean;
  readonly clients?: readonly ClientResult[];
  readonly findings?: readonly Finding[];
}

/** Why a run does not count that is scraped at these seconds, and measured from 10 to 30 with slices of 5 s. */
function problems(
  scrapes: Readonly<Record<string, readonly number[]>>,
  { failed = [], interval = "1s", more = "", exitCode = 0, timedOut = false, clients = [], findings = [] }: Parts = {},
): readonly string[] {
  const definition = twoConfigurations(`interval: ${interval}\n${more}`);
  const [configuration] = definition.configurations;
  const builder = new RunBuilder(5);
  const times = Object.entries(scrapes).flatMap(([url, seconds]) => seconds.map((time) => ({ time, url })));
  for (const { time, url } of times.toSorted((one, other) => one.time - other.time))
    builder.scrape(time, failed.includes(time) ? "failed" : [{ name: "up", value: time }], url);
  const { run } = builder.window(10, 30);
  return problemsOf(definition, configuration!, {
    exitCode,
    timedOut,
    lastLines: "Its last lines: it broke",
    run: { source: sourceOf({ kind: "samples", label: "run", run }), clients },
    captured: run,
    findings,
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
      `${A} was not scraped for 15 s, longer than two scrape intervals (14 s).`,
    ]);
  });

  it("at one of several endpoints does not count for it, and names each", () => {
    const whole = [10, 14, 18, 22, 26, 30];
    expect(problems({ [A]: whole, [B]: whole.map((time) => time + 1) })).toEqual([]);
    expect(problems({ [A]: whole, [B]: [10, 14, 22, 26, 30] })).toEqual([gap(B, "8 s")]);
    expect(problems({ [A]: [10, 30], [B]: [10, 14, 22, 26, 30] })).toEqual([gap(A, "20 s"), gap(B, "8 s")]);
  });
});

/** A client that was set to a rate, sent its requests over 20 s, and of them so many failed. */
function client(requests: number, failed: number, requestRate = 5): ClientResult {
  const time = (i: number) => epochNs(ORIGIN + BigInt(Math.round(((20 * i) / (requests - 1)) * SECOND)));
  return {
    tool: "AIPerf",
    configuration: {},
    requestRate,
    requests: Array.from({ length: requests }, (_, i) => ({
      start: time(i),
      end: time(i),
      outcome: i < failed ? "failed" : "completed",
    })),
    stored: [],
    notices: [],
  };
}

const found = (id: FindingId): Finding => ({
  id,
  title: "Title",
  advice: "",
  weight: 1,
  confidence: "high",
  text: "What it is.",
  evidence: [],
  endpointUrls: [A],
});

describe("a run that was scraped throughout", () => {
  const scrapes = { [A]: [10, 14, 18, 22, 26, 30] };

  it("counts unless its load failed", () => {
    expect(problems(scrapes)).toEqual([]);
    expect(problems(scrapes, { exitCode: 3 })).toEqual(["The load ended with exit code 3. Its last lines: it broke"]);
    expect(problems(scrapes, { timedOut: true })).toEqual(["The load took longer than its timeout."]);
  });

  it("counts up to a share of failed requests, by the client where there is one", () => {
    const inFindings = { findings: [found("errors")] };
    expect(problems(scrapes, inFindings)).toEqual(["Title: What it is."]);
    expect(problems(scrapes, { ...inFindings, clients: [client(101, 1)] })).toEqual([]);
    expect(problems(scrapes, { clients: [client(101, 2)] })).toEqual(["2 of 101 requests failed (1.98 %)."]);
    expect(problems(scrapes, { clients: [client(101, 2)], more: "errors: 2%" })).toEqual([]);
  });

  it("counts where the client sent what it was set to, but for chance", () => {
    // 400 requests at random are off by 5 % each third time, and by 15 % hardly ever.
    expect(problems(scrapes, { clients: [client(401, 0, 23)] })).toEqual([]);
    expect(problems(scrapes, { clients: [client(401, 0, 24)] })).toEqual([
      "The load was 20.0 requests/s instead of 24: the load generator is too slow.",
    ]);
  });

  it.each(["restart", "throttled", "frozen"] as const)("does not count after a finding of %s", (id) => {
    expect(problems(scrapes, { findings: [found("saturated"), found(id)] })).toEqual(["Title: What it is."]);
  });
});
