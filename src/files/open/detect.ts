import { basename, extname } from "node:path";
import { UserError } from "../../core/text/errors.js";
import { beginsAsParquet } from "../../core/artifacts/parquet/tail.js";
import { isMetricDump, parseArtifactName, readGpuTelemetryLine, unpackedName } from "../../core/artifacts/index.js";
import { isClientFile } from "../../core/client/index.js";
import type { FileFormat } from "../../core/model/index.js";
import { headOf, isGzip } from "../bytes.js";
import { statsOf, type Reach } from "../opener.js";

export interface Detected {
  readonly format: FileFormat;
  readonly bytes: number;
}

const HEAD = 64 * 1024;
const EXPECTED = "JSON, JSONL, CSV or Parquet of server metrics, a scrape log, or a Prometheus exposition";

/**
 * Tells a file's format by how it begins; its name decides only where the content leaves it open.
 * @throws UserError for what cannot be read, is empty, or is of no format there is a reader for
 */
export async function detectFileFormat(path: string, reach: Reach = {}): Promise<Detected> {
  const { size } = await statsOf(path, reach);
  if (size === 0) throw new UserError(`${path} is empty: ${EXPECTED} was expected.`);
  const head = await headOf(path, HEAD, reach);
  const text = new TextDecoder().decode(head).replace(/^\uFEFF/, "");
  if (isGpuTelemetry(text))
    throw new UserError(
      `${path} is AIPerf's GPU telemetry, which belongs to a run.`,
      "Open server_metrics_export.jsonl or profile_export.jsonl beside it: the GPUs become endpoints of that run.",
    );
  const format = beginsAsParquet(head)
    ? "parquet"
    : head.includes(0)
      ? withNul(text)
      : textFormat(text, extname(unpackedName(path)).toLowerCase());
  if (format === undefined)
    throw new UserError(
      // What an agent reads was not opened by the person who sees the message.
      `${path} is not of a known format: ${EXPECTED} was expected${reach.within === undefined ? `, but it begins with ${shown(text)}` : ""}.`,
    );
  return {
    format:
      format === "jsonl" &&
      // One with an artifact's name was packed when it was whole.
      parseArtifactName(basename(path)) === undefined &&
      (await isGzip(path, reach)) &&
      /"event":\{"type":"run_start"/.test(text.slice(0, 4096))
        ? "journal"
        : format,
    bytes: size,
  };
}

function isGpuTelemetry(text: string): boolean {
  try {
    readGpuTelemetryLine(text.split("\n", 1)[0] ?? "");
    return true;
  } catch {
    return false;
  }
}

/** Labels of CSV and of expositions may hold a NUL, which elsewhere tells that a file is not text. */
function withNul(text: string): FileFormat | undefined {
  const format = textFormat(text.slice(0, text.indexOf("\0")), "");
  return format === "csv" || format === "snapshot" ? format : undefined;
}

function textFormat(text: string, extension: string): FileFormat | undefined {
  const start = text.trimStart();
  if (isMetricDump(start)) return "metric-dump";
  if (isEarlierJson(start)) return "earlier-json";
  if (isClientFile(start)) return "client";
  if (start.startsWith("{")) return jsonFormat(start, extension);
  if (/^## Server:/m.test(text)) return "earlier-csv";
  if (
    /^#\s*(aiperf_version|server_metrics_version|benchmark_id|schema_version):/m.test(text) ||
    /^"?Endpoint"?,/m.test(text)
  )
    return "csv";
  // A first line may be damaged, the others not.
  if (/^\{\s*"(endpoint_url|server_url)"\s*:/m.test(text)) return "jsonl";
  if (
    /^(# (HELP|TYPE|UNIT|EOF)\b|[a-zA-Z_:][\w:.]*(\{.*\})?[ \t]+([+-]?[\d.]+([eE][+-]?\d+)?|[+-]?Inf|NaN)([ \t]|$))/m.test(
      text,
    )
  )
    return "snapshot";
  if (extension === ".csv" || extension === ".jsonl" || extension === ".json" || extension === ".parquet")
    return byExtension(extension);
  return undefined;
}

/** AIPerf's earlier `aiperf.json`, which holds the client's metrics and the servers'. */
function isEarlierJson(start: string): boolean {
  return (
    start.startsWith("{") &&
    (/"server_metrics"\s*:\s*\{[^]*?"endpoints"\s*:\s*\{[^]*?"servers"\s*:/.test(start) ||
      /"llm_metrics"\s*:/.test(start))
  );
}

function jsonFormat(start: string, extension: string): FileFormat | undefined {
  if (
    /^\{\s*"(endpoint_url|server_url)"\s*:/.test(start) ||
    (/^\{[^\n]*"metrics_data"\s*:/.test(start) && /^\{[^\n]*"timestamp_ns"\s*:/.test(start))
  )
    return "jsonl";
  const line = start.split("\n", 1)[0] ?? "";
  if (/"t_ns"\s*:/.test(line) && /"url"\s*:/.test(line)) return "scrape-log";
  if (/"timestamp_ns"\s*:/.test(line) && /"endpoint_url"\s*:/.test(line) && !/"schema_version"/.test(line))
    return "jsonl";
  // A torn or broken first line of a JSONL.
  if (extension === ".jsonl" || /\n\{\s*"endpoint_url"\s*:/.test(start)) return "jsonl";
  return "json";
}

function byExtension(extension: string): FileFormat | undefined {
  return (["csv", "jsonl", "json", "parquet"] as const).find((format) => extension === `.${format}`);
}

function shown(text: string): string {
  const start = text.slice(0, 24);
  // Control characters and what is no text at all say nothing to a person.
  return /^[\x20-\x7e\s]*$/.test(start) ? JSON.stringify(start.trim()) : "binary data";
}
