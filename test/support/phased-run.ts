import { epochNs, type EpochNs } from "../../src/core/model/index.js";
import { exportArtifacts } from "../../src/files/index.js";
import { ORIGIN, RunBuilder, SECOND } from "./run-builder.js";

/** Seconds of a built run as a time. */
export function at(seconds: number): EpochNs {
  return epochNs(ORIGIN + BigInt(Math.round(seconds * SECOND)));
}

/**
 * Writes a run in every format: a counter `c` that rises in a warm-up of 5 s by 1 a second, in the phase low of 30 s by
 * 10 and in the phase high of 30 s by 20 a second, with 5 s between them at 3; and a gauge `w` of the warm-up alone.
 */
export async function writePhasedRun(directory: string): Promise<void> {
  const builder = new RunBuilder();
  let c = 0;
  for (let i = 0; i <= 75; i++) {
    c += i <= 5 ? 1 : i <= 35 ? 10 : i <= 40 ? 3 : i <= 70 ? 20 : 0;
    builder.scrape(i, [
      { name: "c", type: "counter", value: c },
      ...(i <= 5 ? [{ name: "w", type: "gauge" as const, value: i }] : []),
    ]);
  }
  const { run } = builder.window(5.5, 70.5);
  run.putPhase({ name: "warmup", kind: "warmup", start: at(0.5), end: at(5.4) });
  run.putPhase({ name: "low", kind: "profiling", start: at(5.5), end: at(35) });
  run.putPhase({ name: "high", kind: "profiling", start: at(40.5), end: at(70.5) });
  await exportArtifacts(run, { directory, formats: ["json", "csv", "jsonl", "parquet"], verify: true });
}
