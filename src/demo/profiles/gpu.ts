import type { Simulation } from "../simulation.js";

/** A large GPU on which the simulated server runs. */
const WATTS = { idle: 110, limit: 700, busy: 520, prefill: 120 };
const CELSIUS = { idle: 31, perWatt: 0.062 };
/** How long it takes to warm up or cool down. */
const WARMING_SECONDS = 25;
export const GPU_MEMORY_MIB = 81_559;
/** Weights, and the KV cache, which is taken as a whole at the start. */
export const GPU_MEMORY_USED_MIB = 74_214;
export const GPU_POWER_LIMIT_WATTS = WATTS.limit;
/** From this share of the limit on it is met now and then, for so much of the time. */
const POWER_BOUND = { share: 0.93, heldBack: 0.02 };

/** Of the first GPU, as all its exporters name it. */
export const GPU_UUID = "GPU-5fd4f087-86f3-7a43-b711-4771313afc50";

/** What a GPU did since it was last looked at. */
export interface GpuReading {
  readonly seconds: number;
  /** Share of the time in which the model ran, and in which it computed prompts. */
  readonly busy: number;
  readonly prefill: number;
  /** Tokens per second, prompts and answers. */
  readonly tokensPerSecond: number;
  readonly watts: number;
  readonly joules: number;
  readonly celsius: number;
  /** Share of the time in which the power limit lowered its clock. */
  readonly heldBack: number;
}

/** Power, heat and use of a GPU, from what the simulation has it do. */
export class Gpu {
  private totals = { now: 0, busy: 0, prefill: 0, tokens: 0 };
  private before = this.totals;
  private celsius = CELSIUS.idle + CELSIUS.perWatt * WATTS.idle;
  private last: GpuReading | undefined;

  constructor(private readonly simulation: Simulation) {
    simulation.observe({
      stepped: ({ start, end, prefillTokens, generatedTokens }) => {
        const { now, busy, prefill, tokens } = this.totals;
        this.totals = {
          now,
          busy: busy + end - start,
          prefill: prefill + (prefillTokens > 0 ? end - start : 0),
          tokens: tokens + prefillTokens + generatedTokens,
        };
      },
    });
  }

  read(): GpuReading {
    const now = { ...this.totals, now: this.simulation.now };
    const seconds = now.now - this.before.now;
    if (seconds <= 0 && this.last !== undefined) return { ...this.last, seconds: 0, joules: 0 };
    const per = (key: "busy" | "prefill" | "tokens") => (seconds > 0 ? (now[key] - this.before[key]) / seconds : 0);
    const busy = Math.min(1, per("busy"));
    const prefill = Math.min(busy, per("prefill"));
    const tokensPerSecond = per("tokens");
    const limit = this.simulation.options.powerLimitWatts ?? WATTS.limit;
    const wanted = WATTS.idle + WATTS.busy * busy + WATTS.prefill * prefill;
    const watts = Math.min(limit, wanted);
    const nowAndThen = wanted > POWER_BOUND.share * limit ? POWER_BOUND.heldBack : 0;
    const target = CELSIUS.idle + CELSIUS.perWatt * watts;
    this.celsius += (target - this.celsius) * (1 - Math.exp(-seconds / WARMING_SECONDS));
    this.before = now;
    this.last = {
      seconds,
      busy,
      prefill,
      tokensPerSecond,
      watts,
      joules: watts * seconds,
      celsius: this.celsius,
      heldBack: Math.max(nowAndThen, 1 - limit / wanted),
    };
    return this.last;
  }
}
