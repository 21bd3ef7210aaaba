import { timeToFirstToken, type Request } from "../request.js";
import { BLOCK_SIZE } from "../simulation.js";
import { Mean, RecentShare } from "./averages.js";
import type { Families } from "./families.js";

/** One in so many requests finds its shared prefix in host memory: the GPU has given it up meanwhile. */
const FROM_HOST = 4;

/** The KV block manager: whatever is computed is offloaded to host memory, which has room for all of it. */
export function kvbm(page: Families): void {
  const families = page.others("kvbm_", {});
  const fromHost = ({ id, cachedTokens }: Request) => (id % FROM_HOST === 0 ? cachedTokens : 0);
  const rate = (tier: string, value?: () => number) =>
    families.gauge(`${tier}_cache_hit_rate`, `Cache hit rate of ${tier} memory (0.0-1.0)`, value);
  families.counter("offload_blocks_d2h", "Number of blocks offloaded from device to host", {
    finished: ({ promptTokens, cachedTokens }) => Math.floor((promptTokens - cachedTokens) / BLOCK_SIZE),
  });
  families.counter("offload_blocks_h2d", "Number of blocks offloaded from host to disk");
  families.counter("onboard_blocks_h2d", "Number of blocks onboarded from host to device", {
    scheduled: (request) => Math.floor(fromHost(request) / BLOCK_SIZE),
  });
  families.counter("onboard_blocks_d2d", "Number of blocks onboarded from disk to device");
  families.counter("matched_tokens", "Number of tokens found in the caches", { scheduled: fromHost });
  const tokens = new RecentShare();
  families.simulation.observe({ scheduled: (request) => tokens.add(fromHost(request), request.promptTokens) });
  rate("host", () => tokens.value);
  rate("disk");
  rate("object");
}

/** The planner looks at the deployment this often. */
const PLANNER_SECONDS = 10;

/** The planner of a deployment that it leaves as it is: one worker for prefill and decode. */
export function planner(page: Families): void {
  const { simulation } = page;
  const families = page.others("dynamo_planner_", {});
  const nothing = (since: number) => ({ since, requests: 0, ttft: new Mean(), itl: new Mean() });
  let seen = nothing(0);
  let observed = { rate: 0, ttft: 0, itl: 0 };
  simulation.observe({
    firstToken: (request) => seen.ttft.add(timeToFirstToken(request)),
    tokens: (_request, _count, interval) => seen.itl.add(interval),
    finished: () => seen.requests++,
  });
  families.exporter.beforeExposition(() => {
    const { now } = simulation;
    if (now < seen.since + PLANNER_SECONDS) return;
    const { since, requests, ttft, itl } = seen;
    observed = { rate: requests / (now - since), ttft: ttft.value * 1000, itl: itl.value * 1000 };
    seen = nothing(now);
  });
  families.gauge("num_prefill_replicas", "Number of prefill replicas");
  families.gauge("num_decode_replicas", "Number of decode replicas", 1);
  families.gauge("observed_requests_per_second", "Observed requests per second", () => observed.rate);
  families.gauge("observed_ttft_ms", "Observed time to first token in milliseconds", () => observed.ttft);
  families.gauge("observed_itl_ms", "Observed inter-token latency in milliseconds", () => observed.itl);
}
