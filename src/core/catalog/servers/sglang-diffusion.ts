import { counter, gauge, histogram } from "../define.js";

const S = "Latency: seconds, down";
const LORA = "Queue and batch:";

/** SGLang's server of image and video models. */
export const diffusionFamilies = {
  "sglang:diffusion_num_running_reqs": gauge("Generations running", "Queue and batch: requests"),
  "sglang:diffusion_num_queue_reqs": gauge("Generations waiting", "Queue and batch: requests, down"),
  "sglang:diffusion_requests": counter("Generations finished", "Throughput: requests, up", {
    hint: "By status; those of the warm-up carry is_warmup.",
  }),
  "sglang:diffusion_request_latency_seconds": histogram("Generation latency", S, {
    hint: "From acceptance by the scheduler, without encoding and sending of the result.",
  }),
  "sglang:diffusion_queue_time_seconds": histogram("Generation queue time", S),
  "sglang:diffusion_generation_batch_size": histogram("Generation batch size", "Queue and batch: requests"),
  "sglang:diffusion_stage_host_latency_seconds": histogram("Generation stage, time on the host", S, {
    hint: "By stage. Work on the GPU may end in a later one.",
  }),
  "sglang:diffusion_lora_loaded_adapters": gauge("LoRA adapters loaded", LORA),
  "sglang:diffusion_lora_active_adapters": gauge("LoRA adapters active", LORA),
  "sglang:diffusion_lora_active_modules": gauge("Modules with a LoRA adapter", LORA),
  "sglang:diffusion_lora_module_active": gauge("LoRA adapter of a module", LORA),
};
