import { formatScrapeLogLine } from "../../src/core/artifacts/index.js";
import { durationNs, epochNs, NS_PER_SECOND } from "../../src/core/model/index.js";
import { MetricsPage, type LabelSet } from "../../src/demo/profiles/families.js";

/** A server whose metrics a test writes itself. */
export interface SimulatedServer {
  readonly url?: string;
  readonly labels?: LabelSet;
  /** Declares the families; what it returns is called before each scrape, with the seconds since the first. */
  readonly expose: (exporter: MetricsPage) => (second: number) => void;
  /** Whether a scrape at a second succeeds; all do unless given. */
  readonly answers?: (second: number) => boolean;
}

export function exposing(expose: SimulatedServer["expose"]): SimulatedServer {
  return { expose };
}

/** Of the first scrape. */
export const START_NS = 1_765_000_000_000_000_000n;
export const SECONDS = 60;

/** Lines of a scrape log of simulated servers, one scrape a second. */
export async function simulatedServerLog(
  servers: readonly SimulatedServer[],
  seconds = SECONDS,
): Promise<readonly string[]> {
  const made = servers.map(({ url, labels = {}, expose, answers = () => true }, i) => {
    const exporter = new MetricsPage(labels);
    return { url: url ?? `http://localhost:${8000 + i}/metrics`, exporter, answers, advance: expose(exporter) };
  });
  const lines: string[] = [];
  for (let second = 0; second <= seconds; second++)
    for (const { url, exporter, answers, advance } of made) {
      advance(second);
      const line = formatScrapeLogLine({
        url,
        time: epochNs(START_NS + BigInt(second * NS_PER_SECOND)),
        latency: durationNs(1_000_000),
        status: answers(second) ? 200 : 503,
        contentType: exporter.registry.contentType,
        body: await exporter.exposition(),
      });
      lines.push(line.trimEnd());
    }
  return lines;
}

/** A value that goes up and down a little, the same each time. */
export function wobbling(level: number, second: number): number {
  return level * (1 + 0.05 * Math.sin(1.7 * second));
}

const BOUNDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20];

/** vLLM at a level: 20 requests a second, ten at once, a tenth of a second to the first token. */
export function vllmAt(
  {
    running = 10,
    waiting = 0,
    ttft = () => 0.1,
    latency = () => 0.5,
    queue = 0.01,
    tokens = () => 2000,
    bounds = BOUNDS,
    finished = 20,
  }: {
    readonly running?: number;
    readonly waiting?: number;
    readonly ttft?: (request: number) => number;
    readonly latency?: (request: number) => number;
    readonly queue?: number;
    /** A second. */
    readonly tokens?: (second: number) => number;
    readonly bounds?: readonly number[];
    /** A second. */
    readonly finished?: number;
  },
  labels: LabelSet = { model_name: "m" },
): SimulatedServer {
  return {
    labels,
    expose: (exporter) => {
      const runs = exporter.gauge("vllm:num_requests_running", "Made by hand.");
      const waits = exporter.gauge("vllm:num_requests_waiting", "Made by hand.");
      const usage = exporter.gauge("vllm:kv_cache_usage_perc", "Made by hand.");
      const generated = exporter.counter("vllm:generation_tokens_total", "Made by hand.");
      const success = exporter.counter("vllm:request_success_total", "Made by hand.", ["finished_reason"]);
      const toFirst = exporter.histogram("vllm:time_to_first_token_seconds", "Made by hand.", bounds);
      const whole = exporter.histogram("vllm:e2e_request_latency_seconds", "Made by hand.", BOUNDS);
      const queued = exporter.histogram("vllm:request_queue_time_seconds", "Made by hand.", BOUNDS);
      let request = 0;
      return (second) => {
        runs(running === 0 ? 0 : Math.round(wobbling(running, second)));
        waits(waiting);
        usage(wobbling(0.3, second));
        generated(tokens(second));
        for (let i = 0; i < finished; i++, request++) {
          success(1, { finished_reason: "stop" });
          toFirst(ttft(request));
          whole(latency(request));
          queued(queue);
        }
      };
    },
  };
}
