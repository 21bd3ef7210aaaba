import { basename } from "node:path";
import { UserError } from "../../core/text/errors.js";
import { addGpuReading, Batches, parseArtifactName, readGpuTelemetryLine } from "../../core/artifacts/index.js";
import { durationNs, type EpochNs, type Problem, warningOf, noteOf } from "../../core/model/index.js";
import type { Run } from "../../core/store/index.js";
import type { Neighbours } from "./neighbours.js";
import { readRecordLines } from "./record-lines.js";

interface Collector {
  readonly batches: Batches;
  time: EpochNs;
}

/**
 * Gives a run the GPUs that AIPerf recorded beside its artifact: each place they were collected from becomes an
 * endpoint.
 * @returns what to tell about it; nothing without such a file
 * @throws the signal's reason
 */
export async function addGpuTelemetry(path: string, run: Run, neighbours: Neighbours): Promise<readonly Problem[]> {
  const file = telemetryBeside(path, neighbours);
  if (file === undefined) return [];
  const collectors = new Map<string, Collector>();
  const flush = (url: string, { batches, time }: Collector) => {
    const outcome = { kind: "samples", batch: batches.take() } as const;
    run.store.append({ endpointUrl: url, time, latency: durationNs(0), requestSent: time, outcome });
  };
  const take = (line: string) => {
    const reading = readGpuTelemetryLine(line);
    let collector = collectors.get(reading.url);
    // All GPUs of one moment are one scrape.
    if (collector === undefined)
      collectors.set(reading.url, (collector = { batches: new Batches(), time: reading.time }));
    else if (collector.time !== reading.time) flush(reading.url, collector);
    collector.time = reading.time;
    addGpuReading(collector.batches, reading);
  };
  let unread: Problem | undefined;
  try {
    unread = await readRecordLines(file, take, neighbours.reading);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [warningOf(error.message)];
  }
  for (const [url, collector] of collectors) flush(url, collector);
  const notices: Problem[] = unread === undefined ? [] : [unread];
  if (collectors.size > 0)
    notices.push(
      noteOf(
        `GPU telemetry of ${collectors.size === 1 ? "one endpoint" : `${collectors.size} endpoints`} comes from ${basename(file)}.`,
      ),
    );
  return notices;
}

/** `gpu_telemetry_export.jsonl`, or with an artifact's prefix `<prefix>_gpu_telemetry.jsonl`; packed, too. */
function telemetryBeside(path: string, neighbours: Neighbours): string | undefined {
  const artifact = parseArtifactName(basename(path));
  if (artifact === undefined && !basename(path).startsWith("profile_export.")) return undefined;
  const name = artifact?.prefix === undefined ? "gpu_telemetry_export.jsonl" : `${artifact.prefix}_gpu_telemetry.jsonl`;
  return neighbours.firstOf([`${name}.zst`, name, `${name}.gz`]);
}
