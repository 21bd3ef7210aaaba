import { t } from "@vscode/l10n";
import type { OpenedFile, RunHeader, RunAdjustment } from "../../src/protocol/index.js";
import { offsetNs, type FileFormat, type OffsetNs } from "../../src/core/model/index.js";
import { formatRelative, relativeSeconds } from "../format/time.js";
import type { Viewport } from "../state/run-store.js";

/** Slice lengths that are offered, seconds. */
export const COMMON_SLICES = [1, 2, 5, 10, 30, 60] as const;

/** "Window: 0:10 to 1:30", from the start of profiling as charts are; tenths only where the window is short. */
export function windowText(window: NonNullable<RunHeader["window"]>, profilingStart: number): string {
  const digits = relativeSeconds(window.end, window.start) < 10 ? 1 : 0;
  const text = (offset: number) => clock(relativeSeconds(offset, profilingStart), digits);
  return t`Window: ${text(window.start)} to ${text(window.end)}`;
}

/** "warm-up 0:30, 0:10 as recorded": lengths of the warm-up, of the run whose end of it was moved. */
export function warmupText({
  profilingStart,
  recordedProfilingStart = profilingStart,
}: Pick<RunHeader, "profilingStart" | "recordedProfilingStart">): string {
  const text = (offset: number) => clock(relativeSeconds(offset, 0), Math.abs(offset) < 10e9 ? 1 : 0);
  return t`warm-up ${text(profilingStart)}, ${text(recordedProfilingStart)} as recorded`;
}

/** As on the axis, but minutes and seconds always: "0:10" stands beside "1:30". */
function clock(seconds: number, digits: number): string {
  const rounded = Number(Math.abs(seconds).toFixed(digits));
  if (rounded >= 60) return formatRelative(seconds, digits);
  const [whole = "0", tenths] = String(rounded).split(".");
  return `${seconds < 0 && rounded > 0 ? "-" : ""}0:${whole.padStart(2, "0")}${tenths === undefined ? "" : `.${tenths}`}`;
}

/** The stretch that charts show, as far as the run goes; undefined when nothing of the run is in it. */
export function windowOfZoom(
  { from, to }: Viewport,
  { profilingStart, now }: Pick<RunHeader, "profilingStart" | "now">,
): { readonly start: OffsetNs; readonly end: OffsetNs } | undefined {
  const offset = (seconds: number) => Math.min(now, Math.max(0, Math.round(seconds * 1e9 + profilingStart)));
  const [start, end] = [offset(from), offset(to)];
  return end > start ? { start: offsetNs(start), end: offsetNs(end) } : undefined;
}

/** What was typed as a slice's length, in seconds; undefined when it is no length of time. */
export function parseSlice(text: string): number | undefined {
  const match = /^\s*(\d+(?:[.,]\d+)?|[.,]\d+)\s*s?\s*$/.exec(text);
  const seconds = match === null ? NaN : Number(match[1]?.replace(",", "."));
  return seconds > 0 ? seconds : undefined;
}

const FORMATS: { readonly [F in FileFormat]: string } = {
  json: t("JSON export"),
  csv: t("CSV export"),
  jsonl: t("JSONL export"),
  parquet: t("Parquet export"),
  journal: t("capture journal"),
  "scrape-log": t("scrape log"),
  "metric-dump": t("dump of vLLM's metrics"),
  client: t("results of a benchmark client"),
  snapshot: t("Prometheus exposition"),
  "earlier-json": t("JSON of an earlier AIPerf"),
  "earlier-csv": t("CSV of an earlier AIPerf"),
};

export function formatName(format: FileFormat): string {
  return FORMATS[format];
}

/** What can be shown: the run (the empty value) or one of its files alone. Copies of one format go by their names. */
export function fileOptions({ path, format, siblings }: Pick<OpenedFile, "path" | "format" | "siblings">) {
  const files = [{ path, format }, ...siblings].sort((a, b) => (a.path < b.path ? -1 : 1));
  return [
    { value: "", text: t`Run, best of ${files.length} files` },
    ...files.map((file) => ({
      value: file.path,
      text: t`${files.filter((other) => other.format === file.format).length > 1 ? fileName(file.path) : formatName(file.format)} alone`,
    })),
  ];
}

/** The name of a file without its folder, on any system. */
export function fileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

const RECORDED = "recorded";
const OTHER = "other";
/** Before a phase's name, which may be any word. */
const NAMED = t("phase ");

/** What the window can be set to by name, and what it is now; undefined of a run without phases. */
export function phaseChoice({ phases = [], window, load }: Pick<RunHeader, "phases" | "window" | "load">) {
  if (phases.length === 0) return undefined;
  const present = phases.find(({ start, end }) => start === window?.start && end === window.end);
  const other = window !== undefined && present === undefined;
  const hasWarmup = phases.some(({ kind }) => kind === "warmup");
  const recorded = hasWarmup ? t("All but the warm-up") : t("Whole run");
  return {
    value: other ? OTHER : present === undefined ? RECORDED : NAMED + present.name,
    options: [
      // The recorded window leaves the warm-up out.
      { value: RECORDED, text: load?.rule === "load" ? t("Load") : recorded },
      ...phases.map(({ name }) => ({ value: NAMED + name, text: name })),
      ...(other ? [{ value: OTHER, text: t("Part of the run") }] : []),
    ],
  };
}

/** What sets the window to a choice; undefined for the window that is there. */
export function phaseAdjustment(value: string, { phases = [] }: Pick<RunHeader, "phases">): RunAdjustment | undefined {
  if (value === RECORDED) return { window: "recorded" };
  const phase = phases.find(({ name }) => NAMED + name === value);
  return phase === undefined ? undefined : { window: { start: phase.start, end: phase.end } };
}
