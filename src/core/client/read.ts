import { isFields, parseJson, type Fields } from "../text/index.js";
import {
  isAiperfSummary,
  readAiperfSlices,
  readAiperfSummary,
  aiperfSliceSeconds,
  earlierResults,
  isEarlierAiperf,
} from "./aiperf.js";
import { isGuideLlm, readGuideLlm } from "./guidellm.js";
import { listOf } from "./lenient.js";
import {
  beginsAsReport,
  isBenchmarkReport,
  isInferencePerf,
  readBenchmarkReport,
  readInferencePerf,
} from "./summaries.js";
import type { ClientRequest, ClientResult } from "./types.js";
import { isVllmBench, readVllmBench } from "./vllm-bench.js";

/** What a file of the client's side turned out to be. */
export type ClientFile =
  | { readonly kind: "results"; readonly results: readonly ClientResult[] }
  /** `profile_export_aiperf.json`: belongs to the records beside it. */
  | { readonly kind: "aiperf-summary"; readonly result: ClientResult; readonly sliceSeconds: number | undefined }
  | { readonly kind: "aiperf-slices"; readonly file: Fields };

const EXPECTED =
  "AIPerf's profile_export.jsonl, profile_export_aiperf.json or its timeslices, GuideLLM's benchmarks.json or benchmarks.yaml, a result of vllm bench serve, inference-perf's lifecycle metrics, or a Benchmark Report of llm-d was expected";

/**
 * Whether a text begins as a file of the client's side: a JSON of GuideLLM, `vllm bench serve`, inference-perf or
 * AIPerf, GuideLLM's YAML, a Benchmark Report, or AIPerf's records and the CSV of its timeslices.
 */
export function isClientFile(head: string): boolean {
  const start = head.replace(/^\uFEFF/, "").trimStart();
  if (beginsAsReport(start)) return true;
  if (!start.startsWith("{")) return isSlicesCsv(start) || isGuideLlmYaml(start);
  if (/"aggregation_type"\s*:/.test(start)) return false;
  return (
    isClientRecords(start) ||
    (/"timeslices"\s*:\s*\[/.test(start) && /"timeslice_index"\s*:/.test(start)) ||
    /"(?:request_latency|request_throughput|request_count)"\s*:\s*\{\s*"(?:unit|avg)"\s*:/.test(start) ||
    (/"load_summary"\s*:\s*\{/.test(start) && /"successes"\s*:\s*\{/.test(start)) ||
    (/"num_prompts"\s*:/.test(start) && /"(?:duration|request_throughput)"\s*:/.test(start)) ||
    (/"benchmarks"\s*:\s*\[/.test(start) && /"(?:metadata|args|config|run_stats|guidellm_version)"\s*:/.test(start))
  );
}

/** Whether a text begins as `profile_export_aiperf_timeslices.csv`. */
export function isSlicesCsv(head: string): boolean {
  return /^\uFEFF?Timeslice,Metric,Unit,Stat,Value\r?$/m.test(head.slice(0, 80));
}

/** Whether a text begins as GuideLLM's `benchmarks.yaml`: a list of benchmarks, and what they were run with. */
export function isGuideLlmYaml(head: string): boolean {
  return (
    /^(?:args|metadata|benchmarks):/m.test(head.slice(0, 80)) &&
    (/^benchmarks:\s*\n\s*- /m.test(head) || /^\s+guidellm_version:/m.test(head))
  );
}

/** Whether a text begins as AIPerf's records, one request a line. */
export function isClientRecords(head: string): boolean {
  const line =
    head
      .replace(/^\uFEFF/, "")
      .trimStart()
      .split("\n", 1)[0] ?? "";
  return /"request_start_ns"\s*:/.test(line) && /"metadata"\s*:\s*\{/.test(line);
}

/**
 * Reads a JSON file of the client's side by its content. Several results of `vllm bench serve --append-result`, one a
 * line, are read as such.
 * @throws Error saying what was expected
 */
export function readClientJson(text: string): ClientFile {
  return readClientData(parsed(text));
}

/** As `readClientJson`, of what a file holds. @throws Error saying what was expected */
export function readClientData(file: unknown): ClientFile {
  if (isFields(file)) {
    if (isEarlierAiperf(file)) return { kind: "results", results: earlierResults(file) };
    if (isGuideLlm(file)) return { kind: "results", results: readGuideLlm(file) };
    if (isVllmBench(file)) return { kind: "results", results: [readVllmBench(file)] };
    if (isInferencePerf(file)) return { kind: "results", results: [readInferencePerf(file)] };
    if (isBenchmarkReport(file)) return { kind: "results", results: [readBenchmarkReport(file)] };
    if (Array.isArray(file["timeslices"])) return { kind: "aiperf-slices", file };
    if (isAiperfSummary(file))
      return { kind: "aiperf-summary", result: readAiperfSummary(file), sliceSeconds: aiperfSliceSeconds(file) };
  }
  const runs = listOf(file).filter(isVllmBench);
  if (runs.length > 0) return { kind: "results", results: runs.map(readVllmBench) };
  throw new Error(EXPECTED);
}

function parsed(text: string): unknown {
  const trimmed = text.replace(/^\uFEFF/, "").trim();
  try {
    return parseJson(trimmed);
  } catch (error) {
    const lines = trimmed.split("\n").filter((line) => line.trim() !== "");
    if (lines.length < 2 || !trimmed.startsWith("{")) throw error;
    // A whole file over several lines is no list of results: its first line alone is no JSON.
    return lines.map(parseJson);
  }
}

/** AIPerf's records with the statistics and slices beside them as one result. */
export function aiperfResult(
  requests: readonly ClientRequest[],
  summary: Extract<ClientFile, { kind: "aiperf-summary" }> | undefined,
  slices: Fields | undefined,
): ClientResult {
  const base = summary?.result ?? { tool: "AIPerf", configuration: {}, requests: [], stored: [], notices: [] };
  const cut = slices === undefined ? undefined : readAiperfSlices(slices, summary?.sliceSeconds);
  return { ...base, requests, ...(cut === undefined ? {} : { slices: cut }) };
}
