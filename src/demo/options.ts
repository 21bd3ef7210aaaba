import { PROFILES } from "./profiles/index.js";
import type { DemoProfile } from "./profiles/names.js";
import { Simulation, type SimulationOptions } from "./simulation.js";

export interface DemoOptions {
  /** Default: vllm. */
  readonly profile?: DemoProfile;
  /** Same seed, same requests. Default: 1. */
  readonly seed?: number;
  /** Size of the KV cache in blocks of 16 tokens. The default is just too small for the peak of the load. */
  readonly kvBlocks?: number;
  /** Mean requests per second over the two minutes in which the load rises and falls. */
  readonly rate?: number;
  /** What is asked and what else befalls the server, where it is not the usual. */
  readonly special?: Omit<SimulationOptions, "seed" | "kvBlocks" | "rate" | "draftTokens">;
  /** The process begins anew after this many seconds of the recording or of serving. */
  readonly restartAfterSeconds?: number;
  /** From then on every answer is the same. */
  readonly freezeAfterSeconds?: number;
  /** The server does not answer for so long at the end of each such stretch of time. */
  readonly outage?: { readonly everySeconds: number; readonly seconds: number };
  /** Values change only so often, however often they are asked for. */
  readonly refreshSeconds?: number;
  /** Histograms have no bounds but powers of ten. */
  readonly coarseBuckets?: boolean;
}

/** Simulated seconds before the first scrape: the load is rising by then, and no counter stands at zero. */
export const LEAD_SECONDS = 25;

const DEFAULT_KV_BLOCKS = 2200;
/** What the simulated server can just not keep up with at the peak, which is 1.9 times the mean. */
const DEFAULT_RATE = { speculative: 12, plain: 7 };

/** @throws RangeError for a KV cache or rate that no server can have. */
export function simulate(options: DemoOptions): { readonly profile: DemoProfile; readonly simulation: Simulation } {
  const { profile = "vllm", seed = 1, kvBlocks = DEFAULT_KV_BLOCKS } = options;
  const { draftTokens } = PROFILES[profile];
  const { rate = draftTokens > 0 ? DEFAULT_RATE.speculative : DEFAULT_RATE.plain } = options;
  const simulation = new Simulation({ ...options.special, seed, kvBlocks, rate, draftTokens });
  return { profile, simulation };
}
