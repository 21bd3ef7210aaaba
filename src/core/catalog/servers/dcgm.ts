import type { ServerDefinition } from "../definition.js";

export const dcgm: ServerDefinition = {
  id: "dcgm",
  name: "DCGM",
  prefixes: ["DCGM_FI_"],
  keyMetrics: [
    { id: "dcgm.utilization", title: "GPU utilization", family: "DCGM_FI_DEV_GPU_UTIL", type: "gauge", statistic: "avg", direction: "neutral", unit: "percent" },
    { id: "dcgm.memory", title: "GPU memory used", family: "DCGM_FI_DEV_FB_USED", type: "gauge", statistic: "avg", direction: "neutral", unit: "megabytes" },
    { id: "dcgm.power", title: "GPU power", family: "DCGM_FI_DEV_POWER_USAGE", type: "gauge", statistic: "avg", direction: "neutral", unit: "watt" },
    { id: "dcgm.temperature", title: "GPU temperature", family: "DCGM_FI_DEV_GPU_TEMP", type: "gauge", statistic: "avg", direction: "neutral", unit: "celsius" },
    { id: "dcgm.clock", title: "SM clock", family: "DCGM_FI_DEV_SM_CLOCK", type: "gauge", statistic: "avg", direction: "neutral", unit: "megahertz" },
  ],
  types: {
    DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION: "counter",
    DCGM_FI_DEV_PCIE_REPLAY_COUNTER: "counter",
    DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL: "counter",
    DCGM_FI_DEV_FB_FREE: "gauge",
    DCGM_FI_DEV_MEM_CLOCK: "gauge",
    DCGM_FI_DEV_MEM_COPY_UTIL: "gauge",
    DCGM_FI_DEV_MEMORY_TEMP: "gauge",
    DCGM_FI_DEV_XID_ERRORS: "gauge",
  },
  renamed: {},
  groups: [{ group: "GPU", pattern: /^DCGM_FI_/ }],
  hints: [],
  enable: "Start dcgm-exporter; its metrics are at /metrics of port 9400.",
  staticFamilies: [],
  modelLabels: [],
};
