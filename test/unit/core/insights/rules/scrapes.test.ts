import { describe, expect, it } from "vitest";
import { runInsights } from "../../../../../src/core/insights/index.js";
import { complete } from "../../../../../src/core/stats/index.js";
import type { MetricsPage } from "../../../../../src/demo/profiles/families.js";
import { finding, findings } from "../../../../support/findings.js";
import { exposing, vllmAt, wobbling, type SimulatedServer } from "../../../../support/simulated-server.js";
import { RunBuilder } from "../../../../support/run-builder.js";

describe("frozen metrics", () => {
  it("are those of an engine that stands still, although its process goes on", async () => {
    const stopped: SimulatedServer = {
      expose: (exporter) => {
        const cpu = exporter.counter("process_cpu_seconds_total", "Made by hand.");
        const running = exporter.gauge("vllm:num_requests_running", "Made by hand.");
        const tokens = exporter.counter("vllm:generation_tokens_total", "Made by hand.");
        return (second) => {
          cpu(0.1);
          running(second < 30 ? Math.round(wobbling(12, second)) : 12);
          if (second < 30) tokens(1000);
        };
      },
    };
    const found = await finding("frozen", stopped);
    expect(found?.text).toMatch(/12 requests ran, but no token and no request was counted in the last \d+(\.\d)? %/);
    const [evidence] = found?.evidence ?? [];
    expect(evidence?.value).toBeGreaterThan(evidence?.threshold ?? Infinity);
  });

  it("are not those that change by a clock, which is too slow instead", async () => {
    const rare = exposing((exporter) => {
      const power = exporter.gauge("DCGM_FI_DEV_POWER_USAGE", "Made by hand.");
      return (second) => {
        if (second % 10 === 0) power(300 + second);
      };
    });
    const ids = (await findings(rare)).map(({ id }) => id);
    expect(ids).toEqual(["coarse-interval"]);
    expect((await finding("coarse-interval", rare))?.text).toContain("values changed only every 10 s");
  });
});

describe("missing scrapes", () => {
  const still = (answers: (second: number) => boolean): SimulatedServer => ({
    answers,
    expose: (exporter) => {
      exporter.gauge("vllm:num_requests_running", "Made by hand.")(0);
      return () => undefined;
    },
  });

  it("at the end are a gap, even where values never change", async () => {
    const found = await finding(
      "gap",
      vllmAt({}),
      still((second) => second < 45),
    );
    expect(found?.text).toMatch(/^localhost:8001: 16 scrapes of 61 .* did not answer up to the end/);
    expect(
      await finding(
        "gap",
        vllmAt({}),
        still(() => true),
      ),
    ).toBeUndefined();
  });

  it("are told apart into those that failed and those that were not made", () => {
    const builder = new RunBuilder();
    for (let i = 0; i < 40; i++)
      if (i < 12 || i >= 24) builder.scrape(i, [{ name: "f", type: "gauge", value: i }]);
      else if (i < 17) builder.scrape(i, "failed");
    const { findings } = complete(runInsights({ kind: "samples", run: builder.window(0, 39).run }));
    expect(findings.find(({ id }) => id === "gap")?.text).toBe(
      "a:1: 12 scrapes of 40 (30 %) were missing: 5 failed, 7 were not made, about 12 s in all.",
    );
  });

  it("are those that failed, where the log of the capture and the times differ by one or two", () => {
    const builder = new RunBuilder();
    for (let i = 0; i < 33; i++)
      builder.scrape(i === 0 ? 0.7 : i, i > 0 && i < 10 ? "failed" : [{ name: "f", type: "gauge", value: i }]);
    const { findings } = complete(runInsights({ kind: "samples", run: builder.window(2.4, 32).run }));
    expect(findings.find(({ id }) => id === "gap")?.text).toMatch(/^a:1: 9 scrapes of 33 \(.* %\) failed/);
  });

  it("are not those between AIPerf's baseline and its first phase, when it does not scrape", () => {
    const builder = new RunBuilder();
    const scraped = (from: number, to: number) => {
      for (let i = from; i < to; i++) builder.scrape(i / 2, [{ name: "f", type: "gauge", value: i }]);
    };
    scraped(0, 1);
    scraped(7, 40);
    const gaps = (lost: number) =>
      complete(runInsights({ kind: "samples", run: builder.window(3.4, 20 + lost).run })).findings.filter(
        ({ id }) => id === "gap",
      );
    expect(gaps(0)).toEqual([]);
    expect(gaps(10)[0]?.text).toMatch(/^a:1: 20 scrapes of 54/);
  });

  it("are not counted of an endpoint whose scrapes all bear one time", () => {
    const builder = new RunBuilder();
    for (let i = 0; i < 600; i++) builder.scrape(5, [{ name: "f", type: "gauge", value: i }]);
    for (let i = 0; i < 60; i++) builder.scrape(i, [{ name: "f", type: "gauge", value: i }], "http://b:1/metrics");
    const { findings } = complete(runInsights({ kind: "samples", run: builder.run }));
    expect(findings.filter(({ id }) => id === "gap")).toEqual([]);
  });

  it("in between are a gap, even where values never change", async () => {
    const found = await finding(
      "gap",
      still((second) => second < 20 || second >= 32),
    );
    expect(found?.text).toBe("localhost:8000: 12 scrapes of 61 (19.7 %) failed, about 12 s in all.");
  });
});

describe("a restart", () => {
  const counting = (fall: (registry: MetricsPage["registry"]) => void) =>
    exposing((exporter) => {
      const tokens = exporter.counter("vllm:generation_tokens_total", "Made by hand.");
      const prompts = exporter.counter("vllm:prompt_tokens_total", "Made by hand.");
      const first = exporter.histogram("vllm:time_to_first_token_seconds", "Made by hand.", [1, 10]);
      return (second) => {
        if (second === 30) fall(exporter.registry);
        tokens(100);
        prompts(50);
        first(0.5);
      };
    });

  it("is one where counters begin anew, and not where a single one of several falls", async () => {
    const found = await finding(
      "restart",
      counting((registry) => registry.resetMetrics()),
    );
    expect(found?.text).toBe("localhost:8000: 3 metrics of 3 restarted from zero.");
    expect(found?.confidence).toBe("high");
    expect(found?.evidence[0]).toMatchObject({ statistic: "resets", value: 1, threshold: 0 });
    const one = counting((registry) => registry.getSingleMetric("vllm:prompt_tokens_total")?.reset());
    expect(await finding("restart", one)).toBeUndefined();
    expect(
      await finding(
        "restart",
        counting(() => undefined),
      ),
    ).toBeUndefined();
  });
});
