import { seededRandom, type Random } from "./random.js";
import type { Request } from "./request.js";
import { Workload, type WorkloadOptions } from "./workload.js";

export interface SimulationOptions {
  readonly seed: number;
  /** Size of the KV cache. */
  readonly kvBlocks: number;
  /** Mean requests per second. */
  readonly rate: number;
  /** Draft tokens per step of speculative decoding; 0: none. */
  readonly draftTokens: number;
  /** What is asked, where it is not the usual. */
  readonly workload?: Omit<WorkloadOptions, "seed" | "rate" | "maxLength">;
  /** Bytes by which the process grows each second. */
  readonly leakBytesPerSecond?: number;
  /** Mean seconds that a request's KV blocks take from another server before it can begin; 0: none. */
  readonly transferSeconds?: number;
  /** Share of requests whose KV blocks never arrive from elsewhere. */
  readonly lostLoads?: number;
  /** Seconds from the start in which kernels are still compiled: every step takes several times as long. */
  readonly coldSeconds?: number;
  /** The model stands still for so long after each such stretch of time. */
  readonly pauses?: { readonly everySeconds: number; readonly seconds: number };
  /** Power that each GPU may draw; absent: what it is made for. */
  readonly powerLimitWatts?: number;
}

/** What one pass of the model did. */
export interface EngineStep {
  readonly start: number;
  readonly end: number;
  /** Prompt tokens computed, without those found in the prefix cache. */
  readonly prefillTokens: number;
  readonly generatedTokens: number;
}

/** Called as things happen, in the order of simulated time. */
export interface Observer<Result = unknown> {
  arrived?(request: Request): Result;
  /** Scheduled for the first time. `cachedTokens` is known. */
  scheduled?(request: Request): Result;
  preempted?(request: Request): Result;
  firstToken?(request: Request): Result;
  /** Some later tokens of a request, `interval` seconds after those before. */
  tokens?(request: Request, count: number, interval: number): Result;
  /** Of `drafted` speculated tokens the first `accepted` were right. */
  speculated?(drafted: number, accepted: number): Result;
  stepped?(step: EngineStep): Result;
  finished?(request: Request): Result;
}

/** Calls an observer for what happened. */
type Report = <Result>(observer: Observer<Result>) => Result | undefined;

interface Scheduled {
  readonly request: Request;
  readonly tokens: number;
  readonly decodes: boolean;
}

interface RunningStep {
  readonly start: number;
  readonly end: number;
  readonly work: readonly Scheduled[];
}

export const BLOCK_SIZE = 16;
export const MAX_BATCHED_TOKENS = 2048;
export const MAX_NUM_SEQS = 64;
export const MAX_MODEL_LEN = 8192;
export const MIN_KV_BLOCKS = 16;
/** Chance that a draft token holds, if all before it did. */
const ACCEPTANCE = 0.6;
/** How many times as long a step takes while the server is cold. */
const COLD = 3;

/**
 * Seconds: of a step by itself, per sequence decoded, per prompt token, per token of context. Those of an 8 B model on
 * one large GPU.
 */
const COST = { step: 0.01, sequence: 0.00012, promptToken: 0.00003, contextToken: 0.0000001 };

/**
 * A discrete-event model of one inference server with continuous batching, after the scheduler of vLLM V1: every step
 * decodes all running sequences and spends the rest of its token budget on prompts in order of arrival; a sequence that
 * finds no free KV block preempts the one that came last, which then computes its tokens anew. Everything reported
 * comes from the same requests, so that requests and tokens are conserved.
 */
export class Simulation {
  readonly options: SimulationOptions;
  readonly running: Request[] = [];
  readonly waiting: Request[] = [];
  /** Requests whose KV blocks never come. */
  readonly lost: Request[] = [];
  /** Simulated time, seconds. */
  now = 0;
  usedBlocks = 0;
  /** Seconds the model was at work. */
  busySeconds = 0;
  private readonly workload: Workload;
  private readonly noise: Random;
  private readonly losses: Random;
  /** By what they want to hear: of all that happens most is a token, of which few want to. */
  private readonly observers: Readonly<Record<keyof Observer, ((report: Report) => void)[]>> = {
    arrived: [],
    scheduled: [],
    preempted: [],
    firstToken: [],
    tokens: [],
    speculated: [],
    stepped: [],
    finished: [],
  };
  private readonly knownPrefixes = new Set<number>();
  private step: RunningStep | undefined;

  constructor(options: SimulationOptions) {
    this.options = options;
    // Drafts need room, too: a single sequence must always fit, or the server could not go on.
    if (!Number.isInteger(options.kvBlocks) || options.kvBlocks < MIN_KV_BLOCKS)
      throw new RangeError(`the KV cache of the demo needs at least ${MIN_KV_BLOCKS} blocks, not ${options.kvBlocks}`);
    if (!(options.rate > 0)) throw new RangeError(`the demo needs a rate above 0 requests/s, not ${options.rate}`);
    const maxLength = Math.min(MAX_MODEL_LEN, options.kvBlocks * BLOCK_SIZE - options.draftTokens - 1);
    this.workload = new Workload({ ...options.workload, seed: options.seed, rate: options.rate, maxLength });
    this.noise = seededRandom(options.seed, 2);
    this.losses = seededRandom(options.seed, 4);
  }

  /** @param take gets what the observer returns */
  observe(observer: Observer): void;
  observe<Result>(observer: Observer<Result>, take: (result: Result) => void): void;
  observe<Result>(observer: Observer<Result>, take?: (result: Result) => void): void {
    const told = (report: Report) => {
      const result = report(observer);
      if (result !== undefined) take?.(result);
    };
    for (const [event, observers] of Object.entries(this.observers)) if (event in observer) observers.push(told);
  }

  private report(event: keyof Observer, report: Report): void {
    for (const observer of this.observers[event]) observer(report);
  }

  /** Share of the KV cache in use, 0 to 1. */
  get kvUsage(): number {
    return this.usedBlocks / this.options.kvBlocks;
  }

  /** Lets everything happen up to `time` (seconds from the start); a time in the past changes nothing. */
  advanceTo(time: number): void {
    for (;;) {
      if (this.step === undefined) {
        if (this.running.length === 0 && this.waiting.length === 0) {
          if (this.nextArrival > time) break;
          this.arrive();
        }
        this.step = this.startStep();
      }
      const { end } = this.step;
      while (this.nextArrival <= Math.min(end, time)) this.arrive();
      if (end > time) break;
      this.now = end;
      this.complete(this.step);
      this.step = undefined;
    }
    this.now = Math.max(this.now, time);
  }

  /** When the next request can be queued: its KV blocks may come from elsewhere first. */
  private get nextArrival(): number {
    return this.workload.nextArrival + (this.options.transferSeconds ?? 0);
  }

  private arrive(): void {
    this.now = this.nextArrival;
    const request = this.workload.take();
    request.transfer = this.options.transferSeconds ?? 0;
    const isLost = this.losses() < (this.options.lostLoads ?? 0);
    (isLost ? this.lost : this.waiting).push(request);
    this.report("arrived", (observer) => observer.arrived?.(request));
  }

  private startStep(): RunningStep {
    const start = this.now;
    const work: Scheduled[] = [];
    let budget = MAX_BATCHED_TOKENS;
    let preempted = false;
    // Preemption takes from the end, so the list may become shorter while it is walked.
    for (let i = 0; i < this.running.length && budget > 0; i++) {
      const request = this.running[i];
      if (request === undefined) break;
      const decodes = mayDecode(request);
      const tokens = decodes ? 1 + this.options.draftTokens : Math.min(targetOf(request) - request.computed, budget);
      while (!this.allocate(request, request.computed + tokens)) {
        preempted = true;
        if (this.preemptLast() === request) break;
      }
      if (this.running[i] !== request) break;
      work.push({ request, tokens, decodes });
      budget -= tokens;
    }
    while (!preempted && budget > 0 && this.running.length < MAX_NUM_SEQS) {
      const request = this.waiting[0];
      if (request === undefined || !this.allocate(request, targetOf(request))) break;
      this.waiting.shift();
      this.running.push(request);
      this.lookUpPrefix(request);
      const tokens = Math.min(targetOf(request) - request.computed, budget);
      work.push({ request, tokens, decodes: false });
      budget -= tokens;
    }
    return { start, end: this.endOf(start, this.duration(work)), work };
  }

  /** When a step ends that takes so long on a warm server without pauses. */
  private endOf(start: number, seconds: number): number {
    const { coldSeconds = 0, pauses } = this.options;
    const end = start + seconds * (start < coldSeconds ? COLD : 1);
    if (pauses === undefined) return end;
    const { everySeconds } = pauses;
    return Math.floor(end / everySeconds) > Math.floor(start / everySeconds) ? end + pauses.seconds : end;
  }

  /** Makes the request hold blocks for `tokens`; false when the cache has too few left. */
  private allocate(request: Request, tokens: number): boolean {
    const more = Math.ceil(tokens / BLOCK_SIZE) - request.blocks;
    if (more > this.options.kvBlocks - this.usedBlocks) return false;
    if (more > 0) {
      request.blocks += more;
      this.usedBlocks += more;
    }
    return true;
  }

  private release(request: Request): void {
    this.usedBlocks -= request.blocks;
    request.blocks = 0;
    request.computed = 0;
  }

  private preemptLast(): Request | undefined {
    const request = this.running.pop();
    if (request === undefined) return undefined;
    this.release(request);
    request.preemptions++;
    this.waiting.unshift(request);
    this.report("preempted", (observer) => observer.preempted?.(request));
    return request;
  }

  /**
   * A shared prefix is in the cache once someone has computed it, but for the more often evicted the fuller the cache
   * is.
   */
  private lookUpPrefix(request: Request): void {
    const evicted = this.noise() < 0.5 * this.kvUsage ** 4;
    const known = this.knownPrefixes.has(request.prefixTokens) && !evicted;
    this.knownPrefixes.add(request.prefixTokens);
    const cached = known ? Math.floor(request.prefixTokens / BLOCK_SIZE) * BLOCK_SIZE : 0;
    request.computed = cached;
    if (request.scheduled !== undefined) return;
    request.scheduled = this.now;
    request.cachedTokens = cached;
    this.report("scheduled", (observer) => observer.scheduled?.(request));
  }

  private duration(work: readonly Scheduled[]): number {
    let cost = COST.step;
    for (const { request, tokens, decodes } of work)
      cost += (decodes ? COST.sequence : tokens * COST.promptToken) + request.computed * COST.contextToken;
    return cost * (0.96 + 0.08 * this.noise());
  }

  private complete({ start, end, work }: RunningStep): void {
    let prefillTokens = 0;
    let generatedTokens = 0;
    for (const { request, tokens, decodes } of work) {
      const before = request.generated;
      if (decodes) {
        this.decode(request);
      } else {
        prefillTokens += tokens;
        request.computed += tokens;
        if (request.computed < targetOf(request)) continue;
        request.generated++;
      }
      const count = request.generated - before;
      generatedTokens += count;
      this.emit(request, count);
      if (request.generated >= request.outputTokens) this.finish(request);
    }
    this.busySeconds += end - start;
    this.report("stepped", (observer) => observer.stepped?.({ start, end, prefillTokens, generatedTokens }));
  }

  private decode(request: Request): void {
    const drafted = this.options.draftTokens;
    let accepted = 0;
    while (accepted < drafted && this.noise() < ACCEPTANCE) accepted++;
    if (drafted > 0) this.report("speculated", (observer) => observer.speculated?.(drafted, accepted));
    const count = Math.min(1 + accepted, request.outputTokens - request.generated);
    request.generated += count;
    request.computed += count;
  }

  private emit(request: Request, count: number): void {
    const { now } = this;
    const { lastToken } = request;
    if (request.firstToken === undefined || lastToken === undefined) {
      request.firstToken = now;
      this.report("firstToken", (observer) => observer.firstToken?.(request));
    } else {
      this.report("tokens", (observer) => observer.tokens?.(request, count, now - lastToken));
    }
    request.lastToken = now;
  }

  private finish(request: Request): void {
    request.finished = this.now;
    this.running.splice(this.running.indexOf(request), 1);
    this.release(request);
    this.report("finished", (observer) => observer.finished?.(request));
  }
}

/**
 * Tokens to compute before the next can be generated: the prompt, and after a preemption all that was generated before.
 */
function targetOf(request: Request): number {
  return request.promptTokens + request.generated;
}

/** Is everything but its newest token in the cache? */
function mayDecode(request: Request): boolean {
  return request.generated > 0 && request.computed === targetOf(request) - 1;
}
