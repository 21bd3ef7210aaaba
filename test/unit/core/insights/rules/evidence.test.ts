import { describe, expect, it } from "vitest";
import { finding } from "../../../../support/findings.js";
import { exposing, vllmAt, wobbling } from "../../../../support/simulated-server.js";

describe("the finding on a short warm-up", () => {
  it("is reported where the level of the first seconds differs, with what has that level", async () => {
    const found = await finding(
      "warm-up-short",
      vllmAt({ tokens: (second) => wobbling(second < 12 ? 600 : 2000, second) }),
    );
    expect(found?.text).toMatch(
      /in the first 1\d s, generation tokens per second were \d\d(\.\d)? % lower than afterwards/,
    );
    const steady = vllmAt({ tokens: (second) => wobbling(2000, second) });
    expect(await finding("warm-up-short", steady)).toBeUndefined();
  });

  it("is reported where a level settles slowly, and not where it goes on moving", async () => {
    const settling = (seconds: number) =>
      vllmAt({ tokens: (second) => wobbling(2000 * (1 - 0.6 * Math.exp(-second / seconds)), second) });
    const found = await finding("warm-up-short", settling(8));
    expect(found?.text).toMatch(/in the first (5|10|15) s, generation tokens per second were \d\d(\.\d)? % lower/);
    expect(await finding("warm-up-short", settling(60))).toBeUndefined();
  });

  it("is reported where tokens take longer at the same load, and not where the load is greater", async () => {
    const gapsAt = (load: (second: number) => number) =>
      exposing((exporter) => {
        const tokens = exporter.counter("vllm:generation_tokens_total", "Made by hand.");
        const gaps = exporter.histogram("vllm:inter_token_latency_seconds", "Made by hand.", [0.01, 0.05, 0.1]);
        return (second) => {
          tokens(wobbling(load(second), second));
          for (let i = 0; i < 50; i++) gaps(wobbling(second < 15 ? 0.05 : 0.02, second + i));
        };
      });
    const cold = await finding(
      "warm-up-short",
      gapsAt(() => 2000),
    );
    expect(cold?.text).toMatch(/in the first 1\d s, the time of a token was 1\d\d % higher than afterwards/);
    const busy = await finding(
      "warm-up-short",
      gapsAt((second) => (second < 15 ? 4000 : 2000)),
    );
    expect(busy?.text ?? "").not.toContain("the time of a token");
  });
});

describe("the finding on coarse buckets", () => {
  it("is reported where one bucket holds nearly all, the first one by the mean in it", async () => {
    const wide = await finding("coarse-buckets", vllmAt({ bounds: [0.01, 5, 10] }));
    expect(wide?.text).toMatch(
      /time to first token \(vllm:time_to_first_token_seconds\) lay in one bucket, between 10 ms and 5 s/,
    );
    expect(await finding("coarse-buckets", vllmAt({ bounds: [1, 10] }))).toBeDefined();
    expect(await finding("coarse-buckets", vllmAt({ bounds: [0.15, 0.3] }))).toBeUndefined();
  });

  it("is not reported where another histogram of the page has the same latency in finer ones", async () => {
    const page = (families: Readonly<Record<string, readonly number[]>>) =>
      exposing((exporter) => {
        const histograms = Object.entries(families).map(([name, bounds]) =>
          exporter.histogram(name, "Made by hand.", bounds),
        );
        return (second) => {
          for (const observe of histograms) for (let i = 0; i < 20; i++) observe(wobbling(9.8, second + i));
        };
      });
    const worker = { dynamo_component_request_duration_seconds: [5, 10] };
    expect((await finding("coarse-buckets", page(worker)))?.text).toContain("above the last bound 10 s");
    const both = { ...worker, dynamo_frontend_request_duration_seconds: [6.3, 10, 12] };
    expect(await finding("coarse-buckets", page(both))).toBeUndefined();
  });
});

describe("the number of requests", () => {
  it("is too small for a p99 below a hundred, and not from there on", async () => {
    const found = await finding("few-observations", vllmAt({ finished: 1 }));
    expect(found?.text).toMatch(/had 60 observations; its p99 rests on the slowest one alone\.$/);
    expect(await finding("few-observations", vllmAt({ finished: 2 }))).toBeUndefined();
  });
});
