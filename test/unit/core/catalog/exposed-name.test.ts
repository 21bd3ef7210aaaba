import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { exposedName } from "../../../../src/core/catalog/index.js";
import { ExpositionParser } from "../../../../src/core/exposition/index.js";

const FOLDER = path.join(import.meta.dirname, "../../../fixtures/expositions");

describe("the name under which a server exposes a sample", () => {
  it("is that of a counter as it was served", () => {
    const counter = { name: "jobs", type: "counter" } as const;
    expect(exposedName({ ...counter, exposedName: "jobs" }, "value")).toBe("jobs");
    expect(exposedName({ ...counter, exposedName: "jobs_total" }, "value")).toBe("jobs_total");
    // Whatever the catalogue says: an exporter may rename what it passes on.
    const served = "nv_inference_count_total";
    expect(exposedName({ name: "nv_inference_count", type: "counter", exposedName: served }, "value")).toBe(served);
  });

  it("ends in _total for a counter of which nothing is known", () => {
    expect(exposedName({ name: "jobs", type: "counter" }, "value")).toBe("jobs_total");
    expect(exposedName({ name: "jobs_total", type: "counter" }, "value")).toBe("jobs_total");
    expect(exposedName({ name: "jobs", type: "gauge" }, "value")).toBe("jobs");
    expect(exposedName({ name: "wait", type: "histogram" }, "bucket")).toBe("wait_bucket");
  });

  it("is known of the counters of Dynamo and llama.cpp that lack it", () => {
    const nameOf = (name: string) => exposedName({ name, type: "counter" }, "value");
    expect(nameOf("dynamo_component_kv_cache_events_applied")).toBe("dynamo_component_kv_cache_events_applied");
    expect(nameOf("dynamo_component_requests")).toBe("dynamo_component_requests_total");
    expect(nameOf("llamacpp:n_tokens_max")).toBe("llamacpp:n_tokens_max");
    expect(nameOf("llamacpp_n_tokens_max")).toBe("llamacpp_n_tokens_max");
  });

  it.each(readdirSync(FOLDER))("is what %s has, when only the families' names are left", (file) => {
    const body = readFileSync(path.join(FOLDER, file));
    const counters = new ExpositionParser().parse(body, "text").defs.filter(({ family }) => family.type === "counter");
    for (const { family } of counters)
      expect(exposedName({ name: family.name, type: "counter" }, "value")).toBe(family.exposedName);
  });
});
