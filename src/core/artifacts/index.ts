export {
  ARTIFACT_FORMATS,
  EXPORT_FORMATS,
  artifactName,
  summaryName,
  FASTEST_FIRST,
  isArtifact,
  parseArtifactName,
  rankOf,
  RICHEST_FIRST,
  EXPORTER_NAME,
  isPrefix,
  JSON_SCHEMA_VERSION,
  PREFIX_RULE,
  SCHEMA_VERSION,
  COMPRESSIONS,
  packedName,
  unpackedName,
  type ArtifactFormat,
  type Compression,
  type ReadableFormat,
  type ExporterVersion,
} from "./names.js";
export {
  BETWEEN_SERIES,
  isoTime,
  jsonEnd,
  jsonStart,
  MetricsText,
  seriesText,
  writeJson,
  type JsonFacts,
} from "./json/write.js";
export { jsonText } from "./json/text.js";
export { JsonMembers } from "./json/members.js";
export { csvRowCount, csvSeries, csvText, decimals4, writeCsv, type CsvFamily, type CsvSeries } from "./csv/write.js";
export { openMetrics } from "./openmetrics.js";
export { jsonlText, JsonlWriter, type RunEvent } from "./jsonl/write.js";
export { DEFAULT_JSONL_LIMITS, NO_JSONL_LIMITS } from "./jsonl/limits.js";
export { JsonlReader, type JsonlHandlers, type LineProblem } from "./jsonl/read.js";
export { exactInteger, parseExact } from "./json/exact.js";
export { Batches } from "./batches.js";
export { addGpuReading, readGpuTelemetryLine } from "./gpu-telemetry.js";
export { addMetrics, isMetricDump, readMetricDumps } from "./earlier/metric-dump.js";
export { RunAssembler } from "./run-assembler.js";
export { formatScrapeLogLine, parseScrapeLogLine, type RecordedScrape } from "./scrape-log.js";
export type { ExportedFile, ExportOptions } from "./export-options.js";
export { JsonArtifactReader, type ReadStatistics } from "./json/read.js";
export { CsvArtifactReader } from "./csv/read.js";
export { readEarlierCsv, readEarlierJson } from "./earlier/read.js";
export {
  PHASE_MANIFEST,
  phaseFile,
  phaseManifestText,
  phasePlaces,
  phaseStatisticsText,
  type PhasePlace,
} from "./phases/files.js";
export {
  isPhaseManifest,
  isPhaseStatistics,
  readPhaseManifest,
  readPhaseStatistics,
  type ManifestEntry,
  type PhaseStatistics,
} from "./phases/read.js";
