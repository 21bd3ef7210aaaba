import { seededRandom } from "./random.js";

/** What one scrape of an endpoint was, as a log has it. */
export interface LoggedScrape {
  readonly url: string;
  /** Nanoseconds since the epoch. */
  readonly time: bigint;
  readonly status: number;
  readonly body: string;
}

export interface GeneratedLog {
  readonly scrapes: readonly LoggedScrape[];
  /** Absent: all of it. */
  readonly window?: readonly [start: bigint, end: bigint];
}

const ORIGIN = 1_765_000_000_000_000_000n;
const SCRAPES = 60;
const BOUNDS = [0.1, 0.25, 0.5, 1, 2.5, 5];
/** Those that its histograms have throughout. */
export const FEWER_BOUNDS = [0.1, 0.5, 1, 5];

/** Text of a scrape log, with its last line end. */
export function logText(scrapes: readonly LoggedScrape[]): string {
  return scrapes
    .map(({ url, time, status, body }) => {
      const fields = `"latency_ns": 2000000, "status": ${status}, "content_type": "text/plain; version=0.0.4"`;
      return `{"url": ${JSON.stringify(url)}, "t_ns": ${time}, ${fields}, "body": ${JSON.stringify(body)}}\n`;
    })
    .join("");
}

/**
 * Two servers of the names that vLLM has, with what goes wrong in the field: the first restarts, and so does the second
 * unless 3 divides the seed (with other bucket bounds where that leaves 1), some scrapes fail, a gauge has NaN, a
 * series appears during the run, the second server starts during the run and tells it, one histogram observes nothing
 * in the window and one nothing at all. Even seeds have a window with scrapes before it.
 */
export function generatedLog(seed: number): GeneratedLog {
  const random = seededRandom(seed);
  const between = (low: number, high: number) => low + Math.floor(random() * (high - low));
  const scrapes: LoggedScrape[] = [];
  for (const [e, url] of ["http://one:8000/metrics", "http://two:8000/metrics"].entries()) {
    const restart = e === 0 || seed % 3 > 0 ? between(20, 45) : undefined;
    const newBounds = e === 1 && seed % 3 === 1;
    const failing = between(12, 48);
    const late = between(18, 30);
    // The second is not there at first.
    const created = e === 1 ? ORIGIN + 600_000_000n : undefined;
    let server = new Server(random, BOUNDS, created !== undefined);
    for (let i = 0; i < SCRAPES; i++) {
      if (i === restart) server = new Server(random, newBounds ? FEWER_BOUNDS : BOUNDS, true);
      server.work(i < 10 ? 2 : between(0, 9), i < 8);
      const time = ORIGIN + BigInt(i) * 500_000_000n + BigInt(between(0, 40_000_000) + e * 3_000_000);
      const failed = (i >= failing && i < failing + 3) || (created !== undefined && i < 3);
      // A body that is the last one's again stands for a page that is cached.
      const before = scrapes.at(-1);
      const body =
        i % 17 === 16 && before?.url === url && before.status === 200 ? before.body : server.expose(i >= late, created);
      scrapes.push(failed ? { url, time, status: 503, body: "" } : { url, time, status: 200, body });
    }
  }
  return {
    scrapes: scrapes.toSorted((a, b) => (a.time < b.time ? -1 : 1)),
    ...(seed % 2 === 0 ? { window: [ORIGIN + 5_100_000_000n, ORIGIN + 27_700_000_000n] } : {}),
  };
}

class Server {
  private tokens = 0;
  private readonly finished = { stop: 0, length: 0 };
  private readonly preemptions: number;
  private readonly latencies = new Map<string, Observed>();
  private running = 0;

  constructor(
    private readonly random: () => number,
    private readonly bounds: readonly number[],
    afresh: boolean,
  ) {
    this.preemptions = afresh ? 0 : 7;
    if (!afresh) {
      this.tokens = 12_345;
      this.finished.stop = 40;
    }
    for (const name of ["time_to_first_token_seconds", "e2e_request_latency_seconds", "request_queue_time_seconds"])
      this.latencies.set(name, new Observed(this.bounds));
    this.latencies.set("inter_token_latency_seconds", new Observed(this.bounds));
  }

  /** @param early also what is observed before the window alone */
  work(requests: number, early: boolean): void {
    this.running = requests;
    for (let i = 0; i < requests; i++) {
      this.tokens += 20 + Math.floor(this.random() * 200);
      this.finished[this.random() < 0.8 ? "stop" : "length"]++;
      this.latencies.get("time_to_first_token_seconds")?.observe(0.02 + this.random() ** 3 * 2);
      this.latencies.get("e2e_request_latency_seconds")?.observe(0.2 + this.random() ** 2 * 7);
      if (early) this.latencies.get("request_queue_time_seconds")?.observe(this.random());
    }
  }

  /** @param created when it began, in nanoseconds since the epoch */
  expose(late: boolean, created: bigint | undefined): string {
    const model = 'model_name="m"';
    const usage = this.random() < 0.1 ? NaN : Math.round(this.random() * 1000) / 1000;
    const lines = [
      "# HELP vllm:num_requests_running Number of requests running.",
      "# TYPE vllm:num_requests_running gauge",
      `vllm:num_requests_running{${model}} ${this.running}`,
      "# HELP vllm:kv_cache_usage_perc KV-cache usage. 1 means 100 percent usage.",
      "# TYPE vllm:kv_cache_usage_perc gauge",
      `vllm:kv_cache_usage_perc{${model}} ${Number.isNaN(usage) ? "NaN" : usage}`,
      "# TYPE constant_setting gauge",
      "constant_setting 0.1",
      "# TYPE vllm:generation_tokens_total counter",
      `vllm:generation_tokens_total{${model}} ${this.tokens}`,
      ...createdLines("vllm:generation_tokens", model, created),
      "# TYPE vllm:num_preemptions_total counter",
      `vllm:num_preemptions_total{${model}} ${this.preemptions}`,
      "# TYPE vllm:request_success_total counter",
      `vllm:request_success_total{${model},finished_reason="stop"} ${this.finished.stop}`,
      // Born during the run: nothing counted it before.
      ...(late ? [`vllm:request_success_total{${model},finished_reason="length"} ${this.finished.length}`] : []),
      "untyped_level 3.5",
    ];
    for (const [name, observed] of this.latencies) {
      lines.push(...observed.lines(`vllm:${name}`, model));
      if (name !== "inter_token_latency_seconds") lines.push(...createdLines(`vllm:${name}`, model, created));
    }
    return `${lines.join("\n")}\n`;
  }
}

/** As Python's client writes them in the text format. */
function createdLines(name: string, labels: string, created: bigint | undefined): string[] {
  if (created === undefined) return [];
  return [
    `# TYPE ${name}_created gauge`,
    `${name}_created{${labels}} ${created / 1_000_000_000n}.${String(created % 1_000_000_000n).padStart(9, "0")}`,
  ];
}

class Observed {
  private readonly counts: number[];
  private sum = 0;
  private count = 0;

  constructor(private readonly bounds: readonly number[]) {
    this.counts = bounds.map(() => 0);
  }

  observe(value: number): void {
    this.count++;
    this.sum += value;
    this.bounds.forEach((bound, b) => {
      if (value <= bound) this.counts[b] = (this.counts[b] ?? 0) + 1;
    });
  }

  lines(name: string, labels: string): string[] {
    return [
      `# TYPE ${name} histogram`,
      ...this.bounds.map((bound, b) => `${name}_bucket{${labels},le="${bound}"} ${this.counts[b] ?? 0}`),
      `${name}_bucket{${labels},le="+Inf"} ${this.count}`,
      `${name}_sum{${labels}} ${this.sum}`,
      `${name}_count{${labels}} ${this.count}`,
    ];
  }
}
