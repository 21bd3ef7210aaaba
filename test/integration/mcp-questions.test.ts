import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeConformance } from "../support/conformance.js";
import { startMcp, type McpSession } from "../support/mcp.js";

interface ReferenceSeries {
  readonly endpoint_url: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly stats: Readonly<Record<string, number>>;
  readonly buckets?: Readonly<Record<string, number>>;
  readonly timeslices?: readonly Readonly<Record<string, number>>[];
}
interface Reference {
  readonly summary: { readonly endpoints_successful: readonly string[] };
  readonly metrics: Readonly<Record<string, { readonly unit?: string; readonly series: readonly ReferenceSeries[] }>>;
}

/** A question for query_metric, whose answer the reference's JSON holds. */
interface Question {
  readonly ask: string;
  readonly run: string;
  readonly family: string;
  readonly statistic: string;
  readonly unit: string;
  /** Which of the reference's series, and what tells it from the others. */
  readonly series?: number;
}

const BASIC = "vllm-basic";
const SGLANG = "sglang";
const FLEET = "mixed-fleet";
const questions: readonly Question[] = [
  ["How many requests ran on average?", BASIC, "vllm:num_requests_running", "avg", "requests"],
  ["How long was the queue in 90 % of the time?", BASIC, "vllm:num_requests_waiting", "p90", "requests"],
  ["How full was the KV cache at its fullest?", BASIC, "vllm:kv_cache_usage_perc", "max", "share from 0 to 1"],
  ["How many tokens were generated?", BASIC, "vllm:generation_tokens_total", "total", "tokens"],
  ["What was the slowest slice of generation?", BASIC, "vllm:generation_tokens", "rate_min", "tokens per second"],
  ["How many requests finished?", BASIC, "vllm:e2e_request_latency_seconds", "count", "observations"],
  ["What is the 99th percentile of the first token?", BASIC, "ttft", "p99", "seconds"],
  ["How many CPU seconds a second?", BASIC, "process_cpu_seconds", "rate", "seconds per second"],
  ["How many requests ran on SGLang in the median?", SGLANG, "sglang:num_running_reqs", "p50", "requests"],
  ["How long was SGLang's queue at its longest?", SGLANG, "sglang:num_queue_reqs", "max", "requests"],
  ["How many tokens a second did SGLang generate?", SGLANG, "sglang:generation_tokens", "rate", "tokens per second"],
  ["How many requests did SGLang take?", SGLANG, "sglang:num_requests_total", "total", "requests"],
  ["How long to SGLang's first token on average?", SGLANG, "ttft", "avg", "seconds"],
  ["How long did requests queue at SGLang in total?", SGLANG, "sglang:queue_time_seconds", "sum", "seconds"],
  ["How long did Dynamo's frontend take?", FLEET, "dynamo_frontend_request_duration_seconds", "avg", "seconds"],
  ["How many requests queued at the frontend?", FLEET, "dynamo_frontend_queued_requests", "max", "requests"],
  ["How many did Dynamo's backend finish?", FLEET, "dynamo_component_requests", "total", "requests"],
  ["How many a second?", FLEET, "dynamo_component_requests", "rate", "requests per second"],
  ["How long between tokens at the frontend?", FLEET, "dynamo_frontend_inter_token_latency_seconds", "p50", "seconds"],
  ["How long did TensorRT-LLM's requests queue?", FLEET, "trtllm:request_queue_time_seconds", "mean", "seconds"],
  ["How many tokens did each vLLM generate?", FLEET, "vllm:generation_tokens", "total", "tokens"],
  ["How full was each vLLM's cache?", FLEET, "vllm:kv_cache_usage_perc", "avg", "share from 0 to 1"],
  ["How many jobs, whatever their labels hold?", "edge", "app_jobs", "total", "a plain number"],
  ["How long did jobs wait?", "edge", "app_wait_seconds", "avg", "seconds"],
].map(([ask = "", run = "", family = "", statistic = "", unit = ""]) => ({ ask, run, family, statistic, unit }));

describeConformance("thirty questions with known answers", (directory) => {
  let session: McpSession;
  const references = new Map<string, Reference>();
  const reference = (run: string): Reference => {
    const path = join(directory, "runs", run, "expected/server_metrics_export.json.gz");
    const known = references.get(run) ?? (JSON.parse(gunzipSync(readFileSync(path)).toString()) as Reference);
    references.set(run, known);
    return known;
  };
  const idOf = (run: string) => `${run}/expected/server_metrics_export`;

  beforeAll(async () => {
    session = await startMcp(join(directory, "runs"));
  });
  afterAll(() => session.close());

  it.each(questions)("$ask", async ({ run, family, statistic, unit }) => {
    const { json, text } = await session.call("query_metric", { run: idOf(run), family, statistic });
    expect(json, text).toBeDefined();
    const metric = reference(run).metrics[String(json["family"])];
    const key = String(json["statistic"]);
    expect(json["series"]).toMatchObject(
      (metric?.series ?? []).map(({ stats, labels }) => ({
        value: stats[key],
        ...(labels === undefined ? {} : { labels }),
      })),
    );
    expect(json["unit"]).toBe(unit);
  });

  it("How many tokens were generated in the warm-up, and after it?", async () => {
    const folder = join(directory, "runs-1.1");
    const phased = await startMcp(folder);
    try {
      const run = "phases-with-gap/expected/server_metrics_export";
      const path = join(folder, `${run}.json.gz`);
      const expected = JSON.parse(gunzipSync(readFileSync(path)).toString()) as Pick<Reference, "metrics"> & {
        readonly warmup_metrics: Reference["metrics"];
      };
      const family = "vllm:generation_tokens";
      for (const [phase, metrics] of [
        ["warmup", expected.warmup_metrics],
        [undefined, expected.metrics],
      ] as const) {
        const of = phase === undefined ? { run, family } : { run, family, phase };
        const { json, text } = await phased.call("query_metric", { ...of, statistic: "total" });
        expect(json["series"], text).toMatchObject([{ value: metrics[family]?.series[0]?.stats["total"] }]);
      }
      const { text, isError } = await phased.call("describe_run", { run: "phases-with-gap" });
      expect(isError).toBe(true);
      expect(text).toContain(run);
    } finally {
      await phased.close();
    }
  });

  it("Which runs are there?", async () => {
    const { json } = await session.call("list_runs");
    expect((json["runs"] as { id: string }[]).map(({ id }) => id).sort()).toEqual(
      ["edge", "mixed-fleet", "sglang", BASIC].map(idOf),
    );
  });

  it("How many requests came to an end in each way?", async () => {
    const { series } = reference(BASIC).metrics["vllm:request_success"] ?? { series: [] };
    for (const { labels = {}, stats } of series) {
      const { json } = await session.call("query_metric", {
        run: idOf(BASIC),
        family: "vllm:request_success",
        statistic: "total",
        labels: { finished_reason: labels["finished_reason"] ?? "" },
      });
      expect(json["series"]).toMatchObject([{ value: stats["total"] }]);
    }
    expect(series).toHaveLength(3);
  });

  it("How did the number of running requests go?", async () => {
    const family = "vllm:num_requests_running";
    const expected = reference(BASIC).metrics[family]?.series[0]?.timeslices ?? [];
    const { json } = await session.call("query_metric", { run: idOf(BASIC), family, slices: true });
    const rows = json["slices"] as number[][];
    expect(rows.map(([, , avg, min, max]) => ({ avg, min, max }))).toMatchObject(
      expected.map(({ avg, min, max }) => ({ avg, min, max })),
    );
    expect(rows.length).toBeGreaterThan(5);
  });

  it("What share had its first token within half a second?", async () => {
    const family = "vllm:time_to_first_token_seconds";
    const { json } = await session.call("slo_attainment", { run: idOf(BASIC), family, threshold: 0.5, target: 0.5 });
    const [series] = reference(BASIC).metrics[family]?.series ?? [];
    const share = (series?.buckets?.["0.5"] ?? NaN) / (series?.stats["count"] ?? NaN);
    expect(json["series"]).toMatchObject([{ share, target_met: share >= 0.5 ? "yes" : "no" }]);
  });

  it("Which servers of the fleet answered, and what are they?", async () => {
    const { json } = await session.call("describe_run", { run: idOf("mixed-fleet") });
    const { endpoints_successful: endpoints } = reference("mixed-fleet").summary;
    expect(json["endpoints_answered"]).toMatch(new RegExp(`^${endpoints.length} of`));
    expect(json["servers"]).toContain("vLLM");
  });

  it("Do these assertions hold?", async () => {
    const stats = reference(BASIC).metrics["vllm:num_requests_waiting"]?.series[0]?.stats ?? {};
    const { json } = await session.call("check_assertions", {
      run: idOf(BASIC),
      assertions: ["vllm:num_requests_waiting max < 59", "vllm:num_requests_waiting avg < 30"],
    });
    expect(json["assertions"]).toMatchObject([
      { passed: false, series: [{ value: stats["max"] }] },
      { passed: true, series: [{ value: stats["avg"] }] },
    ]);
  });

  it("reads a list to its end, page by page, in any run", async () => {
    for (const run of ["edge", "mixed-fleet", "sglang", BASIC]) {
      const names: string[] = [];
      let offset: number | undefined = 0;
      while (offset !== undefined) {
        const { json, text } = await session.call("describe_run", { run: idOf(run), offset });
        expect(json, text).toBeDefined();
        names.push(...(json["metrics"] as { name: string }[]).map(({ name }) => name));
        offset = json["next_offset"] as number | undefined;
      }
      expect(names.sort()).toEqual(Object.keys(reference(run).metrics).sort());
      for (const family of names) {
        const { isError, text } = await session.call("query_metric", { run: idOf(run), family });
        expect(isError, text).toBe(false);
      }
    }
  });
});
