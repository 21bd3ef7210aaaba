import { describe, expect, it } from "vitest";
import { growth } from "../../../../../src/core/insights/rules/load.js";
import { prefillAdvice } from "../../../../../src/core/insights/rules/queue.js";
import { epochNs } from "../../../../../src/core/model/index.js";
import { finding, findings } from "../../../../support/findings.js";
import { runInsights } from "../../../../../src/core/insights/index.js";
import { complete } from "../../../../../src/core/stats/index.js";
import { replayLines } from "../../../../support/replay.js";
import {
  exposing,
  simulatedServerLog,
  START_NS,
  vllmAt,
  wobbling,
  type SimulatedServer,
} from "../../../../support/simulated-server.js";

describe("a server without requests", () => {
  const idle = vllmAt({ running: 0, finished: 0, tokens: () => 0 });

  it("is not frozen, although its values stay the same", async () => {
    const still: SimulatedServer = {
      expose: (exporter) => {
        exporter.gauge("vllm:num_requests_running", "Made by hand.");
        exporter.counter("vllm:generation_tokens_total", "Made by hand.");
        return () => undefined;
      },
    };
    expect(await finding("frozen", still)).toBeUndefined();
  });

  it("is said to have none", async () => {
    expect((await finding("client-bound", idle))?.text).toContain("no request ran");
  });
});

describe("a queue", () => {
  const queue = (lengthAt: (slice: number) => number) =>
    Array.from({ length: 30 }, (_, i) => ({
      startNs: epochNs(BigInt(i)),
      endNs: epochNs(BigInt(i + 1)),
      value: lengthAt(i),
    }));

  it("grows when it rises to the end, and not when a burst is over or it stays long", () => {
    expect(growth(queue((i) => i))).toBeGreaterThan(1.5);
    expect(growth(queue((i) => Math.max(0, 5 - Math.abs(i - 17))))).toBeLessThanOrEqual(1);
    expect(growth(queue((i) => Math.min(i, 8)))).toBeLessThanOrEqual(1);
  });

  it("does not grow where it empties between bursts, although the run ends with one", () => {
    expect(growth(queue((i) => (i % 10 < 3 ? 20 : i > 20 ? 2 : 0)))).toBeLessThanOrEqual(1);
    expect(growth(queue((i) => (i % 6 < 3 ? 0 : i)))).toBeLessThanOrEqual(1);
  });

  it("that grows while neither batch nor cache is full is one of prompts, and so is the advice", async () => {
    const outrun = (usage: number): SimulatedServer => ({
      labels: { model_name: "m" },
      expose: (exporter) => {
        const running = exporter.gauge("vllm:num_requests_running", "Made by hand.");
        const waiting = exporter.gauge("vllm:num_requests_waiting", "Made by hand.");
        const kv = exporter.gauge("vllm:kv_cache_usage_perc", "Made by hand.");
        const ttft = exporter.histogram("vllm:time_to_first_token_seconds", "Made by hand.", [1, 5, 20, 60]);
        const queued = exporter.histogram("vllm:request_queue_time_seconds", "Made by hand.", [1, 5, 20, 60]);
        return (second) => {
          running(10 + (second % 11));
          waiting(5 + 3 * second);
          kv(usage);
          for (let i = 0; i < 3; i++) {
            ttft(10);
            queued(8);
          }
        };
      },
    });
    const found = await finding("saturated", outrun(0.3));
    expect(found?.text).toContain("prompts arrived faster than they were computed");
    expect(found?.advice).toContain("--max-num-batched-tokens");
    expect((await finding("queue-bound", outrun(0.3)))?.advice).toContain("Prompts wait for the prompts before them");
    // A full cache has a finding of its own, and the queue is one for it.
    expect(await finding("saturated", outrun(0.97))).toBeUndefined();
    expect((await finding("queue-bound", outrun(0.97)))?.advice).toContain("wait for room in the KV cache");
  });

  it("for a place in the batch names the batch where the cache has room", async () => {
    const found = await finding("saturated", vllmAt({ waiting: 30 }));
    expect(found?.advice).toMatch(/more requests run at once \(--max-num-seqs\): the KV cache is at most 31.* full/);
    expect((await finding("queue-bound", vllmAt({ waiting: 30, queue: 0.09 })))?.advice).toContain(
      "wait for a place in the batch",
    );
  });
});

describe("a frontend that counts what is in flight", () => {
  const dynamo = (unanswered: number, counted = "dynamo_frontend_inflight_requests") =>
    exposing((exporter) => {
      const inFlight = exporter.gauge(counted, "Made by hand.");
      const queued = exporter.gauge("dynamo_frontend_queued_requests", "Made by hand.");
      const requests = exporter.counter("dynamo_frontend_requests_total", "Made by hand.");
      return (second) => {
        inFlight(20 + Math.round(wobbling(unanswered, second)));
        queued(Math.round(wobbling(unanswered, second)));
        requests(5);
      };
    });

  it("is saturated where many wait for their first token, and does not run those", async () => {
    const found = await finding("saturated", dynamo(40));
    expect(found?.text).toContain("while about 20 ran");
    expect(found?.text).toContain("waited for their first token");
    expect(found?.confidence).toBe("medium");
    expect(await finding("saturated", dynamo(1))).toBeUndefined();
  });

  it("runs as few where its engine on the same page counts those that wait, too", async () => {
    const found = await finding("saturated", dynamo(40, "dynamo_component_inflight_requests"));
    expect(found?.text).toContain("while about 20 ran");
    expect(found?.text).toContain("waited for their first token");
  });
});

describe("advice", () => {
  it("names the options of the engine at hand", async () => {
    const full = (usage: string) =>
      exposing((exporter) => {
        const gauge = exporter.gauge(usage, "Made by hand.");
        return () => gauge(0.97);
      });
    expect((await finding("kv-pressure", full("vllm:kv_cache_usage_perc")))?.advice).toContain(
      "--gpu-memory-utilization",
    );
    expect((await finding("kv-pressure", full("sglang:token_usage")))?.advice).toContain("--mem-fraction-static");
    expect((await finding("kv-pressure", full("trtllm:kv_cache_utilization")))?.advice).toContain(
      "free_gpu_memory_fraction",
    );
  });

  it("names prefix caching as the launchers of today do", () => {
    expect(prefillAdvice("vllm")).toContain("prefix cache (--enable-prefix-caching)");
    expect(prefillAdvice("tgi")).toContain("prefix cache (PREFIX_CACHING)");
    expect(prefillAdvice("llamacpp")).toContain("prefix cache (--cache-prompt)");
  });

  it("names the options of the engine behind a frontend on the same page", async () => {
    const behind = exposing((exporter) => {
      const usage = exporter.gauge("dynamo_component_gpu_cache_usage_percent", "Made by hand.");
      const finished = exporter.counter("trtllm_request_success_total", "Made by hand.");
      return () => {
        usage(0.97);
        finished(3);
      };
    });
    expect((await finding("kv-pressure", behind))?.advice).toContain("free_gpu_memory_fraction");
  });
});

describe("a KV cache", () => {
  const used = (usage: (second: number) => number) =>
    exposing((exporter) => {
      const gauge = exporter.gauge("vllm:kv_cache_usage_perc", "Made by hand.");
      return (second) => gauge(usage(second));
    });

  it("that is nearly full for a while is the limit, with how full and for how long", async () => {
    const found = await finding(
      "kv-pressure",
      used((second) => (second < 30 ? 0.5 : 0.97)),
    );
    expect(found?.text).toMatch(
      /^localhost:8000: KV cache usage reached 97\.? ?%, and 90 % or more in (50|51|52)(\.\d+)? % of/,
    );
    expect(found?.confidence).toBe("high");
    expect(found?.evidence[0]).toMatchObject({ family: "vllm:kv_cache_usage_perc", value: 0.97, threshold: 0.9 });
    const [evidence] = found?.evidence ?? [];
    // The range is that in which it was full.
    expect(Number((evidence?.range.startNs ?? 0n) - START_NS) / 1e9).toBeGreaterThan(28);
  });

  it("that is full for a moment, or never quite, is none", async () => {
    expect(
      await finding(
        "kv-pressure",
        used((second) => (second === 30 ? 0.97 : 0.5)),
      ),
    ).toBeUndefined();
    expect(
      await finding(
        "kv-pressure",
        used(() => 0.89),
      ),
    ).toBeUndefined();
  });
});

describe("preemptions", () => {
  const preempting = (everySeconds: number, finished = 10) =>
    exposing((exporter) => {
      const preempted = exporter.counter("vllm:num_preemptions_total", "Made by hand.");
      const success = exporter.counter("vllm:request_success_total", "Made by hand.");
      return (second) => {
        if (second % everySeconds === 0) preempted(1);
        if (finished > 0) success(finished);
      };
    });

  it("are counted per finished request, and a few of many requests are no matter", async () => {
    const found = await finding("preemption", preempting(5));
    expect(found?.text).toBe("localhost:8000: 12 preemptions, 2 per 100 finished requests.");
    expect(found?.evidence[0]).toMatchObject({ family: "vllm:num_preemptions", threshold: 0.005 });
    expect(found?.evidence[0]?.value).toBeCloseTo(0.02, 5);
    expect(found?.advice).toContain("--max-num-seqs");
    expect(await finding("preemption", preempting(5, 100))).toBeUndefined();
    expect(await finding("preemption", preempting(40, 1))).toBeUndefined();
  });

  it("are reported where nothing says how many requests finished", async () => {
    expect((await finding("preemption", preempting(5, 0)))?.text).toBe("localhost:8000: 12 preemptions.");
  });
});

describe("the time to the first token", () => {
  /** Ten requests a second. */
  const first = (at: (second: number) => { readonly ttft: number; readonly queue: number }, transfer = 0) =>
    exposing((exporter) => {
      const histogram = (name: string) =>
        exporter.histogram(`vllm:${name}_seconds`, "Made by hand.", [0.01, 0.1, 1, 10]);
      const [toFirst, queued, computed] = ["time_to_first_token", "request_queue_time", "request_prefill_time"].map(
        histogram,
      );
      const transferred = transfer > 0 ? histogram("nixl_xfer_time") : undefined;
      return (second) => {
        const { ttft, queue } = at(second);
        for (let i = 0; i < 10; i++) {
          toFirst?.(ttft);
          queued?.(queue);
          computed?.(0.05);
          transferred?.(transfer);
        }
      };
    });

  it("is mostly queueing where half of it is, and the wait is one that matters", async () => {
    const found = await finding(
      "queue-bound",
      first(() => ({ ttft: 0.5, queue: 0.4 })),
    );
    expect(found?.text).toBe("localhost:8000: 80 % of TTFT is queueing (400 ms of 500 ms on average).");
    expect(found?.confidence).toBe("high");
    expect(
      await finding(
        "queue-bound",
        first(() => ({ ttft: 0.5, queue: 0.2 })),
      ),
    ).toBeUndefined();
    expect(
      await finding(
        "queue-bound",
        first(() => ({ ttft: 0.018, queue: 0.015 })),
      ),
    ).toBeUndefined();
  });

  it("that is long at times only is said to be, and weighs less", async () => {
    const always = await finding(
      "queue-bound",
      first(() => ({ ttft: 0.5, queue: 0.4 })),
    );
    const bursts = first((second) => (second % 10 === 0 ? { ttft: 3, queue: 2.95 } : { ttft: 0.06, queue: 0.01 }));
    const found = await finding("queue-bound", bursts);
    expect(found?.text).toContain("but only at times: in half of the timeslices it was at most 10 ms.");
    expect(found?.weight).toBeLessThan(0.41);
    expect(always?.weight).toBeGreaterThan(0.5);
  });

  it("is no queueing where vLLM counts the wait for KV blocks as such", async () => {
    const moved = first(() => ({ ttft: 0.5, queue: 0.44 }), 0.4);
    expect((await finding("transfer-bound", moved))?.text).toContain("80 % of the 500 ms to the first token");
    expect(await finding("queue-bound", moved)).toBeUndefined();
  });
});

describe("requests that wait", () => {
  const waiting = (reason: "capacity" | "deferred") =>
    exposing((exporter) => {
      const running = exporter.gauge("vllm:num_requests_running", "Made by hand.");
      const all = exporter.gauge("vllm:num_requests_waiting", "Made by hand.");
      const by = exporter.gauge("vllm:num_requests_waiting_by_reason", "Made by hand.", ["reason"]);
      return (second) => {
        running(12);
        all(5 + second);
        for (const each of ["capacity", "deferred"]) by(each === reason ? 5 + second : 0, { reason: each });
      };
    });

  it("for room show that the server is full, and those for something else do not", async () => {
    expect((await finding("saturated", waiting("capacity")))?.text).toContain("requests waited for 100 % of the time");
    expect(await finding("saturated", waiting("deferred"))).toBeUndefined();
  });
});

describe("requests that end together", () => {
  /** Three run, or none while they are replaced. */
  const batch = (isFullAt: (scrape: number) => boolean) =>
    exposing((exporter) => {
      const running = exporter.gauge("vllm:num_requests_running", "Made by hand.");
      const waiting = exporter.gauge("vllm:num_requests_waiting", "Made by hand.");
      return (scrape) => {
        running(isFullAt(scrape) ? 3 : 0);
        waiting(21);
      };
    });

  /** Timeslices of four scrapes. */
  const saturation = async (server: SimulatedServer) => {
    const run = await replayLines(await simulatedServerLog([server], 240));
    return complete(runInsights({ kind: "samples", run })).findings.find(({ id }) => id === "saturated");
  };

  it("leave a full batch empty for a moment; one that is mostly empty is not full", async () => {
    expect((await saturation(batch((scrape) => scrape % 4 > 0)))?.text).toContain("while about 3 ran");
    expect(await saturation(batch((scrape) => scrape % 4 === 0))).toBeUndefined();
  });
});

describe("a queue that a cold start leaves", () => {
  /** As many run as can; tokens are few until the fifteenth second. */
  const after = (waitingAt: (second: number) => number) =>
    exposing((exporter) => {
      const running = exporter.gauge("vllm:num_requests_running", "Made by hand.");
      const waiting = exporter.gauge("vllm:num_requests_waiting", "Made by hand.");
      const tokens = exporter.counter("vllm:generation_tokens_total", "Made by hand.");
      return (second) => {
        running(20);
        waiting(Math.round(waitingAt(second)));
        tokens(wobbling(second < 15 ? 500 : 2000, second));
      };
    });

  it("and that empties since is no saturation that comes before the start, and one that stays is", async () => {
    const emptied = await findings(after((second) => Math.max(0, second < 15 ? 6 * second : 90 - 2.2 * (second - 15))));
    expect(emptied.map(({ id }) => id)).toEqual(["warm-up-short", "saturated"]);
    expect(emptied[1]?.text).toContain("the queue came from the start of the run and emptied from then on");
    expect(emptied[1]?.advice).toContain("Move the end of the warm-up");
    const stays = await findings(after((second) => (second < 15 ? 6 * second : 90)));
    expect(stays.map(({ id }) => id)).toEqual(["saturated", "warm-up-short"]);
    expect(stays[0]?.text).not.toContain("start of the run");
  });
});
