import { boundText, durationNs, epochNs, type SampleDef } from "../../src/core/model/index.js";
import { Run, Store } from "../../src/core/store/index.js";
import { normal, seeded } from "./histogram-simulation.js";

/*
 * Simulated inference servers with known true latencies. Every engine step serves all running requests at once, so that
 * inter-token latencies come in equal batches, drift with the load and jump when a prefill joins: what real servers do.
 */

const E2E = [0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680];
const TTFT = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560,
];
const ITL = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80];
const SGLANG_TTFT = [0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 20, 40, 60, 80, 100, 200, 400];
const SGLANG_ITL = [
  0.002, 0.004, 0.006, 0.008, 0.01, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04, 0.06, 0.08, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4,
  6, 8,
];
const TENSORRT = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40];

/** Time to first token, between tokens, end to end, in the queue, per output token. */
const FAMILIES = {
  vllm: [
    ["vllm:time_to_first_token_seconds", TTFT],
    ["vllm:inter_token_latency_seconds", ITL],
    ["vllm:e2e_request_latency_seconds", E2E],
    ["vllm:request_queue_time_seconds", E2E],
    ["vllm:request_time_per_output_token_seconds", ITL],
  ],
  sglang: [
    ["sglang:time_to_first_token_seconds", SGLANG_TTFT],
    ["sglang:inter_token_latency_seconds", SGLANG_ITL],
    ["sglang:e2e_request_latency_seconds", SGLANG_TTFT],
    ["sglang:queue_time_seconds", [0, ...TTFT.slice(0, 16)]],
    ["sglang:time_per_output_token_seconds", SGLANG_ITL],
  ],
  trtllm: [
    ["trtllm:time_to_first_token_seconds", TENSORRT],
    ["trtllm:inter_token_latency_seconds", TENSORRT],
    ["trtllm:e2e_request_latency_seconds", E2E],
    ["trtllm:request_queue_time_seconds", TENSORRT],
    ["trtllm:time_per_output_token_seconds", TENSORRT],
  ],
} as const;

export interface ServerOptions {
  readonly server?: keyof typeof FAMILIES;
  /** Requests a second; with `users`, that many are always under way instead. */
  readonly rate?: number;
  readonly users?: number;
  readonly slots?: number;
  /** Seconds of a step: without requests, more when all slots are taken, for each token of a prompt. */
  readonly base?: number;
  readonly slope?: number;
  readonly prefill?: number;
  /** Standard deviation of the logarithm of a step, and of what clients add to each token. */
  readonly jitter?: number;
  readonly clientNoise?: number;
  /** Median and standard deviation of the logarithm of the tokens of prompts and answers. */
  readonly prompt?: readonly [number, number];
  readonly answer?: readonly [number, number];
  /** Share of the load at a share of the time. */
  readonly load?: (time: number) => number;
  readonly seconds?: number;
  /** Between two scrapes: as a capture has them unless given. */
  readonly interval?: number;
}

/** What was really observed inside the window. */
export interface Truth {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  /** All that was observed, ascending. */
  readonly values: readonly number[];
}

export interface SimulatedServing {
  readonly run: Run;
  /** Of the histograms with 30 observations or more. */
  readonly truth: ReadonlyMap<string, Truth>;
}

const ORIGIN = 1_765_200_000_000_000_000n;
const INTERVAL = 0.333;
const WARMUP = 10;
const CHUNK = 2048;

interface Request {
  readonly arrived: number;
  readonly prompt: number;
  readonly answer: number;
  given: number;
  started: number;
  last: number;
  left: number;
}

class Histogram {
  readonly counts: Float64Array;
  sum = 0;
  readonly seen: { readonly time: number; readonly value: number }[] = [];

  constructor(
    readonly name: string,
    readonly bounds: readonly number[],
  ) {
    this.counts = new Float64Array(bounds.length + 1);
  }

  add(value: number, time: number): void {
    let b = 0;
    while (b < this.bounds.length && value > (this.bounds[b] ?? Infinity)) b++;
    this.counts[b] = (this.counts[b] ?? 0) + 1;
    this.sum += value;
    this.seen.push({ time, value });
  }
}

/** Simulates a server for a while, scraped three times a second unless told otherwise. */
export function simulateServing(seed: number, options: ServerOptions): SimulatedServing {
  const { server = "vllm", rate = 4, users = 0, slots = 64, base = 0.012, slope = 0.014, prefill = 40e-6 } = options;
  const { jitter = 0.08, clientNoise = 0, prompt = [900, 0.7], answer = [180, 0.6], load = () => 1 } = options;
  const { seconds = 130, interval = INTERVAL } = options;
  const random = seeded(seed * 7919 + 31);
  const logNormal = (deviation: number) => Math.exp(deviation * normal(random));
  const tokens = ([median, deviation]: readonly [number, number]) =>
    Math.max(1, Math.round(median * logNormal(deviation)));
  const histograms = FAMILIES[server].map(([name, bounds]) => new Histogram(name, bounds));
  const [ttft, itl, e2e, queue, perToken] = histograms;
  const scraper = new Scraper(server, histograms);
  const request = (arrived: number): Request => {
    const length = tokens(prompt);
    return { arrived, prompt: length, answer: tokens(answer), given: 0, started: 0, last: 0, left: length };
  };
  const peak = Math.max(...Array.from({ length: 100 }, (_, i) => load(i / 99)));
  const arrivals: number[] = [];
  for (let t = 0; users === 0 && t < seconds;) {
    t -= Math.log(1 - random()) / (rate * peak);
    if (random() < load(t / seconds) / peak) arrivals.push(t);
  }
  const pending = Array.from({ length: users }, () => 2 * random()).sort((a, b) => a - b);
  const waiting: Request[] = [];
  let running: Request[] = [];
  let filling: Request | undefined;
  let now = 0;
  let next = 0;
  let scrape = 0;
  while (now < seconds) {
    while ((arrivals[next] ?? Infinity) <= now) waiting.push(request(arrivals[next++] ?? now));
    if (users > 0) {
      while ((pending[0] ?? Infinity) <= now) waiting.push(request(pending.shift() ?? now));
      if (pending.length === 0) {
        const under = running.length + waiting.length + Number(filling !== undefined);
        for (let n = under; n < Math.floor(users * load(now / seconds)); n++) waiting.push(request(now));
      }
    }
    let step = base + (slope * running.length) / slots;
    const first: Request[] = [];
    for (let budget = CHUNK; budget > 0;) {
      if (filling === undefined) {
        if (running.length + first.length >= slots) break;
        filling = waiting.shift();
        if (filling === undefined) break;
        filling.started = now;
        queue?.add(now - filling.arrived, now);
      }
      const used = Math.min(budget, filling.left);
      filling.left -= used;
      budget -= used;
      step += used * prefill;
      if (filling.left <= 0) {
        first.push(filling);
        filling = undefined;
      }
    }
    if (running.length === 0 && first.length === 0 && filling === undefined) step = 0.002;
    const end = now + step * logNormal(jitter);
    // A scrape sees what the steps before it left.
    for (; scrape * interval <= Math.min(end, seconds); scrape++) scraper.scrape(scrape * interval, running.length);
    const kept: Request[] = [];
    for (const one of running) {
      itl?.add((end - one.last) * (clientNoise > 0 ? logNormal(clientNoise) : 1), end);
      one.given++;
      one.last = end;
      if (one.given < one.answer) kept.push(one);
      else {
        e2e?.add(end - one.arrived, end);
        if (one.answer > 1) perToken?.add((end - one.started) / one.answer, end);
      }
    }
    for (const one of first) {
      ttft?.add(end - one.arrived, end);
      one.given = 1;
      one.last = end;
      kept.push(one);
    }
    running = kept;
    now = end;
  }
  const low = Math.floor(WARMUP / interval) * interval;
  const high = (scrape - 1) * interval;
  scraper.run.setProfilingStart(at(low + interval / 2));
  scraper.run.setProfilingEnd(at(high));
  return { run: scraper.run, truth: truthOf(histograms, low, high) };
}

function at(seconds: number) {
  return epochNs(ORIGIN + BigInt(Math.round(seconds * 1e9)));
}

class Scraper {
  readonly run: Run;
  private readonly defs: readonly SampleDef[];

  constructor(
    server: string,
    private readonly histograms: readonly Histogram[],
  ) {
    this.run = new Run(
      {
        benchmarkId: crypto.randomUUID(),
        endpointsConfigured: ["http://a:8000/metrics"],
        sliceDurationSeconds: 1,
        inputConfig: {},
      },
      new Store(epochNs(ORIGIN)),
    );
    const gauge = { name: `${server}:num_requests_running`, type: "gauge", description: "" } as const;
    this.defs = [
      { family: gauge, labels: [], part: { kind: "value" } },
      ...histograms.flatMap(({ name, bounds }): SampleDef[] => {
        const family = { name, type: "histogram", description: "" } as const;
        return [
          ...[...bounds, Infinity].map((upper): SampleDef => ({
            family,
            labels: [],
            part: { kind: "bucket", bound: boundText(upper === Infinity ? "+Inf" : String(upper)), upper },
          })),
          { family, labels: [], part: { kind: "sum" } },
          { family, labels: [], part: { kind: "count" } },
        ];
      }),
    ];
  }

  scrape(seconds: number, running: number): void {
    const values = [running];
    for (const { counts, sum } of this.histograms) {
      let below = 0;
      for (const n of counts) values.push((below += n));
      values.push(sum, below);
    }
    const time = at(seconds);
    this.run.store.append({
      endpointUrl: "http://a:8000/metrics",
      time,
      latency: durationNs(2e6),
      requestSent: time,
      outcome: {
        kind: "samples",
        batch: {
          defs: this.defs,
          ids: Int32Array.from(values.keys()),
          values: Float64Array.from(values),
          length: values.length,
        },
      },
    });
  }
}

/** Of what came between the last scrape before the window and the final one. */
function truthOf(histograms: readonly Histogram[], low: number, high: number): ReadonlyMap<string, Truth> {
  return new Map(
    histograms.flatMap(({ name, seen }) => {
      const values = seen
        .flatMap(({ time, value }) => (time > low && time <= high ? [value] : []))
        .sort((a, b) => a - b);
      const quantile = (q: number) => values[Math.min(values.length - 1, Math.ceil(q * values.length) - 1)] ?? NaN;
      const count = values.length;
      const mean = values.reduce((sum, value) => sum + value, 0) / count;
      const truth = { count, mean, p50: quantile(0.5), p90: quantile(0.9), p99: quantile(0.99), values };
      return count < 30 ? [] : [[name, truth] as const];
    }),
  );
}
