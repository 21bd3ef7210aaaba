import { basename } from "node:path";
import { addGpuReading, Batches, parseArtifactName, readGpuTelemetryLine } from "../../core/artifacts/index.js";
import { durationNs, warningOf, noteOf, type EpochNs, type Problem } from "../../core/model/index.js";
import type { Run } from "../../core/store/index.js";
import type { Neighbours } from "./neighbours.js";
import { readRecordLines, textOf } from "../bytes.js";
import { UserError, scrubText, messageOf, isFields, parseJson } from "../../core/text/index.js";

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

const NAME = "mlflow_export.json";
const MOST_BYTES = 1024 ** 2;

/** Where MLflow has a run, as AIPerf's `mlflow_export.json` beside it says; nothing without one. */
export async function mlflowBeside(neighbours: Neighbours): Promise<readonly Problem[]> {
  const path = neighbours.firstOf([NAME], "info");
  if (path === undefined) return [];
  try {
    const file = parseJson(await textOf(path, MOST_BYTES, neighbours.reading));
    const { tracking_uri: store, experiment, run_id: id, run_name: name } = isFields(file) ? file : {};
    if (typeof store !== "string" || typeof id !== "string" || !/^[\w-]+$/.test(id))
      throw new Error("it names no run of MLflow");
    const called = [name, experiment].filter((one) => typeof one === "string").join(" of ");
    // MLflow's page of a run whose experiment is not known. A store that is a file or a database has no page.
    const place = /^https?:/i.test(store) ? `${store.replace(/\/+$/, "")}/#/runs/${id}` : `run ${id}`;
    return [noteOf(scrubText(`MLflow has this run${called === "" ? "" : ` (${called})`}: ${place}`))];
  } catch (error) {
    neighbours.reading.signal?.throwIfAborted();
    return [noteOf(`${NAME} was left out: ${messageOf(error)}.`)];
  }
}
