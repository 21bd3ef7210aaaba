/** What samples can be written in: also what other programs take in. */
export const EXPORT_FORMATS = ["json", "csv", "jsonl", "parquet", "openmetrics"] as const;
export type ArtifactFormat = (typeof EXPORT_FORMATS)[number];
/** Those that can be opened again. */
export type ReadableFormat = Exclude<ArtifactFormat, "openmetrics">;

/** Where those that can be opened again stand among each other. */
const RANKS: Readonly<Record<ReadableFormat, { readonly richest: number; readonly fastest: number }>> = {
  json: { richest: 2, fastest: 0 },
  csv: { richest: 3, fastest: 3 },
  jsonl: { richest: 0, fastest: 2 },
  parquet: { richest: 1, fastest: 1 },
};

/** The formats of an artifact, which can be opened again. */
export const ARTIFACT_FORMATS: readonly ReadableFormat[] = EXPORT_FORMATS.filter((format) => format !== "openmetrics");
/** The richest first: lossless, all samples, statistics with slices, statistics. */
export const RICHEST_FIRST = ARTIFACT_FORMATS.toSorted((a, b) => RANKS[a].richest - RANKS[b].richest);
/** The quickest to get statistics from first. */
export const FASTEST_FIRST = ARTIFACT_FORMATS.toSorted((a, b) => RANKS[a].fastest - RANKS[b].fastest);

/** How a file is packed; its name then ends in `.gz` or `.zst`. */
export type Compression = "gzip" | "zstd";
export const COMPRESSIONS: readonly Compression[] = ["gzip", "zstd"];
const ENDINGS: Readonly<Record<Compression, string>> = { gzip: ".gz", zstd: ".zst" };

/** A file's name with the ending of its compression. */
export function packedName(name: string, compression: Compression | undefined): string {
  return compression === undefined ? name : `${name}${ENDINGS[compression]}`;
}

/** A file's name without the ending of its compression. */
export function unpackedName(name: string): string {
  return name.replace(/\.(?:gz|zst)$/i, "");
}

/**
 * `server_metrics_export.json`, or with a prefix `<prefix>_server_metrics.json`; a known extension in the prefix is
 * stripped. Packed, `.gz` or `.zst` follows.
 */
export function artifactName(format: ArtifactFormat, prefix?: string, compression?: Compression): string {
  return packedName(`${artifactStem(prefix)}.${format}`, compression);
}

/** The name of a run's artifacts without their endings. */
export function artifactStem(prefix?: string): string {
  const stem = withoutEnding(prefix);
  return stem === "" ? "server_metrics_export" : `${stem}_server_metrics`;
}

/** `summary.md`, or with a prefix `<prefix>_summary.md`: a run for readers without this program. */
export function summaryName(prefix?: string): string {
  const stem = withoutEnding(prefix);
  return stem === "" ? "summary.md" : `${stem}_summary.md`;
}

/** With which every summary begins. */
export const SUMMARY_HEAD = "<!-- server-metrics run ";

const OUR_ENDING = new RegExp(`\\.(?:${EXPORT_FORMATS.join("|")})$`, "i");

function withoutEnding(prefix = ""): string {
  return prefix.replace(OUR_ENDING, "");
}

/** The files that a run is kept in, wherever they lie. No empty alternatives: the workbench's search knows none. */
export const ARTIFACT_GLOB = `**/{server_metrics_export,*_server_metrics}.{${["", ...Object.values(ENDINGS)]
  .flatMap((packed) => ARTIFACT_FORMATS.map((format) => `${format}${packed}`))
  .join(",")}}`;
const ARTIFACT = new RegExp(
  `^(server_metrics_export|(.+)_server_metrics)\\.(${ARTIFACT_FORMATS.join("|")})(?:\\.(?:gz|zst))?$`,
  "i",
);

/** What the name of a run's own file says. */
export interface ArtifactFileName {
  /** The same for all files of a run in a folder. */
  readonly stem: string;
  readonly prefix?: string;
  readonly format: ReadableFormat;
}

/** Reads a file's name, without its folder; undefined for a name that `artifactName` does not give. */
export function parseArtifactName(name: string): ArtifactFileName | undefined {
  const [, stem, prefix, ending] = ARTIFACT.exec(name) ?? [];
  const format = ARTIFACT_FORMATS.find((one) => one === ending?.toLowerCase());
  if (stem === undefined || format === undefined) return undefined;
  return { stem, format, ...(prefix === undefined ? {} : { prefix }) };
}

/** Whether a file's name is that of an artifact. */
export function isArtifact(name: string): boolean {
  return parseArtifactName(name) !== undefined;
}

/** Position of an artifact's format in an order, for sorting by it; -1 for what is not an artifact. */
export function rankOf(name: string, order: readonly ReadableFormat[]): number {
  const format = parseArtifactName(name)?.format;
  return format === undefined ? -1 : order.indexOf(format);
}

/** What a prefix may not have: it names files within a folder, never another folder, on any system. */
export const PREFIX_RULE = 'none of < > : " / \\ | ? * and at most 180 bytes';

/** Whether a prefix keeps to `PREFIX_RULE`. */
export function isPrefix(text: string): boolean {
  // File systems take names of 255 bytes; the format and the temporary name while it is written come on top.
  if (new TextEncoder().encode(text).length > 180) return false;
  return !/[<>:"/\\|?*\0]/.test(text);
}

/** Who wrote a file. */
export interface ExporterVersion {
  /** Of this program. */
  readonly version: string;
}

export const EXPORTER_NAME = "server-metrics";
/** Of CSV and Parquet. */
export const SCHEMA_VERSION = "1.0";
/** Of JSON, which also holds the warm-up. */
export const JSON_SCHEMA_VERSION = "1.1";

/** What to write of a run, and where. */
export interface ExportOptions {
  readonly directory: string;
  readonly prefix?: string;
  readonly formats: readonly ArtifactFormat[];
  /** Absent: not packed. */
  readonly compression?: Compression;
  /** Cells of CSV that a spreadsheet would run as formulas are neutralised. */
  readonly csvSafe?: boolean;
  /** Absent: the run's own. */
  readonly sliceDurationSeconds?: number;
  /** Exact window, nanoseconds since the epoch as decimal digits; absent: the current window. */
  readonly startNs?: string;
  readonly endNs?: string;
  /** Read every file back before any gets its name (asked for before a journal is removed). */
  readonly verify: boolean;
  /** A summary for people is written beside the files. */
  readonly summary?: boolean;
  /** A file that has one of the names is another run's: it stays, and none of these gets its name. */
  readonly keepExisting?: boolean;
}

export interface ExportedFile {
  readonly format: ArtifactFormat;
  readonly path: string;
  readonly bytes: number;
}
