import type { LibraryRun, RunMeasured } from "../core/library/runs.js";
import type { Block, RichBlock } from "../core/text/document.js";
import type { DescribedError } from "./channel.js";

/* A report that travels: the answers that its views show, recorded once, for a page that nothing else answers. */

/** Which of the views its page shows. */
export type ReportView = "run" | "comparison" | "experiment" | "library";

/** What an engine said. */
export interface RecordedAnswer {
  readonly name: string;
  readonly params: unknown;
  readonly outcome: { readonly result: unknown } | { readonly error: DescribedError };
}

/** A file that a report was made from. */
export interface ReportedFile {
  readonly path: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** What a report says of itself. */
export interface ReportAbout {
  readonly title: string;
  /** ISO 8601. */
  readonly made: string;
  /** Of this program. */
  readonly version: string;
  readonly files: readonly ReportedFile[];
  /** What the raw data has and the report has not, a sentence each. */
  readonly leftOut: readonly string[];
  /** What the views do not show, below them. */
  readonly details?: readonly Block[];
  /** What was replaced: "hosts". */
  readonly redacted: readonly string[];
}

/** What a report's page is made of. */
export interface ReportPage {
  readonly view: ReportView;
  readonly about: ReportAbout;
  readonly answers: readonly RecordedAnswer[];
}

export interface Report extends ReportPage {
  /** The same as text. */
  readonly document: readonly RichBlock[];
}

/** The runs of a folder, of which the page makes its tables and plots: answers "runs", which no page asks. */
export interface ReportedRuns {
  readonly folder: string;
  readonly runs: readonly (Omit<LibraryRun, "measured"> & {
    readonly measured?: Omit<RunMeasured, "values"> & { readonly values: Readonly<Record<string, number>> };
  })[];
}

/** A report of so many endpoints also holds the answers about each of them. */
export const MOST_NARROWED = 16;

const NUMBER = "$number";
const NUMBERS = "$numbers";
const STEPS = "$steps";

/**
 * As JSON, with what JSON has no form for: NaN, infinities, typed arrays. Whole numbers that ascend, as times do, are
 * written by their steps, which pack better.
 */
export function packReport(report: ReportPage): string {
  return JSON.stringify(report, (_key, value: unknown) => {
    if (typeof value === "number") return Number.isFinite(value) ? value : { [NUMBER]: String(value) };
    if (!(value instanceof Float64Array)) return value;
    return isAscending(value)
      ? { [STEPS]: Array.from(value, (time, i) => (i === 0 ? time : time - (value[i - 1] ?? 0))) }
      : { [NUMBERS]: Array.from(value, (one) => (Number.isNaN(one) ? null : one)) };
  });
}

/** What `packReport` was given. */
export function unpackReport(text: string): ReportPage {
  return JSON.parse(text, (_key, value: unknown) => {
    if (typeof value !== "object" || value === null) return value;
    if (NUMBER in value) return Number(value[NUMBER]);
    if (NUMBERS in value && Array.isArray(value[NUMBERS]))
      return Float64Array.from(value[NUMBERS], (one: unknown) => (one === null ? NaN : Number(one)));
    if (!(STEPS in value) || !Array.isArray(value[STEPS])) return value;
    let at = 0;
    return Float64Array.from(value[STEPS], (step: unknown) => (at += Number(step)));
  }) as ReportPage;
}

/** Whether all differences are exact and of one sign: whole numbers below 2^53. */
function isAscending(values: Float64Array): boolean {
  return (
    values.length > 1 && values.every((one, i) => Number.isSafeInteger(one) && (i === 0 || one > (values[i - 1] ?? 0)))
  );
}
