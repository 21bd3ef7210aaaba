import { describe, expect, it } from "vitest";
import { finding, findings } from "../../../../support/findings.js";
import { exposing, vllmAt, wobbling, type SimulatedServer } from "../../../../support/simulated-server.js";

describe("the finding on a latency tail", () => {
  const slow = (request: number) => (request % 60 === 0 ? 8 : 0.2);

  it("is reported with its latency and figures", async () => {
    const found = await finding("tail", vllmAt({ latency: slow }));
    expect(found?.text).toMatch(
      /request latency \(vllm:e2e_request_latency_seconds\) of the slowest 1 % was \d+× the median or more \(p50 .* p99 .*\)/,
    );
    expect(found?.evidence[0]).toMatchObject({ family: "vllm:e2e_request_latency_seconds", threshold: 10 });
  });

  it("says of a tail beyond the last bound that it is at least that, as tiles say", async () => {
    const found = await finding("tail", vllmAt({ latency: (request) => (request % 60 === 0 ? 500 : 0.2) }));
    expect(found?.text).toContain("p99 ≥ 20 s)");
    // The median is above 0.1 s.
    expect(found?.evidence[0]?.value).toBeLessThanOrEqual(20 / 0.1);
  });

  it("says where the start of the run makes the tail, and comes after that finding", async () => {
    /** A minute: tokens are few and requests slow until the twelfth second, and then now and then. */
    const starting = (slowLater: number) =>
      vllmAt({
        tokens: (second) => wobbling(second < 12 ? 600 : 2000, second),
        latency: (request) => (request < 9 * 20 ? 8 : request % 50 < slowLater ? 8 : 0.2),
      });
    const order = (await findings(starting(0))).map(({ id }) => id);
    expect(order.indexOf("warm-up-short")).toBeLessThan(order.indexOf("tail"));
    expect((await finding("tail", starting(0)))?.text).toMatch(
      / It came from the start of the run: after that it was \d\.\d×\.$/,
    );
    expect((await finding("tail", starting(1)))?.text).not.toContain("start of the run");
  });

  it("is not reported where long answers explain the tail", async () => {
    const usual = vllmAt({ latency: slow });
    const long: SimulatedServer = {
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

describe("gaps between tokens", () => {
  /** Fifty a second, of two lengths. */
  const generating = ({
    prompts,
    isLong,
  }: {
    readonly prompts: (second: number) => number;
    readonly isLong: (gap: number, second: number) => boolean;
  }) =>
    exposing((exporter) => {
      const prompt = exporter.counter("vllm:prompt_tokens_total", "Made by hand.");
      const generated = exporter.counter("vllm:generation_tokens_total", "Made by hand.");
      const gaps = exporter.histogram(
        "vllm:inter_token_latency_seconds",
        "Made by hand.",
        [0.008, 0.012, 0.02, 0.05, 0.09, 0.12],
      );
      return (second) => {
        prompt(prompts(second));
        generated(50);
        for (let gap = 0; gap < 50; gap++) gaps(isLong(gap, second) ? 0.1 : 0.01);
      };
    });
  const often = (gap: number) => gap % 5 < 2;

  it("that lie far above an undisturbed step are due to prompts where these are most of the work", async () => {
    const found = await finding("prefill-interference", generating({ prompts: () => 1000, isLong: often }));
    expect(found?.text).toMatch(
      /the mean gap between tokens was 46 ms, one gap in ten was below (8|9|10)(\.\d+)? ms, and 20 prompt tokens came for each one generated\.$/,
    );
    expect(found?.evidence.map(({ family }) => family)).toEqual([
      "vllm:inter_token_latency_seconds",
      "vllm:prompt_tokens",
    ]);
    expect(found?.advice).toContain("--max-num-batched-tokens");
    expect(await finding("prefill-interference", generating({ prompts: () => 100, isLong: often }))).toBeUndefined();
    expect(
      await finding("prefill-interference", generating({ prompts: () => 1000, isLong: () => false })),
    ).toBeUndefined();
  });

  it("that are long when prompts come are due to them, and not those that are long at other times", async () => {
    const prompts = (second: number) => (second % 4 === 0 ? 300 : 20);
    const together = generating({ prompts, isLong: (gap, second) => second % 4 === 0 && often(gap) });
    const found = await finding("prefill-interference", together);
    expect(found?.text).toMatch(
      / % of the decode time lay in gaps of twice the median and more .* came with the prompts\.$/,
    );
    const apart = generating({ prompts, isLong: (gap, second) => second % 4 === 2 && often(gap) });
    expect(await finding("prefill-interference", apart)).toBeUndefined();
  });
});

describe("KV transfers", () => {
  const moving = (seconds: number, ttft?: number) =>
    exposing((exporter) => {
      const transfers = exporter.histogram("vllm:nixl_xfer_time_seconds", "Made by hand.", [0.1, 0.5, 1]);
      const first =
        ttft === undefined
          ? undefined
          : exporter.histogram("vllm:time_to_first_token_seconds", "Made by hand.", [0.1, 0.5, 1]);
      const running = exporter.gauge("vllm:num_requests_running", "Made by hand.");
      return () => {
        running(5);
        transfers(seconds);
        if (ttft !== undefined) first?.(ttft);
      };
    });

  it("are the limit where they take a good part of the time to the first token", async () => {
    const found = await finding("transfer-bound", moving(0.2, 0.5));
    expect(found?.text).toBe(
      "localhost:8000: a KV transfer took 200 ms on average, 40 % of the 500 ms to the first token.",
    );
    expect(found?.confidence).toBe("high");
    expect(await finding("transfer-bound", moving(0.1, 0.5))).toBeUndefined();
  });

  it("are told with their size", async () => {
    const sized = exposing((exporter) => {
      const transfers = exporter.histogram("vllm:nixl_xfer_time_seconds", "Made by hand.", [0.1, 0.5, 1]);
      const bytes = exporter.histogram("vllm:nixl_bytes_transferred", "Made by hand.", [1e6, 1e7, 1e8]);
      const first = exporter.histogram("vllm:time_to_first_token_seconds", "Made by hand.", [0.1, 0.5, 1]);
      const running = exporter.gauge("vllm:num_requests_running", "Made by hand.");
      return () => {
        running(5);
        transfers(0.2);
        bytes(4e6);
        first(0.5);
      };
    });
    expect((await finding("transfer-bound", sized))?.text).toMatch(/a KV transfer of (4 MB|3\.81 MiB) took 200 ms/);
  });

  it("of a server that does not tell it are judged by the endpoint that does", async () => {
    const found = await finding("transfer-bound", moving(0.2), vllmAt({ ttft: () => 0.5 }));
    expect(found?.text).toContain("localhost:8000: a KV transfer took 200 ms on average, 40 % of the 500 ms");
    expect(found?.confidence).toBe("medium");
  });
});

describe("the prefix cache", () => {
  const looking = (hits: string, misses: string, found: number, of = 1000) =>
    exposing((exporter) => {
      const [hit, query] = [hits, misses].map((name) => exporter.counter(`${name}_total`, "Made by hand."));
      const generated = exporter.counter(`${hits.split(":")[0]}:generation_tokens_total`, "Made by hand.");
      return () => {
        generated(100);
        hit?.(found);
        // TensorRT-LLM counts what was missed instead of what was looked up.
        query?.(misses.includes("missed") ? of - found : of);
      };
    });

  it.each([
    ["vllm:prefix_cache_hits", "vllm:prefix_cache_queries", "prompt tokens", "--gpu-memory-utilization"],
    ["sglang:cached_tokens", "sglang:prompt_tokens", "prompt tokens", "--mem-fraction-static"],
    ["trtllm:kv_cache_reused_blocks", "trtllm:kv_cache_missed_blocks", "KV blocks", "free_gpu_memory_fraction"],
  ])("has few hits where few of many lookups are found: %s", async (hits, lookups, what, option) => {
    const found = await finding("low-prefix-hits", looking(hits, lookups, 20));
    expect(found?.text).toBe(`localhost:8000: 2 % of 60 k ${what} were found in the prefix cache.`);
    expect(found?.confidence).toBe("low");
    expect(found?.advice).toContain(option);
    expect(await finding("low-prefix-hits", looking(hits, lookups, 200))).toBeUndefined();
    expect(await finding("low-prefix-hits", looking(hits, lookups, 1, 100))).toBeUndefined();
    // Prompts of no shared beginning, such as those of load generators.
    expect(await finding("low-prefix-hits", looking(hits, lookups, 0))).toBeUndefined();
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

  it("are not stuck where as many as these get their first token, however many those are", async () => {
    const loading = (ttft: number) =>
      exposing((exporter) => {
        const loads = exporter.gauge("vllm:num_requests_kv_fetch_by_stage", "Made by hand.", ["stage"]);
        const first = exporter.histogram("vllm:time_to_first_token_seconds", "Made by hand.", [0.1, 1, 10]);
        return () => {
          loads(8, { stage: "in_progress" });
          for (let i = 0; i < 20; i++) first(ttft);
        };
      });
    // Twenty a second, of 400 ms each: eight at once.
    expect(await finding("stuck-kv-loads", loading(0.45))).toBeUndefined();
    const found = await finding("stuck-kv-loads", loading(0.1));
    expect(found?.text).toMatch(/8 on average and up to 8 at once; those that got on explain at most 2(\.\d+)?\.$/);
    expect(found?.evidence[1]).toMatchObject({ value: 8 });
  });
});
