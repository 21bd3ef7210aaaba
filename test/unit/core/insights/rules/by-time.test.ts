import { describe, expect, it } from "vitest";
import { finding } from "../../../../support/findings.js";
import { exposing, wobbling, type SimulatedServer } from "../../../../support/simulated-server.js";

/** Ten requests a second, of which each is served for two seconds; seconds in the queue by the second of the run. */
function trtllm(queueAt: (second: number) => number, transfer = 0): SimulatedServer {
  return exposing((exporter) => {
    const [whole, queued] = ["e2e_request_latency", "request_queue_time"].map((name) =>
      exporter.histogram(`trtllm:${name}_seconds`, "Made by hand.", [0.1, 1, 10, 100]),
    );
    const transferred =
      transfer > 0
        ? exporter.histogram("trtllm:kv_transfer_latency_seconds", "Made by hand.", [0.1, 1, 10])
        : undefined;
    return (second) => {
      for (let i = 0; i < 10; i++) {
        whole?.(wobbling(2 + queueAt(second), second));
        queued?.(wobbling(queueAt(second), second));
        transferred?.(transfer);
      }
    };
  });
}

/** Triton's models: requests a second, seconds in the queue and seconds computed. */
function triton(
  models: Readonly<Record<string, readonly [rate: number, queue: number, compute: number]>>,
): SimulatedServer {
  return exposing((exporter) => {
    const counter = (name: string) => exporter.counter(`nv_inference_${name}`, "Made by hand.", ["model"]);
    const [ended, whole, queued] = ["request_success", "request_duration_us", "queue_duration_us"].map(counter);
    return () => {
      for (const [model, [rate, queue, compute]] of Object.entries(models)) {
        ended?.(rate, { model });
        whole?.(Math.round(rate * (queue + compute) * 1e6), { model });
        queued?.(Math.round(rate * queue * 1e6), { model });
      }
    };
  });
}

describe("a server that tells only of requests that have ended", () => {
  it("is saturated where as many wait as at no server with time to spare", async () => {
    const found = await finding(
      "saturated",
      trtllm(() => 3),
    );
    expect(found?.text).toMatch(/about (29|30|31) waited at once while about 20 were served, at 10 requests\/s\.$/);
    expect(found?.confidence).toBe("medium");
    expect(found?.evidence[0]).toMatchObject({ family: "trtllm:request_queue_time_seconds", threshold: 0.25 });
    expect(
      await finding(
        "saturated",
        trtllm(() => 0.5),
      ),
    ).toBeUndefined();
  });

  it("has a queue that grows where each request waits longer than the one before", async () => {
    const found = await finding(
      "saturated",
      trtllm((second) => second / 5),
    );
    expect(found?.text).toContain("at 10 requests/s, and the queue grew.");
  });

  it("is not saturated where the queue of a burst has emptied at the end", async () => {
    const burst = trtllm((second) => (second > 15 && second < 40 ? 4 : 0.1));
    expect(await finding("saturated", burst)).toBeUndefined();
  });

  it("is not saturated where requests wait for KV blocks from elsewhere", async () => {
    expect(
      await finding(
        "saturated",
        trtllm(() => 2, 1.8),
      ),
    ).toBeUndefined();
  });
});

describe("Triton's counters of time", () => {
  it("show that the model whose requests wait longest is saturated, once for it and its ensemble", async () => {
    const found = await finding(
      "saturated",
      triton({ tokenizer: [40, 0, 0.001], engine: [40, 0.9, 0.4], ensemble: [40, 0.9, 0.401] }),
    );
    expect(found?.text).toContain("about 36 waited at once while about 16 were served");
    expect(found?.evidence[0]?.labels).toContainEqual(["model", expect.stringMatching(/^(engine|ensemble)$/)]);
  });

  it("do not where no more wait than the next batch takes, nor where models wait a little each", async () => {
    expect(await finding("saturated", triton({ classifier: [2000, 0.008, 0.011] }))).toBeUndefined();
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`m${i}`, [10, 0.05, 0.1] as const]));
    expect(await finding("saturated", triton(many))).toBeUndefined();
  });
});
