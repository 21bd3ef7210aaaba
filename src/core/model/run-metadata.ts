import type { JsonObject } from "./json.js";
import type { EpochNs } from "./time.js";

export type Phase = "warmup" | "profiling";

/** A moment the user noted, such as a step in concurrency. */
export interface Mark {
  readonly time: EpochNs;
  readonly label: string;
}

/** What is known of a run besides its samples. */
export interface RunMetadata {
  /** UUID, the same in all files of a run. */
  readonly benchmarkId: string;
  readonly label?: string;
  /** In the order the user configured them; URLs without credentials. */
  readonly endpointsConfigured: readonly string[];
  readonly sliceDurationSeconds: number;
  readonly inputConfig: JsonObject;
}

/** What a run calls itself, in a file that says it only in its configuration. */
export function configuredLabel({ label }: JsonObject): string | undefined {
  return typeof label === "string" && label !== "" ? label : undefined;
}
