export type FinishReason = "stop" | "length" | "abort" | "error";

/** One simulated request. Times are seconds from the start of the simulation; lengths are tokens. */
export interface Request {
  readonly id: number;
  readonly arrival: number;
  readonly promptTokens: number;
  /** Leading part of the prompt that other requests share. */
  readonly prefixTokens: number;
  readonly maxTokens: number;
  /** How many it will generate before it ends, for `finishReason`. */
  readonly outputTokens: number;
  readonly finishReason: FinishReason;
  /** Seconds from its arrival until its KV blocks are here and it can be queued. */
  transfer: number;
  /** Prompt tokens found in the prefix cache when it was first scheduled. */
  cachedTokens: number;
  /** Tokens whose keys and values are in the cache. */
  computed: number;
  generated: number;
  /** KV-cache blocks it holds. */
  blocks: number;
  preemptions: number;
  scheduled: number | undefined;
  firstToken: number | undefined;
  lastToken: number | undefined;
  finished: number | undefined;
}

/** Lengths of the phases of a finished request; transfer + queue + prefill + decode = e2e. */
export interface RequestTimes {
  readonly transfer: number;
  readonly queue: number;
  readonly prefill: number;
  readonly decode: number;
  readonly inference: number;
  readonly e2e: number;
}

/** @throws Error when the request has not finished. */
export function timesOf(request: Request): RequestTimes {
  const { arrival, transfer, scheduled, firstToken, finished } = request;
  if (scheduled === undefined || firstToken === undefined || finished === undefined)
    throw new Error(`request ${request.id} of the simulation has not finished`);
  return {
    transfer,
    queue: scheduled - arrival - transfer,
    prefill: firstToken - scheduled,
    decode: finished - firstToken,
    inference: finished - scheduled,
    e2e: finished - arrival,
  };
}

/** Seconds from its arrival; NaN before there is one. */
export function timeToFirstToken({ arrival, firstToken = NaN }: Request): number {
  return firstToken - arrival;
}

/** The mean of a finished request; undefined for a single token. */
export function timePerOutputToken(request: Request): number | undefined {
  return request.generated > 1 ? timesOf(request).decode / (request.generated - 1) : undefined;
}
