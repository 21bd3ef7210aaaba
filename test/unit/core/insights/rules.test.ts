import { describe, expect, it } from "vitest";
import { type Finding, type FindingId, runInsights } from "../../../../src/core/insights/index.js";
import { growth } from "../../../../src/core/insights/rules/load.js";
import { prefillAdvice } from "../../../../src/core/insights/rules/saturated.js";
import { epochNs } from "../../../../src/core/model/index.js";
import { complete } from "../../../../src/core/stats/index.js";
import type { Exporter } from "../../../../src/demo/exporter.js";
import { handmadeLog, vllmAt, wobbling, type Handmade } from "../../../support/handmade.js";
import { replayLines } from "../../../support/replay.js";

async function findings(...servers: readonly Handmade[]): Promise<readonly Finding[]> {
  return complete(runInsights({ kind: "samples", run: await replayLines(await handmadeLog(servers)) })).findings;
}

async function finding(id: FindingId, ...servers: readonly Handmade[]): Promise<Finding | undefined> {
  return (await findings(...servers)).find((one) => one.id === id);
}

const exposing = (expose: (exporter: Exporter) => (second: number) => void): Handmade => ({ expose });

describe("replicas", () => {
  it("are compared where they serve one model, and not across models", async () => {
    const [few, many] = [vllmAt({ finished: 4 }), vllmAt({ finished: 20 })];
    expect((await finding("imbalance", few, few, many))?.text).toContain("localhost:8002 finishes 2.1×");
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
    expect(found?.text).toContain("localhost:8002 runs 2.1×");
    expect(found?.confidence).toBe("medium");
  });

  it("that take longer for the same are called slower, with what they take and the others", async () => {
    const usual = vllmAt({ running: 5, latency: () => 0.5 });
    const slow = vllmAt({ running: 25, latency: () => 2.4 });
    const found = await finding("imbalance", usual, slow, usual, usual);
    expect(found?.text).toMatch(
      /localhost:8001 runs .* without finishing more: it is slower .* 2\.4 s, elsewhere 500 ms/,
    );
    expect(found?.advice).toContain("Look at that server");
    expect(found?.confidence).toBe("high");
  });

  it("that get nothing are reported, however many others share the load", async () => {
    const busy = Array.from({ length: 9 }, () => vllmAt({}));
    const idle = await finding("imbalance", ...busy, vllmAt({ running: 0, finished: 0, tokens: () => 0 }));
    expect(idle?.text).toMatch(/^localhost:8009 runs no request; the average of 10 vLLM endpoints is/);
    const few = await finding("imbalance", ...busy, vllmAt({ running: 3, finished: 5 }));
    expect(few?.text).toMatch(/^localhost:8009 finishes 300 requests, 27 % of the average of 10/);
    expect(await finding("imbalance", ...busy)).toBeUndefined();
  });

  it("that idle beside busy ones do not mean that the load generator is the limit", async () => {
    const idle = vllmAt({ running: 1, finished: 1 });
    expect(await finding("client-bound", idle, vllmAt({}))).toBeUndefined();
    expect((await finding("client-bound", idle))?.text).toContain("only 1 request runs on average and none waits");
  });
});

describe("a server without requests", () => {
  const idle = vllmAt({ running: 0, finished: 0, tokens: () => 0 });

  it("is not frozen, although its values stay the same", async () => {
    const still: Handmade = {
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

describe("frozen metrics", () => {
  it("are those of an engine that stands still, although its process goes on", async () => {
    const stopped: Handmade = {
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
    expect(found?.text).toMatch(/12 requests run, but no token and no request was counted in the last \d+(\.\d)? %/);
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
    expect((await finding("coarse-interval", rare))?.text).toContain("values change only every 10 s");
  });
});

describe("throttling", () => {
  const violation = (perSecond: readonly number[]) =>
    exposing((exporter) => {
      const counter = exporter.counter("DCGM_FI_DEV_POWER_VIOLATION", "Throttling duration due to power", ["gpu"]);
      return () => perSecond.forEach((rise, gpu) => counter(rise, { gpu: String(gpu) }));
    });

  it("is reported for each GPU, in the unit that its rate has", async () => {
    const nanoseconds = await finding("throttled", violation([0, 300_000_000]));
    expect(nanoseconds?.text).toContain("GPU 1 is held back by its power limit for 30 % of the time");
    expect(nanoseconds?.confidence).toBe("high");
    const microseconds = await finding("throttled", violation([250_000, 0]));
    expect(microseconds?.text).toContain("GPU 0 is held back by its power limit for 25 % of the time");
    expect(microseconds?.confidence).toBe("medium");
  });

  it("of eight GPUs is not added up", async () => {
    const share = (await finding("throttled", violation(Array.from({ length: 8 }, () => 200_000_000))))?.evidence[0];
    expect(share?.value).toBeCloseTo(0.2, 2);
  });

  it("is read from the reasons that a GPU gives, idling left out", async () => {
    const reasons = (value: (second: number) => number) =>
      exposing((exporter) => {
        const gauge = exporter.gauge("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", "Made by hand.", ["gpu"]);
        return (second) => gauge(value(second), { gpu: "3" });
      });
    const hot = await finding(
      "throttled",
      reasons((second) => (second < 30 ? 0 : 0x20)),
    );
    expect(hot?.text).toMatch(/GPU 3 is held back by its temperature for (49|50|51)(\.\d)? % of the time/);
    expect(
      await finding(
        "throttled",
        reasons(() => 0x1),
      ),
    ).toBeUndefined();
  });
});

describe("a tail", () => {
  const slow = (request: number) => (request % 60 === 0 ? 8 : 0.2);

  it("is recognised by its latency and figures", async () => {
    const found = await finding("tail", vllmAt({ latency: slow }));
    expect(found?.text).toMatch(
      /request latency \(vllm:e2e_request_latency_seconds\) of the slowest 1 % is \d+× the median or more \(p50 .* p99 .*\)/,
    );
    expect(found?.evidence[0]).toMatchObject({ family: "vllm:e2e_request_latency_seconds", threshold: 10 });
  });

  it("beyond the last bound is known to be at least that, as tiles say", async () => {
    const found = await finding("tail", vllmAt({ latency: (request) => (request % 60 === 0 ? 500 : 0.2) }));
    expect(found?.text).toContain("p99 ≥ 20 s)");
    // The median is above 0.1 s.
    expect(found?.evidence[0]?.value).toBeLessThanOrEqual(20 / 0.1);
  });

  it("that long answers explain is none", async () => {
    const usual = vllmAt({ latency: slow });
    const long: Handmade = {
      ...usual,
      expose: (exporter) => {
        const lengths = exporter.histogram(
          "vllm:request_generation_tokens",
          "Made by hand.",
          [10, 20, 50, 100, 1000, 2000, 5000],
        );
        const advance = usual.expose(exporter);
        let request = 0;
        return (second) => {
          advance(second);
          for (let i = 0; i < 20; i++, request++) lengths(request % 60 === 0 ? 4000 : 15);
        };
      },
    };
    expect(await finding("tail", long)).toBeUndefined();
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
    const outrun = (usage: number): Handmade => ({
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
    expect(found?.text).toContain("prompts arrive faster than they are computed");
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

describe("the first seconds", () => {
  it("are reported where their level differs, with what has that level", async () => {
    const found = await finding(
      "warm-up-short",
      vllmAt({ tokens: (second) => wobbling(second < 12 ? 600 : 2000, second) }),
    );
    expect(found?.text).toMatch(
      /in the first 1\d s, generation tokens per second are \d\d(\.\d)? % lower than afterwards/,
    );
    const steady = vllmAt({ tokens: (second) => wobbling(2000, second) });
    expect(await finding("warm-up-short", steady)).toBeUndefined();
  });

  it("are reported where a level settles slowly, and not where it goes on moving", async () => {
    const settling = (seconds: number) =>
      vllmAt({ tokens: (second) => wobbling(2000 * (1 - 0.6 * Math.exp(-second / seconds)), second) });
    const found = await finding("warm-up-short", settling(8));
    expect(found?.text).toMatch(/in the first (5|10|15) s, generation tokens per second are \d\d(\.\d)? % lower/);
    expect(await finding("warm-up-short", settling(60))).toBeUndefined();
  });

  it("are reported where tokens take longer at the same load, and not where the load is greater", async () => {
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
    expect(cold?.text).toMatch(/in the first 1\d s, the time of a token is 1\d\d % higher than afterwards/);
    const busy = await finding(
      "warm-up-short",
      gapsAt((second) => (second < 15 ? 4000 : 2000)),
    );
    expect(busy?.text ?? "").not.toContain("the time of a token");
  });
});

describe("buckets", () => {
  it("are too coarse where one holds nearly all, the first one by the mean in it", async () => {
    const wide = await finding("coarse-buckets", vllmAt({ bounds: [0.01, 5, 10] }));
    expect(wide?.text).toMatch(
      /time to first token \(vllm:time_to_first_token_seconds\) lie in one bucket, between 10 ms and 5 s/,
    );
    expect(await finding("coarse-buckets", vllmAt({ bounds: [1, 10] }))).toBeDefined();
    expect(await finding("coarse-buckets", vllmAt({ bounds: [0.15, 0.3] }))).toBeUndefined();
  });

  it("are not too coarse where another histogram of the page has the same latency in finer ones", async () => {
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

describe("a frontend that counts what is in flight", () => {
  const dynamo = (unanswered: number) =>
    exposing((exporter) => {
      const inFlight = exporter.gauge("dynamo_frontend_inflight_requests", "Made by hand.");
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
    expect(found?.text).toContain("while about 20 run");
    expect(found?.text).toContain("wait for their first token");
    expect(found?.confidence).toBe("medium");
    expect(await finding("saturated", dynamo(1))).toBeUndefined();
  });
});

describe("failures", () => {
  const beside = (family: string, labels: Readonly<Record<string, string>> = {}) =>
    exposing((exporter) => {
      const finished = exporter.counter("vllm:request_success_total", "Made by hand.");
      const failed = exporter.counter(family, "Made by hand.", Object.keys(labels));
      return () => {
        finished(10);
        failed(2, labels);
      };
    });

  it.each([
    ["vllm:kv_offload_allocation_failure_total", {}],
    ["vllm:kv_offload_tiering_promotion_job_failures_total", { tier: "fs" }],
    ["vllm:mooncake_store_operation_total", { operation: "get", status: "error" }],
    ["lmcache:remote_ping_errors_total", {}],
    ["dynamo_transport_tcp_errors_total", {}],
  ])("of the cache and of connections are no failed requests: %s", async (family, labels) => {
    expect(await finding("errors", beside(family, labels))).toBeUndefined();
  });

  it.each([
    ["sglang:num_transfer_failed_reqs_total", {}],
    ["dynamo_component_errors_total", {}],
    ["vllm:request_success_total", { finished_reason: "error" }],
    ["app_request_errors_total", {}],
  ])("of requests are reported: %s", async (family, labels) => {
    const one =
      family === "vllm:request_success_total"
        ? exposing((exporter) => {
            const finished = exporter.counter(family, "Made by hand.", ["finished_reason"]);
            return () => {
              finished(10, { finished_reason: "stop" });
              finished(2, labels);
            };
          })
        : beside(family, labels);
    expect((await finding("errors", one))?.text).toContain("failed requests");
  });
});

describe("requests at Dynamo's frontend", () => {
  const LABELS = ["error_type", "status"];
  /** Of a hundred a second, some end otherwise. */
  const ending = (end: Readonly<Record<string, string>>, count: number) =>
    exposing((exporter) => {
      const requests = exporter.counter("dynamo_frontend_requests_total", "Made by hand.", LABELS);
      return () => {
        requests(100 - count, { error_type: "", status: "success" });
        requests(count, end);
      };
    });

  it("that their clients cancel are aborted, not failed, although their status is an error", async () => {
    const cancelled = { error_type: "cancelled", status: "error" };
    expect(await finding("errors", ending(cancelled, 3))).toBeUndefined();
    expect((await finding("errors", ending(cancelled, 8)))?.text).toContain("aborted requests");
    const scraped = exposing((exporter) => {
      const finished = exporter.counter("dynamo_frontend_requests_total", "Made by hand.");
      const count = exporter.counter("dynamo_frontend_model_cancellation_total", "Made by hand.");
      return () => {
        finished(100);
        count(8);
      };
    });
    expect((await finding("errors", scraped))?.text).toContain("aborted requests");
  });

  it.each(["validation", "not_found"])("that are wrong (%s) are no failures of the server", async (error_type) => {
    expect(await finding("errors", ending({ error_type, status: "error" }, 8))).toBeUndefined();
  });

  it.each(["internal", "overload", "unavailable", "response_timeout", "not_implemented"])(
    "that the server fails (%s) are failed",
    async (error_type) => {
      const found = await finding("errors", ending({ error_type, status: "error" }, 3));
      expect(found?.text).toContain("failed requests");
    },
  );
});

describe("memory", () => {
  const MEGABYTE = 1_000_000;
  /** In megabytes at a second, beside as many requests that wait. */
  const using = (megabytes: (second: number) => number, waiting: (second: number) => number = () => 0): Handmade =>
    exposing((exporter) => {
      const memory = exporter.gauge("process_resident_memory_bytes", "Made by hand.");
      const runs = exporter.gauge("vllm:num_requests_running", "Made by hand.");
      const waits = exporter.gauge("vllm:num_requests_waiting", "Made by hand.");
      return (second) => {
        memory(megabytes(second) * MEGABYTE);
        runs(Math.round(wobbling(10, second)));
        waits(waiting(second));
      };
    });

  it("that rises to the end grows, with what it grows from and to", async () => {
    const found = await finding(
      "memory-growth",
      using((second) => 1000 + 10 * second),
    );
    expect(found?.confidence).toBe("medium");
    expect(found?.text).toMatch(/rises from 1,00\d MiB to 1\.4\d GiB \(45\.\d %\) without levelling off\.$/);
    expect(found?.evidence[0]).toMatchObject({ family: "process_resident_memory_bytes", threshold: 0.05 });
  });

  it("that fills up and then stays, or goes up and down, does not grow", async () => {
    for (const megabytes of [
      (second: number) => 1500 - 500 * Math.exp(-second / 6),
      (second: number) => 1000 + 300 * Math.sin(second / 5),
      (second: number) => 1000 + 0.5 * second,
    ])
      expect(await finding("memory-growth", using(megabytes))).toBeUndefined();
  });

  it("that grows with the queue tells less of a leak, and says so", async () => {
    const megabytes = (second: number) => 1000 + 10 * second;
    const [alone, together] = [
      await finding("memory-growth", using(megabytes)),
      await finding("memory-growth", using(megabytes, Math.round)),
    ];
    expect(together?.text).toContain("The queue grows with it");
    expect(together?.confidence).toBe("low");
    expect(together?.weight).toBeLessThan(alone?.weight ?? 0);
  });
});

describe("requests that wait for KV blocks from elsewhere", () => {
  const fetching = (requests: (second: number) => number) =>
    exposing((exporter) => {
      const loads = exporter.gauge("vllm:num_requests_kv_fetch_by_stage", "Made by hand.", ["stage"]);
      return (second) => loads(requests(second), { stage: "waiting" });
    });

  it("are stuck where there are some all the time, and not where the queue empties", async () => {
    expect(
      (
        await finding(
          "stuck-kv-loads",
          fetching((second) => 3 + (second % 4)),
        )
      )?.text,
    ).toContain("up to 6 at once");
    expect(
      await finding(
        "stuck-kv-loads",
        fetching((second) => (second % 10 < 7 ? 5 : 0)),
      ),
    ).toBeUndefined();
  });
});

describe("the number of requests", () => {
  it("is too small for a p99 below a hundred, and not from there on", async () => {
    const found = await finding("few-observations", vllmAt({ finished: 1 }));
    expect(found?.text).toMatch(/has 60 observations; its p99 rests on the slowest one alone\.$/);
    expect(await finding("few-observations", vllmAt({ finished: 2 }))).toBeUndefined();
  });
});

describe("missing scrapes", () => {
  const still = (answers: (second: number) => boolean): Handmade => ({
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

  it("in between are a gap, even where values never change", async () => {
    const found = await finding(
      "gap",
      still((second) => second < 20 || second >= 32),
    );
    expect(found?.text).toBe("localhost:8000: 12 scrapes of 61 (19.7 %) are missing, about 12 s in all.");
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
