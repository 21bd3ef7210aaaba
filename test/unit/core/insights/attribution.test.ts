import { describe, expect, it } from "vitest";
import { runInsights } from "../../../../src/core/insights/index.js";
import { mean } from "../../../../src/core/math/index.js";
import { complete } from "../../../../src/core/stats/index.js";
import { seededRandom } from "../../../support/random.js";
import { RunBuilder } from "../../../support/run-builder.js";

const SECONDS = 300;
/** Requests that the server takes at once. */
const SLOTS = 8;

/** One request: when it came, and what its time went to, in seconds. */
interface Served {
  readonly arrived: number;
  readonly queue: number;
  readonly prefill: number;
  readonly transfer: number;
  readonly first: number;
  readonly decode: number;
  /** Network and tokenizer of the server, which no part counts. */
  readonly rest: number;
}

/** Requests at a server with some slots, first come, first served. */
function served(seed: number, { rate, transfer: mostTransfer }: { rate: number; transfer: number }): readonly Served[] {
  const random = seededRandom(seed);
  const exponential = (scale: number) => -scale * Math.log(1 - random());
  const free = Array.from({ length: SLOTS }, () => 0);
  const all: Served[] = [];
  for (let arrived = 0; arrived < SECONDS; arrived += exponential(1 / rate)) {
    const slot = free.indexOf(Math.min(...free));
    const begins = Math.max(arrived, free[slot] ?? 0);
    const prefill = 0.05 + exponential(0.1);
    const transfer = mostTransfer * (0.5 + random() / 2);
    const decode = 0.4 + exponential(0.6);
    const rest = 0.02 + 0.02 * random();
    const queue = begins - arrived;
    const first = arrived + queue + prefill + transfer + rest;
    free[slot] = first + decode;
    all.push({ arrived, queue, prefill, transfer, first, decode, rest });
  }
  return all;
}

/** What vLLM would expose of them: each part when it is over. */
function scraped(requests: readonly Served[], transferIsQueued: boolean) {
  const builder = new RunBuilder();
  const bounds = [0.05, 0.1, 0.3, 1, 3, 10];
  for (let second = 0; second <= SECONDS; second += 2) {
    const started = requests.filter(({ first }) => first <= second);
    const done = requests.filter(({ first, decode }) => first + decode <= second);
    const histogram = (name: string, values: readonly number[]) => ({
      name,
      buckets: Object.fromEntries(
        [...bounds, Infinity].map((bound) => [
          bound === Infinity ? "+Inf" : String(bound),
          values.filter((value) => value <= bound).length,
        ]),
      ),
      sum: values.reduce((sum, value) => sum + value, 0),
      count: values.length,
    });
    builder.scrape(second, [
      histogram(
        "vllm:time_to_first_token_seconds",
        started.map(({ first, arrived }) => first - arrived),
      ),
      histogram(
        "vllm:e2e_request_latency_seconds",
        done.map(({ first, arrived, decode }) => first - arrived + decode),
      ),
      histogram(
        "vllm:request_queue_time_seconds",
        done.map(({ queue, transfer }) => queue + (transferIsQueued ? transfer : 0)),
      ),
      histogram(
        "vllm:request_prefill_time_seconds",
        done.map(({ prefill }) => prefill),
      ),
      histogram(
        "vllm:request_decode_time_seconds",
        done.map(({ decode }) => decode),
      ),
      ...(requests.some(({ transfer }) => transfer > 0)
        ? [
            histogram(
              "vllm:nixl_xfer_time_seconds",
              started.map(({ transfer }) => transfer),
            ),
          ]
        : []),
    ]);
  }
  return builder.window(0, SECONDS).run;
}

describe("what a latency is made of", () => {
  it.each([
    ["hardly any queue", { rate: 3, transfer: 0 }, false],
    ["a queue", { rate: 6.6, transfer: 0 }, false],
    ["transfers beside the queue time", { rate: 4, transfer: 0.6 }, false],
    ["transfers within the queue time", { rate: 4, transfer: 0.6 }, true],
  ] as const)("is what it really was, with %s", (_, load, transferIsQueued) => {
    for (const seed of [1, 2, 3]) {
      const requests = served(seed, load);
      const { attributions } = complete(runInsights({ kind: "samples", run: scraped(requests, transferIsQueued) }));
      const over = requests.filter(({ first, decode }) => first + decode <= SECONDS);
      const total = (of: (request: Served) => number) => mean(over.map(of));
      for (const latency of ["ttft", "e2e-latency"] as const) {
        const parts = new Map(
          attributions.find((one) => one.latency === latency)?.parts.map(({ part, share }) => [part, share]),
        );
        const whole = total(({ first, arrived, decode }) => first - arrived + (latency === "ttft" ? 0 : decode));
        const truth = {
          queue: total(({ queue }) => queue) / whole,
          prefill: total(({ prefill }) => prefill) / whole,
          transfer: total(({ transfer }) => transfer) / whole,
          decode: latency === "ttft" ? 0 : total(({ decode }) => decode) / whole,
          rest: total(({ rest }) => rest) / whole,
        };
        for (const [part, share] of Object.entries(truth) as [keyof typeof truth, number][])
          expect(Math.abs((parts.get(part) ?? 0) - share), `seed ${seed}: ${latency}, ${part}`).toBeLessThan(0.03);
      }
    }
  });

  it("leaves no rest where the parts add up but for their last bits", () => {
    const builder = new RunBuilder();
    for (let second = 0; second <= 60; second++) {
      const of = (name: string, mean: number) => ({
        name,
        buckets: { "0.05": 0, "1": second, "+Inf": second },
        sum: mean * second,
        count: second,
      });
      builder.scrape(second, [
        of("vllm:time_to_first_token_seconds", 0.9),
        of("vllm:request_queue_time_seconds", 0.3),
        of("vllm:request_prefill_time_seconds", 0.6 - 1e-15),
      ]);
    }
    const { attributions } = complete(runInsights({ kind: "samples", run: builder.window(0, 60).run }));
    expect(attributions[0]?.parts.at(-1)).toEqual({ part: "rest", seconds: 0, share: 0 });
  });
});
