import type { MetricsPage } from "./families.js";
import type { Simulation } from "../simulation.js";
import { dcgm } from "./dcgm.js";
import { dynamo } from "./dynamo.js";
import type { DemoProfile } from "./names.js";
import { sglang } from "./sglang.js";
import { triton } from "./triton.js";
import { iterationStats, trtllm } from "./trtllm.js";
import { vllm, vllmAnswers } from "./vllm.js";

/** How a profile shows a simulation to the world. */
export interface Profile {
  /** Registers its families; `startSeconds` is the epoch time at which the simulation's clock stood at 0. */
  readonly expose: (simulation: Simulation, startSeconds: number) => MetricsPage;
  /** Where the exposition is served. */
  readonly path: string;
  /** What /metrics serves when the exposition is elsewhere. */
  readonly json?: (simulation: Simulation) => string;
  /** What other paths of the server answer of it, as JSON. */
  readonly describe?: (simulation: Simulation) => Readonly<Record<string, object>>;
  /** Draft tokens of speculative decoding. */
  readonly draftTokens: number;
}

export const PROFILES: Readonly<Record<DemoProfile, Profile>> = {
  vllm: { expose: vllm, path: "/metrics", describe: vllmAnswers, draftTokens: 3 },
  sglang: { expose: sglang, path: "/metrics", draftTokens: 0 },
  trtllm: { expose: trtllm, path: "/prometheus/metrics", json: iterationStats, draftTokens: 0 },
  dynamo: { expose: dynamo, path: "/metrics", draftTokens: 0 },
  triton: { expose: triton, path: "/metrics", draftTokens: 0 },
  dcgm: { expose: dcgm, path: "/metrics", draftTokens: 0 },
};
