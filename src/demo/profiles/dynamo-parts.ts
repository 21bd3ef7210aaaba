import type { MetricsPage } from "../exporter.js";
import { BLOCK_SIZE, type Simulation } from "../simulation.js";
import { Mean, RecentShare } from "./averages.js";

/** One in so many requests finds its shared prefix in host memory: the GPU has given it up meanwhile. */
const FROM_HOST = 4;

/** The KV block manager: whatever is computed is offloaded to host memory, which has room for all of it. */
export function kvbm(exporter: MetricsPage, simulation: Simulation): void {
  const counter = (name: string, help: string) => exporter.counter(`kvbm_${name}`, help, [], {});
  const rate = (tier: string) =>
    exporter.gauge(`kvbm_${tier}_cache_hit_rate`, `Cache hit rate of ${tier} memory (0.0-1.0)`, [], {});
  const offloaded = counter("offload_blocks_d2h", "Number of blocks offloaded from device to host");
  counter("offload_blocks_h2d", "Number of blocks offloaded from host to disk");
  const onboarded = counter("onboard_blocks_h2d", "Number of blocks onboarded from host to device");
  counter("onboard_blocks_d2d", "Number of blocks onboarded from disk to device");
  const matched = counter("matched_tokens", "Number of tokens found in the caches");
  const hostRate = rate("host");
  rate("disk");
  rate("object");
  const tokens = new RecentShare();
  simulation.observe({
    scheduled: ({ id, cachedTokens, promptTokens }) => {
      const fromHost = id % FROM_HOST === 0 ? cachedTokens : 0;
      tokens.add(fromHost, promptTokens);
      onboarded(Math.floor(fromHost / BLOCK_SIZE));
      matched(fromHost);
    },
    finished: ({ promptTokens, cachedTokens }) => offloaded(Math.floor((promptTokens - cachedTokens) / BLOCK_SIZE)),
  });
  exporter.beforeExposition(() => hostRate(tokens.value));
}

/** The planner looks at the deployment this often. */
const PLANNER_SECONDS = 10;

/** The planner of a deployment that it leaves as it is: one worker for prefill and decode. */
export function planner(exporter: MetricsPage, simulation: Simulation): void {
  const gauge = (name: string, help: string) => exporter.gauge(`dynamo_planner_${name}`, help, [], {});
  gauge("num_prefill_replicas", "Number of prefill replicas");
  gauge("num_decode_replicas", "Number of decode replicas")(1);
  const requestRate = gauge("observed_requests_per_second", "Observed requests per second");
  const ttft = gauge("observed_ttft_ms", "Observed time to first token in milliseconds");
  const itl = gauge("observed_itl_ms", "Observed inter-token latency in milliseconds");
  const nothing = (since: number) => ({ since, requests: 0, ttft: new Mean(), itl: new Mean() });
  let seen = nothing(0);
  simulation.observe({
    firstToken: (request) => seen.ttft.add((request.firstToken ?? NaN) - request.arrival),
    tokens: (_request, _count, interval) => seen.itl.add(interval),
    finished: () => seen.requests++,
  });
  exporter.beforeExposition(() => {
    const { now } = simulation;
    if (now < seen.since + PLANNER_SECONDS) return;
    requestRate(seen.requests / (now - seen.since));
    ttft(seen.ttft.value * 1000);
    itl(seen.itl.value * 1000);
    seen = nothing(now);
  });
}
