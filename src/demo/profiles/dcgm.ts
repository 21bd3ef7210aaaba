import { MetricsPage } from "./families.js";
import type { Simulation } from "../simulation.js";
import { Gpu, GPU_MEMORY_MIB, GPU_MEMORY_USED_MIB, GPU_UUID } from "./gpu.js";
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
  const gauge = (name: string, help: string) => exporter.gauge(`DCGM_FI_${name}`, help, names);
  const counter = (name: string, help: string) => exporter.counter(`DCGM_FI_${name}`, help, names);
  const clock = gauge("DEV_SM_CLOCK", "SM clock frequency (in MHz).");
  const memoryClock = gauge("DEV_MEM_CLOCK", "Memory clock frequency (in MHz).");
  const temperature = gauge("DEV_GPU_TEMP", "GPU temperature (in C).");
  const memoryTemperature = gauge("DEV_MEMORY_TEMP", "Memory temperature (in C).");
  const power = gauge("DEV_POWER_USAGE", "Power draw (in W).");
  const energy = counter("DEV_TOTAL_ENERGY_CONSUMPTION", "Total energy consumption since boot (in mJ).");
  const utilization = gauge("DEV_GPU_UTIL", "GPU utilization (in %).");
  const copying = gauge("DEV_MEM_COPY_UTIL", "Memory utilization (in %).");
  const used = gauge("DEV_FB_USED", "Framebuffer memory used (in MiB).");
  const free = gauge("DEV_FB_FREE", "Framebuffer memory free (in MiB).");
  const engine = gauge("PROF_GR_ENGINE_ACTIVE", "Ratio of time the graphics engine is active.");
  const multiprocessors = gauge("PROF_SM_ACTIVE", "The ratio of cycles an SM has at least 1 warp assigned.");
  const tensor = gauge("PROF_PIPE_TENSOR_ACTIVE", "Ratio of cycles the tensor (HMMA) pipe is active.");
  const dram = gauge(
    "PROF_DRAM_ACTIVE",
    "Ratio of cycles the device memory interface is active sending or receiving data.",
  );
  const sent = gauge("PROF_PCIE_TX_BYTES", "The rate of data transmitted over the PCIe bus, in bytes per second.");
  const received = gauge("PROF_PCIE_RX_BYTES", "The rate of data received over the PCIe bus, in bytes per second.");
  const nvlinkSent = gauge("PROF_NVLINK_TX_BYTES", "The rate of data transmitted over NVLink, in bytes per second.");
  const nvlinkReceived = gauge("PROF_NVLINK_RX_BYTES", "The rate of data received over NVLink, in bytes per second.");
  const powerViolation = counter("DEV_POWER_VIOLATION", "Throttling duration due to power constraints (in ns).");
  const nothing = [
    gauge("DEV_ENC_UTIL", "Encoder utilization (in %)."),
    gauge("DEV_DEC_UTIL", "Decoder utilization (in %)."),
    counter("DEV_THERMAL_VIOLATION", "Throttling duration due to thermal constraints (in ns)."),
    counter("DEV_PCIE_REPLAY_COUNTER", "Total number of PCIe retries."),
    counter("DEV_UNCORRECTABLE_REMAPPED_ROWS", "Number of remapped rows for uncorrectable errors"),
    counter("DEV_CORRECTABLE_REMAPPED_ROWS", "Number of remapped rows for correctable errors"),
    gauge("DEV_ROW_REMAP_FAILURE", "Whether remapping of rows has failed"),
    gauge("DEV_XID_ERRORS", "Value of the last XID error encountered."),
  ];
  const gpu = new Gpu(simulation);
  exporter.beforeExposition(() => {
    const { seconds, busy, prefill, tokensPerSecond, watts, joules, celsius, heldBack } = gpu.read();
    const decode = busy - prefill;
    GPUS.forEach((labels, i) => {
      clock(busy > 0 ? Math.round(MHZ.least * Math.cbrt(1 - heldBack)) : MHZ.idle, labels);
      memoryClock(MHZ.memory, labels);
      temperature(Math.round(celsius - i * CELSIUS_APART), labels);
      memoryTemperature(Math.round(celsius + MEMORY_CELSIUS - i * CELSIUS_APART), labels);
      power(watts, labels);
      energy(Math.round(joules * 1000), labels);
      utilization(Math.round(busy * 100), labels);
      copying(Math.round((0.25 * prefill + 0.6 * decode) * 100), labels);
      used(GPU_MEMORY_USED_MIB, labels);
      free(GPU_MEMORY_MIB - GPU_MEMORY_USED_MIB, labels);
      engine(0.98 * busy, labels);
      // Prompts fill the tensor cores; single tokens wait for memory.
      multiprocessors(0.9 * prefill + 0.6 * decode, labels);
      tensor(0.5 * prefill + 0.07 * decode, labels);
      dram(0.35 * prefill + 0.72 * decode, labels);
      sent((tokensPerSecond * KV_BYTES_PER_TOKEN) / GPUS.length, labels);
      received(tokensPerSecond * 4, labels);
      nvlinkSent(tokensPerSecond * NVLINK_BYTES_PER_TOKEN, labels);
      nvlinkReceived(tokensPerSecond * NVLINK_BYTES_PER_TOKEN, labels);
      powerViolation(Math.round(seconds * heldBack * 1e9), labels);
      for (const set of nothing) set(0, labels);
    });
  });
  return exporter;
}
