import { describe, expect, it } from "vitest";
import { instanceOfUrl, selectorOfInstance, urlOfInstance } from "../../../src/core/model/index.js";

it("instanceOfUrl leads from an endpoint to its instance and back", () => {
  for (const [url, instance] of [
    ["http://gpu1:8000/metrics", "gpu1:8000"],
    ["http://gpu1:8000/prometheus/metrics", "gpu1:8000/prometheus/metrics"],
    ["http://gpu1:8000/v1", "gpu1:8000/v1"],
    ["https://gpu1/metrics", "https://gpu1/metrics"],
    ["http://gpu1:8000/metrics#2", "http://gpu1:8000/metrics#2"],
  ] as const) {
    expect(instanceOfUrl(url)).toBe(instance);
    expect(urlOfInstance(instance)).toBe(url);
  }
});

describe("a selector narrowed to an instance", () => {
  it.each([
    ["up", 'up{instance="h:1"}'],
    ['{job="a"}', '{job="a",instance="h:1"}'],
    ['up{job="a", }', 'up{job="a",instance="h:1"}'],
    ["up{}", 'up{instance="h:1"}'],
  ])("%s", (selector, narrowed) => {
    expect(selectorOfInstance(selector, "h:1")).toBe(narrowed);
  });
});
