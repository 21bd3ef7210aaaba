/* Bucket bounds as the servers' own sources have them, in the unit of their family. */

/** vLLM and TensorRT-LLM: phases of a request. */
export const REQUEST_SECONDS = [
  0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680,
];
export const TTFT_SECONDS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560,
];
export const TOKEN_SECONDS = [
  0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80,
];
export const ITERATION_TOKENS = [1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384];

/** Sizes of KV transfers to and from offload storage. */
export const OFFLOAD_BYTES = [1e6, 5e6, 10e6, 20e6, 40e6, 60e6, 80e6, 100e6, 150e6, 200e6];
/** How long KV blocks stay. */
export const RESIDENCY_SECONDS = [
  0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800,
];

/** 1, 2, 5, 10, … up to the longest sequence. */
export function oneTwoFive(max: number): number[] {
  const bounds: number[] = [];
  for (let power = 1; power <= max; power *= 10)
    bounds.push(...[1, 2, 5].map((n) => n * power).filter((n) => n <= max));
  return bounds;
}

export const SGLANG_TTFT_SECONDS = [0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 20, 40, 60, 80, 100, 200, 400];
export const SGLANG_E2E_SECONDS = [...SGLANG_TTFT_SECONDS, 600, 1200, 1800, 2400];
export const SGLANG_ITL_SECONDS = [
  0.002, 0.004, 0.006, 0.008, 0.01, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04, 0.06, 0.08, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4,
  6, 8,
];
export const SGLANG_QUEUE_SECONDS = [
  0, 0.1, 0.2, 0.5, 1, 2, 3, 4, 5, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100, 200, 300, 400, 500, 600, 700, 800, 900,
  1000, 1200, 1400, 1600, 1800, 2000, 2500, 3000,
];
export const SGLANG_GRAMMAR_SECONDS = [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 90, 120, 240];
/** From 1 ms, each 1.62 times the one before. */
export const SGLANG_STAGE_SECONDS = Array.from({ length: 30 }, (_, i) => 0.001 * 1.62 ** i);
export const SGLANG_RETRACTIONS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 75, 100];

export const FRONTEND_INPUT_TOKENS = [0, 100, 210, 430, 870, 1800, 3600, 7400, 15000, 31000, 63000, 130000];
export const FRONTEND_OUTPUT_TOKENS = [0, 100, 210, 430, 880, 1800, 3700, 7600, 16000, 32000];
export const FRONTEND_ITL_SECONDS = [0, 0.0019, 0.0035, 0.0067, 0.013, 0.024, 0.045, 0.084, 0.16, 0.3, 0.56, 1.1, 2];
export const FRONTEND_TTFT_SECONDS = [
  0, 0.0022, 0.0047, 0.01, 0.022, 0.047, 0.1, 0.22, 0.47, 1, 2.2, 4.7, 10, 22, 48, 100, 220, 480,
];
export const FRONTEND_DURATION_SECONDS = [0, 1.9, 3.4, 6.3, 12, 22, 40, 75, 140, 260];
export const COMPONENT_DURATION_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** prometheus-fastapi-instrumentator: by handler, and over all of them. */
export const HTTP_SECONDS = [0.1, 0.5, 1];
export const HTTP_FINE_SECONDS = [
  0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 7.5, 10, 30, 60,
];

export const TOKENIZER_MS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100];
export const STAGE_SECONDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** Triton's own bounds. */
export const TRITON_FIRST_RESPONSE_MS = [100, 500, 2000, 5000];
