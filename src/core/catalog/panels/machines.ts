import { families, type ServerPanels } from "./definition.js";

/** Of GPUs and machines. */
export const MACHINE_PANELS: ServerPanels = {
  dcgm: [
    {
      id: "utilization",
      title: "Utilization",
      items: families("DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_PROF_SM_ACTIVE", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"),
    },
    {
      id: "memory",
      title: "Memory",
      items: [
        { family: "DCGM_FI_DEV_FB_USED" },
        { derived: "dcgm.memory-share" },
        { family: "DCGM_FI_PROF_DRAM_ACTIVE" },
      ],
    },
    {
      id: "power",
      title: "Power, temperature and clock",
      items: families("DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_SM_CLOCK"),
    },
    {
      id: "throttling",
      title: "Throttling",
      items: families("DCGM_FI_DEV_POWER_VIOLATION", "DCGM_FI_DEV_THERMAL_VIOLATION"),
      needs: "Add the fields to the counters file of dcgm-exporter (-f).",
    },
    {
      id: "transfer",
      title: "PCIe and NVLink",
      items: families("DCGM_FI_PROF_PCIE_TX_BYTES", "DCGM_FI_PROF_PCIE_RX_BYTES", "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL"),
      needs: "Add the fields to the counters file of dcgm-exporter (-f).",
    },
    {
      id: "video",
      title: "Video encoder and decoder",
      items: families("DCGM_FI_DEV_ENC_UTIL", "DCGM_FI_DEV_DEC_UTIL"),
    },
    {
      id: "errors",
      title: "Errors",
      items: families("DCGM_FI_DEV_XID_ERRORS", "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS"),
    },
  ],
  amd: [
    { id: "utilization", title: "Utilization", items: families("amd_gpu_gfx_activity", "amd_gpu_umc_activity") },
    {
      id: "memory",
      title: "Memory",
      items: [{ family: "amd_gpu_used_vram" }, { derived: "amd.memory-share" }],
    },
    {
      id: "power",
      title: "Power, temperature and clock",
      items: families("amd_gpu_package_power", "amd_gpu_junction_temperature", "amd_gpu_clock"),
    },
  ],
  node: [
    { id: "cpu", title: "CPU", items: [{ derived: "node.cpu-busy" }, { family: "node_load1" }] },
    {
      id: "memory",
      title: "Memory",
      items: [{ derived: "node.memory-used" }, { family: "node_memory_MemAvailable_bytes" }],
    },
    {
      id: "network",
      title: "Network",
      items: families(
        "node_network_receive_bytes",
        "node_network_transmit_bytes",
        "node_network_receive_drop",
        "node_network_transmit_errs",
      ),
    },
    { id: "disk", title: "Disk", items: families("node_disk_read_bytes", "node_disk_written_bytes") },
    {
      id: "pressure",
      title: "Pressure",
      items: families(
        "node_pressure_cpu_waiting_seconds",
        "node_pressure_memory_waiting_seconds",
        "node_pressure_io_waiting_seconds",
      ),
      needs: "The kernel must account for pressure (PSI, psi=1).",
    },
  ],
};
