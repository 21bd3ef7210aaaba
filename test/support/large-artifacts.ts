import { open } from "node:fs/promises";
import { JsonlWriter } from "../../src/core/artifacts/index.js";
import { ExpositionParser } from "../../src/core/exposition/index.js";
import {
  boundText,
  durationNs,
  epochNs,
  type Family,
  type MetricType,
  type SampleDef,
} from "../../src/core/model/index.js";
import { recordedWindow } from "../../src/core/stats/index.js";
import { Run, Store } from "../../src/core/store/index.js";
import { writeParquet } from "../../src/files/parquet/write.js";
import { writtenLine } from "./jsonl-lines.js";
import { vllmExpositions } from "./vllm-exposition.js";

const ORIGIN = 1_765_000_000_000_000_000n;
const INTERVAL = 333_000_000n;
const URL = "http://node0:8000/metrics";
const metadata = (benchmarkId: string) => ({
  benchmarkId,
  endpointsConfigured: [URL],
  sliceDurationSeconds: 5,
  inputConfig: {},
});

/** Eight vLLM-like engines behind one endpoint, every value moving: about 130 KB a scrape. */
export async function writeLargeJsonl(path: string, bytes: number): Promise<void> {
  const file = await open(path, "w");
  const writer = new JsonlWriter();
  const parser = new ExpositionParser();
  const source = vllmExpositions({ engines: 8, moving: 1, seed: 1 });
  const encoder = new TextEncoder();
  try {
    await file.appendFile(
      `${writer.event({ kind: "run_start", time: epochNs(ORIGIN), metadata: metadata("00000000-0000-4000-8000-000000000001") })}\n${writer.event({ kind: "profiling_start", time: epochNs(ORIGIN) })}\n`,
    );
    let written = 0;
    for (let i = 0; written < bytes;) {
      const lines: string[] = [];
      for (let n = 0; n < 20; n++, i++) {
        const time = epochNs(ORIGIN + BigInt(i) * INTERVAL);
        const batch = parser.parse(encoder.encode(source.next().value), "text");
        lines.push(
          writtenLine(
            writer,
            {
              endpointUrl: URL,
              time,
              latency: durationNs(5_000_000 + i),
              requestSent: epochNs(time - 4_000_000n),
              outcome: { kind: "samples", batch },
            },
            "profiling",
          ),
        );
      }
      const text = `${lines.join("\n")}\n`;
      written += text.length;
      await file.appendFile(text);
    }
  } finally {
    await file.close();
  }
}

const SCRAPES = 2000;
const ENGINES = 5;
const BOUNDS = Array.from({ length: 20 }, (_, b) => (b === 19 ? "+Inf" : String(2 ** b / 100)));
const KEY_HISTOGRAMS = [
  "vllm:time_to_first_token_seconds",
  "vllm:inter_token_latency_seconds",
  "vllm:e2e_request_latency_seconds",
];
const SCALARS: readonly (readonly [name: string, type: MetricType])[] = [
  ["vllm:num_requests_running", "gauge"],
  ["vllm:num_requests_waiting", "gauge"],
  ["vllm:kv_cache_usage_perc", "gauge"],
  ["vllm:generation_tokens", "counter"],
  ["vllm:prefix_cache_hits", "counter"],
  ["vllm:prefix_cache_queries", "counter"],
];

/**
 * A run of so many rows: families of five histograms of twenty bounds each, 200,000 rows a family, and a few scalars of
 * 10,000.
 */
export function largeRun(rows: number): Run {
  const families = Math.max(1, Math.round(rows / (SCRAPES * ENGINES * BOUNDS.length)));
  const defs: SampleDef[] = [];
  const each = (add: (labels: readonly (readonly [string, string])[]) => void) => {
    for (let engine = 0; engine < ENGINES; engine++)
      add([
        ["engine", String(engine)],
        ["model_name", "meta-llama/Llama-3.1-8B-Instruct"],
      ]);
  };
  for (const [name, type] of SCALARS) {
    const family: Family = { name, type, description: "A state of the scheduler." };
    each((labels) => defs.push({ family, labels, part: { kind: "value" } }));
  }
  const scalars = defs.length;
  for (let f = 0; f < families; f++) {
    const family: Family = {
      name: KEY_HISTOGRAMS[f] ?? `app:latency_${String(f).padStart(3, "0")}_seconds`,
      type: "histogram",
      description: "A latency.",
    };
    each((labels) => {
      for (const bound of BOUNDS)
        defs.push({
          family,
          labels,
          part: { kind: "bucket", bound: boundText(bound), upper: bound === "+Inf" ? Infinity : Number(bound) },
        });
      defs.push({ family, labels, part: { kind: "sum" } }, { family, labels, part: { kind: "count" } });
    });
  }
  const store = new Store(epochNs(ORIGIN));
  const ids = Int32Array.from(defs, (_, i) => i);
  const values = new Float64Array(defs.length);
  for (let i = 0; i < SCRAPES; i++) {
    const wave = Math.sin((i / SCRAPES) * 12 * Math.PI);
    for (let v = 0; v < scalars; v++) {
      const rising = SCALARS[Math.floor(v / ENGINES)]?.[1] === "counter";
      values[v] = rising
        ? (values[v] ?? 0) + Math.round(200 + 100 * wave + v)
        : SCALARS[Math.floor(v / ENGINES)]?.[0].endsWith("perc") === true
          ? 0.5 + 0.4 * wave
          : Math.round(20 + 15 * wave) + (v % ENGINES);
    }
    const width = BOUNDS.length + 2;
    for (let v = scalars; v < values.length; v += width) {
      // Two or three observations a scrape, in buckets that wander with the wave.
      const peak = Math.round(8 + 4 * wave);
      const seen = 2 + ((v + i) % 2);
      for (let b = 0; b < BOUNDS.length; b++)
        values[v + b] = (values[v + b] ?? 0) + (b >= peak ? seen : b === peak - 1 ? 1 : 0);
      values[v + width - 2] = (values[v + width - 2] ?? 0) + seen * 0.0075 * 2 ** peak;
      values[v + width - 1] = values[v + BOUNDS.length - 1] ?? 0;
    }
    const time = epochNs(ORIGIN + BigInt(i) * INTERVAL);
    store.append({
      endpointUrl: URL,
      time,
      latency: durationNs(1_000_000),
      requestSent: time,
      outcome: { kind: "samples", batch: { defs, ids, values, length: defs.length } },
    });
  }
  const run = new Run(metadata("00000000-0000-4000-8000-000000000002"), store);
  run.setProfilingStart(epochNs(ORIGIN + 1n));
  run.setProfilingEnd(epochNs(ORIGIN + BigInt(SCRAPES) * INTERVAL));
  return run;
}

/** `largeRun` as the project writes it. */
export async function writeLargeParquet(path: string, rows: number): Promise<number> {
  const run = largeRun(rows);
  return writeParquet(path, run, {
    window: recordedWindow(run),
    sliceDurationSeconds: 5,
    exporter: { version: "0" },
    exportTime: epochNs(ORIGIN),
    hostname: "test",
  });
}
