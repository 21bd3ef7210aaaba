/** Servers that can be simulated. Beside the profiles themselves, which belong to the demo's own worker. */
export const DEMO_PROFILES = ["vllm", "sglang", "trtllm", "dynamo", "triton", "dcgm"] as const;
export type DemoProfile = (typeof DEMO_PROFILES)[number];
