import { counter, gauge, histogram } from "../define.js";

const S = { unit: "seconds", group: "Latency", direction: "down" } as const;
const LORA = { group: "Queue and batch" } as const;

/** SGLang's server of image and video models. */
export const diffusionFamilies = {
  "sglang:diffusion_num_running_reqs": gauge("Generations running", { unit: "requests", group: "Queue and batch" }),
  "sglang:diffusion_num_queue_reqs": gauge("Generations waiting", {
    unit: "requests",
    group: "Queue and batch",
    direction: "down",
  }),
  "sglang:diffusion_requests": counter("Generations finished", {
    unit: "requests",
    group: "Throughput",
    direction: "up",
    hint: "By status; those of the warm-up carry is_warmup.",
  }),
  "sglang:diffusion_request_latency_seconds": histogram("Generation latency", {
    ...S,
    hint: "From acceptance by the scheduler, without encoding and sending of the result.",
  }),
  "sglang:diffusion_queue_time_seconds": histogram("Generation queue time", S),
  "sglang:diffusion_generation_batch_size": histogram("Generation batch size", {
    unit: "requests",
    group: "Queue and batch",
  }),
  "sglang:diffusion_stage_host_latency_seconds": histogram("Generation stage, time on the host", {
    ...S,
    hint: "By stage. Work on the GPU may end in a later one.",
  }),
  "sglang:diffusion_lora_loaded_adapters": gauge("LoRA adapters loaded", LORA),
  "sglang:diffusion_lora_active_adapters": gauge("LoRA adapters active", LORA),
  "sglang:diffusion_lora_active_modules": gauge("Modules with a LoRA adapter", LORA),
  "sglang:diffusion_lora_module_active": gauge("LoRA adapter of a module", LORA),
};
