import { exponential, logNormal, seededRandom, type Random } from "./random.js";
import type { Request } from "./request.js";

/** Load rises and falls once in this time, lowest at its ends. */
export const CYCLE_SECONDS = 120;
/** Share by which the load departs from its mean at the peak and in the trough. */
const SWING = 0.9;

const MAX_TOKENS = [128, 256, 512, 1024];
const ABORTED_SHARE = 0.01;
/** System prompts that requests share; the more popular ones come first. */
const PREFIX_LENGTHS = [512, 320, 256, 192, 128];

export interface WorkloadOptions {
  readonly seed: number;
  /** Mean requests per second over a cycle. */
  readonly rate: number;
  /** Longest sequence, prompt and output together, in tokens. */
  readonly maxLength: number;
}

/**
 * Who asks what, when: Poisson arrivals whose rate follows the cycle (thinned from the peak rate), log-normal lengths.
 * It draws from streams of its own, so that servers of different size get the very same requests.
 */
export class Workload {
  private readonly times: Random;
  private readonly contents: Random;
  private readonly peak: number;
  private count = 0;
  private next: Request;

  constructor(private readonly options: WorkloadOptions) {
    this.times = seededRandom(options.seed, 0);
    this.contents = seededRandom(options.seed, 1);
    this.peak = options.rate * (1 + SWING);
    this.next = this.draw(0);
  }

  /** Arrival of the next request, seconds from the start. */
  get nextArrival(): number {
    return this.next.arrival;
  }

  take(): Request {
    const request = this.next;
    this.next = this.draw(request.arrival);
    return request;
  }

  private draw(after: number): Request {
    let time = after;
    do time += exponential(this.times, 1 / this.peak);
    while (this.times() * this.peak > this.rateAt(time));
    return this.requestAt(time);
  }

  private rateAt(time: number): number {
    return this.options.rate * (1 - SWING * Math.cos((2 * Math.PI * time) / CYCLE_SECONDS));
  }

  private requestAt(arrival: number): Request {
    const { contents, options } = this;
    const prefixTokens = PREFIX_LENGTHS[Math.floor(contents() ** 2 * PREFIX_LENGTHS.length)] ?? 0;
    const question = Math.ceil(logNormal(contents, 180, 0.8));
    const wanted = Math.ceil(logNormal(contents, 170, 0.7));
    const maxTokens = MAX_TOKENS[Math.floor(contents() * MAX_TOKENS.length)] ?? 256;
    const aborted = contents() < ABORTED_SHARE;
    const prompt = Math.min(prefixTokens + question, Math.floor(options.maxLength / 2));
    const limit = Math.max(1, Math.min(maxTokens, options.maxLength - prompt));
    const output = Math.min(wanted, limit);
    return {
      id: this.count++,
      arrival,
      promptTokens: prompt,
      prefixTokens: Math.min(prefixTokens, prompt - 1),
      maxTokens,
      outputTokens: aborted ? Math.ceil(output * contents()) : output,
      finishReason: aborted ? "abort" : wanted >= limit ? "length" : "stop",
      cachedTokens: 0,
      computed: 0,
      generated: 0,
      blocks: 0,
      preemptions: 0,
      scheduled: undefined,
      firstToken: undefined,
      lastToken: undefined,
      finished: undefined,
    };
  }
}
