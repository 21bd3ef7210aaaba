import { pathToFileURL } from "node:url";
import { UserError } from "../../core/text/errors.js";
import { ExpositionParser, ParseError } from "../../core/exposition/index.js";
import {
  DEFAULT_LIMITS,
  droppedProblem,
  durationNs,
  epochNs,
  LINE_LIMITS,
  noteOf,
  type Problem,
} from "../../core/model/index.js";
import { Run, Store } from "../../core/store/index.js";
import { contentOf, textOf } from "../bytes.js";
import { statsOf } from "../opener.js";
import { ownMetadata } from "../own-metadata.js";
import type { OpenOptions } from "./types.js";
import { addMetrics, Batches, readMetricDumps } from "../../core/artifacts/index.js";
import { unreadable } from "../failure.js";

/**
 * Reads a plain exposition as a run of one scrape, at the time the file was last written.
 * @throws UserError with the line and column of what cannot be read
 */
export async function openSnapshot(
  path: string,
  options: OpenOptions,
): Promise<{ readonly run: Run; readonly notices: readonly Problem[] }> {
  const { mtimeMs } = await statsOf(path, options);
  const body = await contentOf(path, DEFAULT_LIMITS.bodyBytes, options);
  const format = /(^|\n)# EOF\n?$/.test(new TextDecoder().decode(body.subarray(-16))) ? "openmetrics" : "text";
  const parser = new ExpositionParser({ limits: DEFAULT_LIMITS });
  const url = pathToFileURL(path).href;
  const time = epochNs(BigInt(Math.round(mtimeMs)) * 1_000_000n);
  const store = new Store(time);
  try {
    const batch = parser.parse(body, format);
    store.append({
      endpointUrl: url,
      time,
      latency: durationNs(0),
      requestSent: time,
      outcome: { kind: "samples", batch },
    });
  } catch (error) {
    if (error instanceof ParseError) throw new UserError(`${path} cannot be read as an exposition: ${error.message}.`);
    throw error;
  }
  if (store.seriesCount === 0) throw new UserError(`${path} contains no sample.`);
  const run = new Run(ownMetadata(store), store);
  run.setProfilingStart(time);
  run.setProfilingEnd(time);
  return {
    run,
    notices: [
      ...LINE_LIMITS.flatMap((limit) => {
        const count = parser.dropped[limit];
        return count === undefined ? [] : [droppedProblem(path, limit, count, DEFAULT_LIMITS)];
      }),
      ...parser.takeNotes().map((note) => noteOf(note.message)),
    ],
  };
}

const LIMIT = 256 * 1024 ** 2;

/**
 * Reads dumps of vLLM's `llm.get_metrics()`: one is a snapshot, at its own time or that of the file; several are a run.
 * @throws UserError saying what cannot be read; the signal's reason
 */
export async function openMetricDump(path: string, options: OpenOptions) {
  const { mtimeMs } = await statsOf(path, options);
  const text = await textOf(path, LIMIT, options);
  const written = epochNs(BigInt(Math.round(mtimeMs)) * 1_000_000n);
  const url = pathToFileURL(path).href;
  const batches = new Batches();
  const untyped = new Set<string>();
  try {
    const dumps = readMetricDumps(text)
      .map(({ time = written, metrics }) => ({ time, metrics }))
      .sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
    const [first] = dumps;
    const last = dumps.at(-1);
    if (first === undefined || last === undefined) throw new Error("it holds no dump");
    const store = new Store(first.time);
    for (const { time, metrics } of dumps) {
      for (const name of addMetrics(batches, metrics)) untyped.add(name);
      const outcome = { kind: "samples", batch: batches.take() } as const;
      store.append({ endpointUrl: url, time, latency: durationNs(0), requestSent: time, outcome });
    }
    if (store.seriesCount === 0) throw new Error("it holds no metric");
    const run = new Run(ownMetadata(store), store);
    run.setProfilingStart(first.time);
    run.setProfilingEnd(last.time);
    const kind = dumps.length === 1 ? ("snapshot" as const) : ("samples" as const);
    return { kind, run, notices: noticesOf(kind, untyped) };
  } catch (error) {
    throw unreadable(
      path,
      "metrics of vLLM",
      error,
      "llm.get_metrics() returns a list of objects with name, labels and value, values or buckets.",
    );
  }
}

function noticesOf(kind: "snapshot" | "samples", untyped: ReadonlySet<string>): readonly Problem[] {
  const notices: Problem[] = [];
  if (untyped.size > 0)
    notices.push(
      noteOf(
        `No type is known for ${[...untyped].slice(0, 5).join(", ")}: counters among them have no rates.`,
        'Write "kind": "Counter" or "Gauge" beside the name.',
      ),
    );
  if (kind === "samples") notices.push(noteOf("Dumps do not say where the warm-up ends: the window is all of them."));
  return notices;
}
