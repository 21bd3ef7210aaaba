import { panel, type ServerPanels } from "./common.js";

/** Of GPUs and machines. */
export const MACHINE_PANELS: ServerPanels = {
  dcgm: [
    panel("utilization", "Utilization", [
      "DCGM_FI_DEV_GPU_UTIL",
      "DCGM_FI_PROF_SM_ACTIVE",
      "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
    ]),
    panel("memory", "Memory", ["DCGM_FI_DEV_FB_USED", "dcgm.memory-share", "DCGM_FI_PROF_DRAM_ACTIVE"]),
    panel("power", "Power, temperature and clock", [
      "DCGM_FI_DEV_POWER_USAGE",
      "DCGM_FI_DEV_GPU_TEMP",
      "DCGM_FI_DEV_SM_CLOCK",
    ]),
    panel("throttling", "Throttling", ["DCGM_FI_DEV_POWER_VIOLATION", "DCGM_FI_DEV_THERMAL_VIOLATION"]),
    panel("transfer", "PCIe and NVLink", [
      "DCGM_FI_PROF_PCIE_TX_BYTES",
      "DCGM_FI_PROF_PCIE_RX_BYTES",
      "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL",
    ]),
    panel("video", "Video encoder and decoder", ["DCGM_FI_DEV_ENC_UTIL", "DCGM_FI_DEV_DEC_UTIL"]),
    panel("errors", "Errors", ["DCGM_FI_DEV_XID_ERRORS", "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS"]),
  ],
  amd: [
    panel("utilization", "Utilization", ["amd_gpu_gfx_activity", "amd_gpu_umc_activity"]),
    panel("memory", "Memory", ["amd_gpu_used_vram", "amd.memory-share"]),
    panel("power", "Power, temperature and clock", [
      "amd_gpu_package_power",
      "amd_gpu_junction_temperature",
      "amd_gpu_clock",
    ]),
  ],
  node: [
    panel("cpu", "CPU", ["node.cpu-busy", "node_load1"]),
    panel("memory", "Memory", ["node.memory-used", "node_memory_MemAvailable_bytes"]),
    panel("network", "Network", [
      "node_network_receive_bytes",
      "node_network_transmit_bytes",
      "node_network_receive_drop",
      "node_network_transmit_errs",
    ]),
    panel("disk", "Disk", ["node_disk_read_bytes", "node_disk_written_bytes"]),
    panel("pressure", "Pressure", [
      "node_pressure_cpu_waiting_seconds",
      "node_pressure_memory_waiting_seconds",
      "node_pressure_io_waiting_seconds",
    ]),
  ],
};
