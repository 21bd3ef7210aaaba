import { describe, expect, it } from "vitest";
import { parseAssertion } from "../../../../src/core/compare/gates/assertion.js";
import { AssertionError, checkAssertion, parseWithPatterns } from "../../../../src/core/compare/index.js";
import { complete, runStatistics } from "../../../../src/core/stats/index.js";
import { RunBuilder } from "../../../support/run-builder.js";

describe("parseWithPatterns", () => {
  it("takes everything apart", () => {
    expect(
      parseWithPatterns(` any : vllm:request_success{finished_reason=~"stop|length", engine!='1',} rate >= -1.5e1 `),
    ).toEqual({
      text: `any : vllm:request_success{finished_reason=~"stop|length", engine!='1',} rate >= -1.5e1`,
      over: "any",
      family: "vllm:request_success",
      selectors: [
        { label: "finished_reason", operator: "=~", value: "stop|length" },
        { label: "engine", operator: "!=", value: "1" },
      ],
      statistic: "rate",
      operator: ">=",
      limit: -15,
    });
    expect(parseWithPatterns("all:up avg==1")).toMatchObject({
      over: "all",
      family: "up",
      selectors: [],
      statistic: "avg",
      operator: "==",
      limit: 1,
    });
    expect(parseWithPatterns("all max<1").family).toBe("all");
    expect(parseWithPatterns(`x{a="q\\"\\\\\\n"} p99_estimate < .5`)).toMatchObject({
      selectors: [{ value: 'q"\\\n' }],
      limit: 0.5,
    });
  });

  it.each([
    ['x{a=~"(.)\\\\1"} avg < 1', 6, "as RE2's, PromQL's syntax: invalid escape sequence: `\\1`"],
    ['x{a=~"(?=b)"} avg < 1', 6, "invalid or unsupported Perl syntax: `(?=`"],
    ["", 1, "expected a metric name, but the text ends here"],
    ["vllm:x", 7, "expected a statistic"],
    ["vllm:x p98 < 5", 8, 'there is no statistic "p98"'],
    ["vllm:x p99_estimated < 5", 8, 'there is no statistic "p99_estimated"'],
    ["vllm:x{engine=0} avg < 5", 15, 'expected a value in quotes, but there is "0}"'],
    ['vllm:x{engine="0" avg < 5', 19, 'expected "," or "}"'],
    ['vllm:x{engine=~"("} avg < 5', 16, "the pattern cannot be read"],
    ["vllm:x avg = 5", 12, "expected one of < <= > >= == !="],
    ["vllm:x avg <", 13, "expected a number, but the text ends here"],
    ["vllm:x avg < 5s", 15, 'expected the end, but there is "s"'],
    ["vllm:x share_below < 5", 20, "expected a threshold in the metric's unit"],
    ["vllm:x avg < five", 14, "expected a number"],
  ])("says where %j goes wrong", (text, column, message) => {
    const error = (() => {
      try {
        parseWithPatterns(text);
      } catch (thrown) {
        return thrown;
      }
      return undefined;
    })();
    expect(error).toBeInstanceOf(AssertionError);
    expect(error).toMatchObject({ position: column - 1, message: expect.stringContaining(message) as string });
    expect(String(error).split("\n").at(-1)!.indexOf("^")).toBe(column - 1 + 2);
  });

  // The extension reads its settings so: what is wrong with a pattern is then the reason of the check.
  it("leaves a pattern to the check where it is read without patterns", () => {
    const result = checkAssertion(parseAssertion('x{a!~"("} avg < 1'), {
      families: [{ name: "x", description: "", type: "gauge", series: [] }],
    });
    expect(result).toMatchObject({
      passed: false,
      reason: expect.stringContaining("the pattern cannot be read") as string,
    });
  });

  it("names the statistics when there is none of the name", () => {
    expect(() => parseWithPatterns("vllm:x median < 5")).toThrow(
      /there is no statistic "median"; there are avg, min, .*p99_estimate/,
    );
  });
});

describe("checkAssertion", () => {
  const builder = new RunBuilder();
  for (let second = 0; second <= 10; second++) {
    builder.scrape(second, [
      { name: "app:level", labels: { engine: "0" }, value: second },
      { name: "app:level", labels: { engine: "1" }, value: 100 },
      { name: "app:done", type: "counter", value: 3 * second },
      { name: "app:wait_seconds", buckets: { "1": 0, "2": 0, "+Inf": 0 }, sum: 0, count: 0 },
      {
        name: "app:slow_seconds",
        buckets: { "1": second, "2": 2 * second, "+Inf": 2 * second },
        sum: 2 * second,
        count: 2 * second,
      },
      { name: "vllm:gpu_cache_usage_perc", value: 0.4 },
    ]);
  }
  const statistics = complete(runStatistics(builder.window(0, 10).run, { unitOf: () => undefined }));
  const check = (text: string) => checkAssertion(parseWithPatterns(text), statistics);

  it.each([
    ["app:level avg < 101", true],
    ["app:level avg < 50", false],
    ["any: app:level avg < 50", true],
    ["any: app:level avg > 1000", false],
    ['app:level{engine="0"} max == 10', true],
    ['app:level{engine=~"0|2"} min != 0', false],
    ['app:level{engine!="0"} min >= 100', true],
    ['app:level{engine!~"[01]"} min >= 100', false],
    // What RE2 has and JavaScript has not.
    ['app:level{endpoint_url=~"(?i)HTTP://A:1/.*"} min <= 100', true],
    ['app:level{endpoint_url="http://a:1/metrics"} min <= 100', true],
    ["app:done rate == 3", true],
    ["app:done increase == 30", true],
    ["app:done resets == 0", true],
    ["app:wait_seconds count == 0", true],
    ["vllm:kv_cache_usage_perc avg < 0.9", true],
    ["app:slow_seconds share_below(1) >= 0.5", true],
    ["app:slow_seconds share_below( 0.2 ) > 0.9", false],
  ])("%s: %s", (text, passed) => {
    expect(check(text).passed).toBe(passed);
  });

  it("tells how well a share is known, unless its threshold is a bound", () => {
    expect(check("app:slow_seconds share_below(1) >= 0.5").series[0]?.share).toBeUndefined();
    const [inside] = check("app:slow_seconds share_below(0.2) > 0.9").series;
    const { lower, upper, interval } = inside?.share ?? { lower: NaN, upper: NaN, interval: [NaN, NaN] };
    expect(upper).toBeGreaterThan(lower);
    const rising = [lower, interval[0], inside?.value ?? NaN, interval[1], upper];
    expect(rising).toEqual([...rising].sort((a, b) => a - b));
  });

  it("fails with a reason for what is not there", () => {
    expect(check("app:levels avg < 1").reason).toMatch(/no metric app:levels/);
    expect(check("app:wait_second avg < 1").reason).toMatch(/did you mean app:wait_seconds/);
    expect(check("app:done p99_estimate < 1")).toMatchObject({
      passed: false,
      reason: expect.stringMatching(/a counter has no p99_estimate; it has total, rate/) as string,
    });
    expect(check('app:level{engine="7"} avg < 1').reason).toMatch(/none of its 2 series has these labels/);
    expect(check("app:wait_seconds p99_estimate < 1")).toMatchObject({
      passed: false,
      reason: expect.stringMatching(/1 of 1 series have no p99_estimate/) as string,
    });
    expect(check("app:wait_seconds p99_estimate != 1").passed).toBe(false);
  });

  it("takes the increase of what restarted, as views show it, and says what AIPerf's rule makes of it", () => {
    const restarted = new RunBuilder();
    for (let second = 0; second <= 10; second++) {
      const n = second < 5 ? second : second - 5;
      restarted.scrape(second, [
        { name: "app:done", type: "counter", value: 10 * n },
        { name: "app:wait_seconds", buckets: { "1": n, "2": n, "+Inf": n }, sum: n / 2, count: n },
      ]);
    }
    const found = complete(runStatistics(restarted.window(0, 10).run, { unitOf: () => undefined }));
    const value = (text: string) => checkAssertion(parseWithPatterns(text), found).series[0]!;
    // 40 before and 50 after: not 50 − 0.
    expect(value("app:done total == 90")).toMatchObject({ passed: true, value: 90, aiperfValue: 50 });
    expect(value("app:done rate == 9")).toMatchObject({ passed: true, aiperfValue: 5 });
    expect(value("app:done increase == 90").aiperfValue).toBeUndefined();
    expect(value("app:wait_seconds count == 9")).toMatchObject({ passed: true, aiperfValue: 5 });
    expect(value("app:wait_seconds avg == 0.5")).toMatchObject({ passed: true, aiperfValue: 0.5 });
    expect(value("app:wait_seconds count_rate == 0.9").passed).toBe(true);
  });

  it("says which series failed", () => {
    expect(
      check("app:level avg < 50").series.map(({ labels, value, passed }) => [labels[0]![1], value, passed]),
    ).toEqual([
      ["0", 5, true],
      ["1", 100, false],
    ]);
  });
});
