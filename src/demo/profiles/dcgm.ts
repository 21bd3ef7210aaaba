import { MetricsPage } from "./families.js";
import type { Simulation } from "../simulation.js";
import { Gpu, GPU_MEMORY_MIB, GPU_MEMORY_USED_MIB, GPU_UUID, type GpuReading } from "./gpu.js";
import { KV_BYTES_PER_TOKEN } from "./vllm-kv.js";

const LABELS = {
  modelName: "NVIDIA H100 80GB HBM3",
  Hostname: "demo",
  DCGM_FI_DRIVER_VERSION: "580.95.05",
};
/** The model's layers are split over both; the second one sits in the colder air. */
const GPUS = [
  { gpu: "0", UUID: GPU_UUID, pci_bus_id: "00000000:0D:00.0", device: "nvidia0" },
  { gpu: "1", UUID: "GPU-9d4fe1ff-e2cf-4d36-a0a6-10bd6c1ab6cd", pci_bus_id: "00000000:B4:00.0", device: "nvidia1" },
] as const;
const CELSIUS_APART = 4;
const MEMORY_CELSIUS = 7;
const MHZ = { idle: 345, least: 1980, memory: 2619 };
/** Bytes of activations that a token sends to the other GPU. */
const NVLINK_BYTES_PER_TOKEN = 524_288;

/** dcgm-exporter of the two GPUs that the simulated server runs on. */
export function dcgm(simulation: Simulation): MetricsPage {
  const exporter = new MetricsPage(LABELS);
  const names = Object.keys(GPUS[0]);
  const shown: ((reading: GpuReading) => void)[] = [];
  const family =
    (type: "gauge" | "counter") => (name: string, help: string, of: (reading: GpuReading, gpu: number) => number) => {
      const put = exporter[type](`DCGM_FI_${name}`, help, names);
      shown.push((reading) => GPUS.forEach((labels, i) => put(of(reading, i), labels)));
    };
  const [gauge, counter] = [family("gauge"), family("counter")];
  const none = () => 0;
  const decode = ({ busy, prefill }: GpuReading) => busy - prefill;
  const clock = ({ busy, heldBack }: GpuReading) =>
    busy > 0 ? Math.round(MHZ.least * Math.cbrt(1 - heldBack)) : MHZ.idle;
  const nvlink = ({ tokensPerSecond }: GpuReading) => tokensPerSecond * NVLINK_BYTES_PER_TOKEN;
  gauge("DEV_SM_CLOCK", "SM clock frequency (in MHz).", clock);
  gauge("DEV_MEM_CLOCK", "Memory clock frequency (in MHz).", () => MHZ.memory);
  gauge("DEV_GPU_TEMP", "GPU temperature (in C).", ({ celsius }, i) => Math.round(celsius - i * CELSIUS_APART));
  gauge("DEV_MEMORY_TEMP", "Memory temperature (in C).", ({ celsius }, i) =>
    Math.round(celsius + MEMORY_CELSIUS - i * CELSIUS_APART),
  );
  gauge("DEV_POWER_USAGE", "Power draw (in W).", ({ watts }) => watts);
  counter("DEV_TOTAL_ENERGY_CONSUMPTION", "Total energy consumption since boot (in mJ).", ({ joules }) =>
    Math.round(joules * 1000),
  );
  gauge("DEV_GPU_UTIL", "GPU utilization (in %).", ({ busy }) => Math.round(busy * 100));
  gauge("DEV_MEM_COPY_UTIL", "Memory utilization (in %).", (reading) =>
    Math.round((0.25 * reading.prefill + 0.6 * decode(reading)) * 100),
  );
  gauge("DEV_FB_USED", "Framebuffer memory used (in MiB).", () => GPU_MEMORY_USED_MIB);
  gauge("DEV_FB_FREE", "Framebuffer memory free (in MiB).", () => GPU_MEMORY_MIB - GPU_MEMORY_USED_MIB);
  gauge("PROF_GR_ENGINE_ACTIVE", "Ratio of time the graphics engine is active.", ({ busy }) => 0.98 * busy);
  // Prompts fill the tensor cores; single tokens wait for memory.
  const active = (name: string, help: string, prompts: number, tokens: number) =>
    gauge(`PROF_${name}_ACTIVE`, help, (reading) => prompts * reading.prefill + tokens * decode(reading));
  active("SM", "The ratio of cycles an SM has at least 1 warp assigned.", 0.9, 0.6);
  active("PIPE_TENSOR", "Ratio of cycles the tensor (HMMA) pipe is active.", 0.5, 0.07);
  active("DRAM", "Ratio of cycles the device memory interface is active sending or receiving data.", 0.35, 0.72);
  const transferred = (name: string, help: string, of: (reading: GpuReading) => number) =>
    gauge(`PROF_${name}_BYTES`, `The rate of data ${help}, in bytes per second.`, of);
  transferred(
    "PCIE_TX",
    "transmitted over the PCIe bus",
    ({ tokensPerSecond }) => (tokensPerSecond * KV_BYTES_PER_TOKEN) / GPUS.length,
  );
  transferred("PCIE_RX", "received over the PCIe bus", ({ tokensPerSecond }) => tokensPerSecond * 4);
  transferred("NVLINK_TX", "transmitted over NVLink", nvlink);
  transferred("NVLINK_RX", "received over NVLink", nvlink);
  counter("DEV_POWER_VIOLATION", "Throttling duration due to power constraints (in ns).", ({ seconds, heldBack }) =>
    Math.round(seconds * heldBack * 1e9),
  );
  gauge("DEV_ENC_UTIL", "Encoder utilization (in %).", none);
  gauge("DEV_DEC_UTIL", "Decoder utilization (in %).", none);
  counter("DEV_THERMAL_VIOLATION", "Throttling duration due to thermal constraints (in ns).", none);
  counter("DEV_PCIE_REPLAY_COUNTER", "Total number of PCIe retries.", none);
  counter("DEV_UNCORRECTABLE_REMAPPED_ROWS", "Number of remapped rows for uncorrectable errors", none);
  counter("DEV_CORRECTABLE_REMAPPED_ROWS", "Number of remapped rows for correctable errors", none);
  gauge("DEV_ROW_REMAP_FAILURE", "Whether remapping of rows has failed", none);
  gauge("DEV_XID_ERRORS", "Value of the last XID error encountered.", none);
  const gpu = new Gpu(simulation);
  exporter.beforeExposition(() => {
    const reading = gpu.read();
    for (const show of shown) show(reading);
  });
  return exporter;
}
