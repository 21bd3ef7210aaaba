import { LEAD_SECONDS, type DemoOptions } from "./options.js";

/** A server of a scenario; several have ports one after the other. */
export type ScenarioServer = Omit<DemoOptions, "seed">;

/** Room for every request, so that only what a scenario is about limits it. */
const AMPLE = 20_000;

const HEALTHY: ScenarioServer = { rate: 8, kvBlocks: AMPLE, special: { workload: { swing: 0.2 } } };

const withWorkload = (
  workload: NonNullable<DemoOptions["special"]>["workload"],
): NonNullable<DemoOptions["special"]> => ({
  workload: { swing: 0.2, ...workload },
});

/** States that a server can be in, by name: what findings are tried on. */
export const SCENARIOS = {
  healthy: [HEALTHY],
  "client-bound": [{ ...HEALTHY, rate: 0.4 }],
  saturated: [{ ...HEALTHY, rate: 45 }],
  "kv-pressure": [{ rate: 20, kvBlocks: 1000, special: withWorkload({}) }],
  preemption: [{ rate: 6, kvBlocks: 700, special: withWorkload({ questionTokens: 60, answerTokens: 500 }) }],
  "prefill-heavy": [{ rate: 4, kvBlocks: AMPLE, special: withWorkload({ questionTokens: 3000, answerTokens: 60 }) }],
  transfer: [{ ...HEALTHY, special: { ...withWorkload({}), transferSeconds: 0.4 } }],
  "low-prefix-hits": [{ ...HEALTHY, special: withWorkload({ longestPrefix: 32, questionTokens: 500 }) }],
  errors: [{ ...HEALTHY, special: withWorkload({ errorShare: 0.08 }) }],
  leak: [{ ...HEALTHY, special: { ...withWorkload({}), leakBytesPerSecond: 30_000_000 } }],
  gap: [{ ...HEALTHY, outage: { everySeconds: 20, seconds: 4 } }],
  frozen: [{ ...HEALTHY, freezeAfterSeconds: 25 }],
  "coarse-interval": [{ ...HEALTHY, refreshSeconds: 10 }],
  restart: [{ ...HEALTHY, restartAfterSeconds: 30 }],
  "warm-up-short": [{ ...HEALTHY, special: { ...withWorkload({}), coldSeconds: LEAD_SECONDS + 15 } }],
  tail: [{ ...HEALTHY, special: { ...withWorkload({}), pauses: { everySeconds: 30, seconds: 1.5 } } }],
  "coarse-buckets": [{ ...HEALTHY, coarseBuckets: true }],
  throttled: [HEALTHY, { ...HEALTHY, profile: "dcgm", special: { ...withWorkload({}), powerLimitWatts: 450 } }],
  "stuck-kv-loads": [{ ...HEALTHY, special: { ...withWorkload({}), lostLoads: 0.02 } }],
  imbalanced: [
    { ...HEALTHY, rate: 2 },
    { ...HEALTHY, rate: 2 },
    { ...HEALTHY, rate: 7 },
  ],
  fleet: [HEALTHY, HEALTHY, HEALTHY, { ...HEALTHY, profile: "sglang" }, { ...HEALTHY, profile: "trtllm" }],
} as const satisfies Readonly<Record<string, readonly ScenarioServer[]>>;

export type ScenarioName = keyof typeof SCENARIOS;

export const SCENARIO_NAMES: readonly ScenarioName[] = Object.keys(SCENARIOS).filter(
  (name): name is ScenarioName => name in SCENARIOS,
);

/** Servers of a scenario, each with a seed of its own. */
export function scenarioServers(name: ScenarioName, seed: number): readonly DemoOptions[] {
  return SCENARIOS[name].map((server, i) => ({ ...server, seed: seed + 1000 * i }));
}
