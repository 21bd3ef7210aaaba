import { counter, defineServer, derived, gauge } from "../define.js";

const BY_DEVICE = "By device; some carry the traffic of others, such as bridges and partitions.";

/** The machine itself, by node_exporter. */
export const node = defineServer({
  id: "node",
  name: "node_exporter",
  prefixes: ["node_"],
  families: {
    node_cpu_seconds: counter("CPU time, by mode", "seconds", {
      hint: "Of all CPUs. What is neither idle, iowait nor steal is busy.",
    }),
    node_load1: gauge("Load, 1 min"),
    node_load5: gauge("Load, 5 min"),
    node_load15: gauge("Load, 15 min"),
    node_memory_MemAvailable_bytes: gauge("Memory available", "bytes, up", {
      hint: "What programs can still get, the page cache counted as free.",
    }),
    node_memory_MemTotal_bytes: gauge("Memory", "bytes", { hint: "Of the whole machine." }),
    node_memory_MemFree_bytes: gauge("Memory free", "bytes"),
    node_memory_Cached_bytes: gauge("Page cache", "bytes"),
    node_memory_Buffers_bytes: gauge("Buffers", "bytes"),
    node_memory_SwapTotal_bytes: gauge("Swap", "bytes"),
    node_memory_SwapFree_bytes: gauge("Swap free", "bytes"),
    node_network_receive_bytes: counter("Network received", "bytes", { hint: BY_DEVICE }),
    node_network_transmit_bytes: counter("Network sent", "bytes", { hint: BY_DEVICE }),
    node_network_receive_packets: counter("Packets received"),
    node_network_transmit_packets: counter("Packets sent"),
    node_network_receive_errs: counter("Network receive errors", "down"),
    node_network_transmit_errs: counter("Network send errors", "down"),
    node_network_receive_drop: counter("Packets dropped on receipt", "down"),
    node_network_transmit_drop: counter("Packets dropped on sending", "down"),
    node_disk_read_bytes: counter("Disk reads", "bytes", { hint: BY_DEVICE }),
    node_disk_written_bytes: counter("Disk writes", "bytes", { hint: BY_DEVICE }),
    node_disk_io_time_seconds: counter("Disk busy time", "seconds"),
    node_disk_read_time_seconds: counter("Disk read time", "seconds"),
    node_disk_write_time_seconds: counter("Disk write time", "seconds"),
    node_disk_reads_completed: counter("Disk read operations"),
    node_disk_writes_completed: counter("Disk write operations"),
    node_filesystem_avail_bytes: gauge("File system free for users", "bytes, up"),
    node_filesystem_free_bytes: gauge("File system free", "bytes"),
    node_filesystem_size_bytes: gauge("File system size", "bytes"),
    node_context_switches: counter("Context switches"),
    node_intr: counter("Interrupts"),
    node_forks: counter("Forks"),
    node_procs_running: gauge("Processes running"),
    node_procs_blocked: gauge("Processes blocked", "down"),
    node_boot_time_seconds: gauge("Boot time", "timestamp"),
    node_time_seconds: gauge("System time", "timestamp"),
    node_pressure_cpu_waiting_seconds: counter("CPU pressure", "seconds, down"),
    node_pressure_memory_waiting_seconds: counter("Memory pressure", "seconds, down"),
    node_pressure_io_waiting_seconds: counter("I/O pressure", "seconds, down"),
    node_uname_info: gauge("System", "Model configuration:"),
  },
  derived: [
    derived("node.cpu-busy", "CPU busy", "ratio", {
      derivation: {
        kind: "rate-ratio",
        numerator: "node_cpu_seconds",
        denominator: ["node_cpu_seconds"],
        numeratorOf: { label: "mode", values: ["idle", "iowait", "steal"], keep: "others" },
      },
      hint: "Time of all CPUs that was neither idle nor waiting.",
    }),
    derived("node.memory-used", "Memory used", "ratio", {
      derivation: {
        kind: "gauge-ratio",
        numerator: "node_memory_MemAvailable_bytes",
        denominator: ["node_memory_MemTotal_bytes"],
        complement: true,
      },
      hint: "1 less the available by the whole memory: the page cache counts as free.",
    }),
  ],
  tiles: [
    {
      id: "node.cpu-busy",
      derived: "node.cpu-busy",
      watch: [{ kind: "above", threshold: 0.9, level: "warning", reason: "above 90 %: the CPUs are the limit" }],
    },
    {
      id: "node.memory-used",
      derived: "node.memory-used",
      watch: [{ kind: "above", threshold: 0.95, level: "warning", reason: "above 95 %: the memory is nearly full" }],
    },
    { id: "node.network-received", family: "node_network_receive_bytes", statistic: "rate", by: "device" },
    { id: "node.network-sent", family: "node_network_transmit_bytes", statistic: "rate", by: "device" },
    { id: "node.disk-read", family: "node_disk_read_bytes", statistic: "rate", by: "device" },
    { id: "node.disk-written", family: "node_disk_written_bytes", statistic: "rate", by: "device" },
  ],
  groups: [{ group: "Process and system", pattern: /^node_/ }],
  enable: "Start node_exporter; its metrics are at /metrics of port 9100.",
});
