import { exponential, logNormal, seededRandom, type Random } from "./random.js";
import type { Request } from "./request.js";

/** Load rises and falls once in this time, lowest at its ends. */
export const CYCLE_SECONDS = 120;
/** Share by which the load departs from its mean at the peak and in the trough, unless said otherwise. */
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
  /** Share by which the rate departs from its mean at the peak and in the trough; 0: steady. */
  readonly swing?: number;
  /** Median of a prompt without its shared beginning, in tokens. */
  readonly questionTokens?: number;
  /** Median of what a request would generate without a limit, in tokens. */
  readonly answerTokens?: number;
  /** Most tokens that prompts begin alike with: few, and the prefix cache hardly hits. */
  readonly longestPrefix?: number;
  /** Share of requests that end in an error. */
  readonly errorShare?: number;
}

/**
 * Who asks what, when: Poisson arrivals whose rate follows the cycle (thinned from the peak rate), log-normal lengths.
 * It draws from streams of its own, so that servers of different size get the very same requests.
 */
export class Workload {
  private readonly times: Random;
  private readonly contents: Random;
  private readonly peak: number;
  private readonly swing: number;
  private count = 0;
  private next: Request;

  constructor(private readonly options: WorkloadOptions) {
    this.times = seededRandom(options.seed, 0);
    this.contents = seededRandom(options.seed, 1);
    this.swing = options.swing ?? SWING;
    this.peak = options.rate * (1 + this.swing);
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
    return this.options.rate * (1 - this.swing * Math.cos((2 * Math.PI * time) / CYCLE_SECONDS));
  }

  private requestAt(arrival: number): Request {
    const { contents, options } = this;
    const popular = PREFIX_LENGTHS[Math.floor(contents() ** 2 * PREFIX_LENGTHS.length)] ?? 0;
    const prefixTokens = Math.min(popular, options.longestPrefix ?? Infinity);
    const question = Math.ceil(logNormal(contents, options.questionTokens ?? 180, 0.8));
    const wanted = Math.ceil(logNormal(contents, options.answerTokens ?? 170, 0.7));
    const maxTokens = MAX_TOKENS[Math.floor(contents() * MAX_TOKENS.length)] ?? 256;
    const fate = contents();
    const aborted = fate < ABORTED_SHARE;
    const failed = !aborted && fate > 1 - (options.errorShare ?? 0);
    const prompt = Math.min(prefixTokens + question, Math.floor(options.maxLength / 2));
    const limit = Math.max(1, Math.min(maxTokens, options.maxLength - prompt));
    const output = Math.min(wanted, limit);
    return {
      id: this.count++,
      arrival,
      promptTokens: prompt,
      prefixTokens: Math.max(0, Math.min(prefixTokens, prompt - 1)),
      maxTokens,
      outputTokens: aborted || failed ? Math.max(1, Math.ceil(output * contents())) : output,
      finishReason: failed ? "error" : aborted ? "abort" : wanted >= limit ? "length" : "stop",
      transfer: 0,
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
