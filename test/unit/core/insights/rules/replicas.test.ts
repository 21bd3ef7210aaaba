import { describe, expect, it } from "vitest";
import { finding } from "../../../../support/findings.js";
import { vllmAt, type SimulatedServer } from "../../../../support/simulated-server.js";

describe("replicas", () => {
  it("are compared where they serve one model, and not across models", async () => {
    const [few, many] = [vllmAt({ finished: 4 }), vllmAt({ finished: 20 })];
    expect((await finding("imbalance", few, few, many))?.text).toContain("localhost:8002 finished 2.1×");
    const other = { ...many, labels: { model_name: "another" } };
    expect(await finding("imbalance", few, few, other)).toBeUndefined();
  });

  it("for prefill and for decode are not compared with each other", async () => {
    const prefill = vllmAt({ finished: 20, tokens: () => 20 });
    const decode = vllmAt({ finished: 4, tokens: () => 2000 });
    expect(await finding("imbalance", prefill, decode)).toBeUndefined();
  });

  it("that are slower hold more requests, which is reported where all finish as many", async () => {
    const found = await finding("imbalance", vllmAt({ running: 5 }), vllmAt({ running: 5 }), vllmAt({ running: 25 }));
    expect(found?.text).toContain("localhost:8002 ran 2.1×");
    expect(found?.confidence).toBe("medium");
  });

  it("that take longer for the same are called slower, with what they take and the others", async () => {
    const usual = vllmAt({ running: 5, latency: () => 0.5 });
    const slow = vllmAt({ running: 25, latency: () => 2.4 });
    const found = await finding("imbalance", usual, slow, usual, usual);
    expect(found?.text).toMatch(
      /localhost:8001 ran .* without finishing more: it was slower .* 2\.4 s, elsewhere 500 ms/,
    );
    expect(found?.advice).toContain("Look at that server");
    expect(found?.confidence).toBe("high");
  });

  it("that get nothing are reported, however many others share the load", async () => {
    const busy = Array.from({ length: 9 }, () => vllmAt({}));
    const idle = await finding("imbalance", ...busy, vllmAt({ running: 0, finished: 0, tokens: () => 0 }));
    expect(idle?.text).toMatch(/^localhost:8009 ran no request; the average of 10 vLLM endpoints was/);
    const few = await finding("imbalance", ...busy, vllmAt({ running: 3, finished: 5 }));
    expect(few?.text).toMatch(/^localhost:8009 finished 300 requests, 27 % of the average of 10/);
    expect(await finding("imbalance", ...busy)).toBeUndefined();
  });

  it("that idle beside busy ones do not mean that the load generator is the limit", async () => {
    const idle = vllmAt({ running: 1, finished: 1 });
    expect(await finding("client-bound", idle, vllmAt({}))).toBeUndefined();
    const queueing = vllmAt({ running: 2, waiting: 1 });
    expect(await finding("client-bound", idle, queueing)).toBeUndefined();
    expect((await finding("client-bound", idle))?.text).toContain("only 1 request ran on average and none waited");
  });

  it("for prefill do not mean it either where requests wait for decode", async () => {
    const pool = (engine_type: string, server: SimulatedServer): SimulatedServer => ({
      ...server,
      labels: { ...server.labels, engine_type },
    });
    const prefill = pool("prefill", vllmAt({ running: 1, finished: 1 }));
    const found = await finding("client-bound", prefill, pool("decode", vllmAt({ running: 2, finished: 1 })));
    expect(found?.text).toContain("only 1 request ran on average");
    expect(await finding("client-bound", prefill, pool("decode", vllmAt({ waiting: 1 })))).toBeUndefined();
  });
});

describe("a pool of SGLang that is too small", () => {
  const worker = (role: "prefill" | "decode", queue: string, waiting: number): SimulatedServer => ({
    labels: { engine_type: role, model_name: "m" },
    expose: (exporter) => {
      const bounds = [0.1, 0.2, 0.5, 1, 2];
      const running = exporter.gauge("sglang:num_running_reqs", "Made by hand.");
      const stage = exporter.gauge(queue, "Made by hand.");
      const first = exporter.histogram("sglang:time_to_first_token_seconds", "Made by hand.", bounds);
      const whole = exporter.histogram("sglang:e2e_request_latency_seconds", "Made by hand.", bounds);
      return () => {
        running(1);
        stage(waiting);
        first(role === "prefill" ? 0.15 : 0.9);
        whole(role === "prefill" ? 0.15 : 1.5);
      };
    },
  });

  it("says what requests wait for, by the fullest queue of its stages", async () => {
    const decode = (waiting: number) => worker("decode", "sglang:num_decode_prealloc_queue_reqs", waiting);
    const prefill = worker("prefill", "sglang:num_prefill_inflight_queue_reqs", 0);
    const found = await finding("short-pool", prefill, decode(5));
    expect(found?.text).toMatch(
      /^The decode pool \(localhost:8001\) is too small: 900 ms of the .* 5 requests waited on average for room in the KV cache\./,
    );
    expect(await finding("short-pool", prefill, decode(0))).toBeUndefined();
  });
});
