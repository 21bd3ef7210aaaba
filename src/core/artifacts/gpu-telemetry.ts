import { epochNs, makeLabels, type EpochNs, type Family } from "../model/index.js";
import { isFields, parseJson } from "../text/index.js";
import type { Batches } from "./batches.js";
import { exactInteger } from "./json/exact.js";

/** One GPU at one moment, as AIPerf writes it. */
export interface GpuTelemetryRecord {
  /** Where it was collected: a URL, also `pynvml://localhost` and `amdsmi://localhost`. */
  readonly url: string;
  readonly time: EpochNs;
  readonly labels: ReturnType<typeof makeLabels>;
  readonly values: readonly (readonly [name: string, value: number])[];
}

const LABELS = [
  "gpu_index",
  "gpu_uuid",
  "gpu_model_name",
  "pci_bus_id",
  "device",
  "hostname",
  "namespace",
  "pod_name",
] as const;

/** What only grows. Everything else is a reading of the moment, also what is not known. */
const COUNTERS = new Set(["energy_consumption", "power_violation"]);

const UNITS: Readonly<Record<string, string>> = {
  gpu_power_usage: "W",
  energy_consumption: "MJ",
  gpu_memory_used: "GB",
  gpu_temperature: "°C",
  power_violation: "µs",
};

/** Reads a line of `gpu_telemetry_export.jsonl`. @throws Error saying what is wrong with it */
export function readGpuTelemetryLine(text: string): GpuTelemetryRecord {
  const line = parseJson(text);
  if (!isFields(line)) throw new Error("the line is not a JSON object");
  const { timestamp_ns: time, dcgm_url: url, telemetry_data: data } = line;
  if (typeof time !== "number" || typeof url !== "string" || !isFields(data))
    throw new Error("timestamp_ns, dcgm_url and telemetry_data were expected");
  return {
    url,
    time: epochNs(exactInteger(text, "timestamp_ns", time)),
    labels: makeLabels(
      LABELS.flatMap((name) => {
        const value = line[name];
        return typeof value === "string" || typeof value === "number" ? [[name, String(value)] as const] : [];
      }),
    ),
    values: Object.entries(data).flatMap(([name, value]) =>
      typeof value === "number" ? [[name, value] as const] : [],
    ),
  };
}

/** Adds a reading's samples under AIPerf's names. */
export function addGpuReading(batches: Batches, { labels, values }: GpuTelemetryRecord): void {
  for (const [name, value] of values) {
    const unit = UNITS[name] ?? (name.endsWith("_utilization") ? "%" : undefined);
    const family: Family = {
      name,
      type: COUNTERS.has(name) ? "counter" : "gauge",
      description: unit === undefined ? "" : `In ${unit}.`,
    };
    batches.add(family, labels, { kind: "value" }, value);
  }
}
