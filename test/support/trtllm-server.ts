import { respond, serve, type TestServer } from "./faulty-server.js";

export interface Iteration {
  readonly iter: number;
  readonly iterLatencyMS: number;
  readonly numActiveRequests: number;
  readonly numCompletedRequests: number;
  readonly usedNumBlocks: number;
  readonly reusedBlocks: number;
}

/** A record as trtllm-serve answers it, with a field that this version does not know. */
function record({ usedNumBlocks, reusedBlocks, ...rest }: Iteration): object {
  return {
    timestamp: "11-20-2026 10:00:00.000000",
    ...rest,
    numQueuedRequests: 3,
    gpuMemUsage: 76_665_782_272,
    hostStepTimeMS: 0.5,
    kvCacheStats: {
      allocNewBlocks: 3126,
      allocTotalBlocks: 3126,
      cacheHitRate: 0.5,
      freeNumBlocks: 100 - usedNumBlocks,
      maxNumBlocks: 100,
      missedBlocks: 10,
      reusedBlocks,
      tokensPerBlock: 32,
      usedNumBlocks,
    },
    kvCacheIterationStats: { 4096: { iterReusedBlocks: 1, iterMissedBlocks: 2 }, 8192: { iterReusedBlocks: 3 } },
    inflightBatchingStats: { numContextRequests: 1, numGenRequests: 2, numScheduledRequests: 3, numQueuedCtxTokens: 7 },
    specDecodingStats: { numDraftTokens: 20, numAcceptedTokens: 15 },
  };
}

/** Stands in for trtllm-serve: its queues are empty after they have been read, and its routes know one method. */
export class TrtllmServer {
  private iterations: object[] = [];
  /** Every record that was ever taken, in order. */
  readonly taken: object[] = [];
  requests: object[] = [];
  cacheEvents: object[] = [];
  /** What its steady clock is behind the clock of this machine, seconds. */
  readonly clockOffset = 1_000_000;
  private server: TestServer | undefined;

  static async start(): Promise<TrtllmServer> {
    const trtllm = new TrtllmServer();
    trtllm.server = await serve((request, response) => {
      const json = (value: unknown) => respond(response, 200, "application/json", JSON.stringify(value));
      switch (`${request.method} ${request.url}`) {
        case "GET /metrics": {
          const records = trtllm.iterations.splice(0);
          trtllm.taken.push(...records);
          return json(records);
        }
        case "GET /perf_metrics":
          return json(trtllm.requests.splice(0));
        case "POST /kv_cache_events":
          return json(trtllm.cacheEvents.splice(0));
        case "GET /steady_clock_offset": {
          const now = trtllm.steady(Date.now());
          return json({ receive_ts: now, transmit_ts: now });
        }
        default: {
          const known = ["/metrics", "/perf_metrics", "/kv_cache_events"].includes(request.url ?? "");
          return respond(response, known ? 405 : 404, "application/json", '{"detail":"Not Found"}');
        }
      }
    });
    return trtllm;
  }

  get origin(): string {
    return this.server?.origin ?? "";
  }

  get asked(): readonly string[] {
    return this.server?.requests ?? [];
  }

  /** Seconds of its steady clock. */
  steady(epochMs: number): number {
    return epochMs / 1000 - this.clockOffset;
  }

  iterate(iteration: Iteration): void {
    this.iterations.push(record(iteration));
  }

  close(): Promise<void> | undefined {
    return this.server?.close();
  }
}
