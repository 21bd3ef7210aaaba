import type { ConceptId, Direction, Objective } from "../catalog/index.js";
import type { Labels, MetricType, RunStatistics, LabelledSeries } from "../model/index.js";
import type { Run } from "../store/index.js";
import type { KnownResults } from "./measured.js";

/*
 * What is compared and what comes out. Results are plain data that survives postMessage: no bigint, no Map, no
 * function. NaN stands for "not known". Shares are fractions: 0.03 is 3 %.
 */

/** One artifact to compare: with all samples, or (JSON, CSV) with its statistics and the slices it carries. */
export type ComparedRun = {
  readonly label: string;
  /** What its load generator's own result tells of the load (`clientLoad`). */
  readonly clientLoad?: string | undefined;
} & (
  | {
      readonly kind: "samples";
      readonly run: Run;
      /** It is still being captured: its window grows. */
      readonly live?: true;
      /** What was computed of it before, and is from now on; not for one that grows. */
      readonly known?: KnownResults;
    }
  | { readonly kind: "statistics"; readonly statistics: RunStatistics }
);

/** One run, or several repeats of it. */
export interface RunSet {
  readonly label: string;
  readonly runs: readonly ComparedRun[];
}

/**
 * What becomes of a label when series are matched.
 * - match: its values must be equal
 * - pair: it merely identifies; its values are paired: equal ones, then (endpoints) those with the same port, then in
 *   order
 * - aggregate: it merely identifies; all its values are taken together
 * - auto: paired where the candidate has as many values of it as the baseline, else aggregated
 */
export type LabelMode = "match" | "pair" | "aggregate" | "auto";

export interface LabelRule {
  /** Name of a label, or "endpoint_url". A label without a rule must match, but for `identifyingLabels`. */
  readonly label: string;
  readonly mode: LabelMode;
}

/** Differences smaller than this share are of no practical relevance, where nothing else is asked for. */
export const DEFAULT_THRESHOLD = 0.03;
/** Of the intervals of differences. */
export const DEFAULT_CONFIDENCE = 0.95;

export interface ComparisonOptions {
  /** Differences smaller than this share are of no practical relevance. Absent: DEFAULT_THRESHOLD. */
  readonly threshold?: number;
  /** Of the intervals. Absent: DEFAULT_CONFIDENCE. */
  readonly confidence?: number;
  /** Default: chosen for the comparison, about 240 slices of at least three scrapes. */
  readonly sliceSeconds?: number;
  /** Families to compare, by canonical name. Default: all. */
  readonly includes?: (family: string) => boolean;
  /** Rules for labels, before DEFAULT_LABEL_RULES. */
  readonly labelRules?: readonly LabelRule[];
  /** Which direction is good, by canonical family name; the catalogue's otherwise. */
  readonly directions?: Readonly<Record<string, Direction>>;
  /** Service level objectives: the share of observations that meets each is compared too. */
  readonly objectives?: readonly Objective[];
  /**
   * Of large files only the first families (`firstFamilies`) are there so far, without the buckets of their histograms:
   * the result says so.
   */
  readonly partial?: boolean;
}

/**
 * better, worse: differs by the threshold or more, in a direction the catalogue knows; differs: the same without a good
 * direction. same: the interval lies within the threshold. no-evidence: the data are compatible with no difference, and
 * with a relevant one. cannot-tell: the data do not allow a judgement, `reason` says why.
 */
export type Verdict = "better" | "worse" | "differs" | "same" | "no-evidence" | "cannot-tell";

/**
 * avg: mean of slice means, of a histogram sum by count. rate: increase per second. ratio: of two counters. p…:
 * estimates. share_below(T): share of the observations of at most T. goodput: share of the requests that meet all
 * objectives, of which buckets give bounds alone.
 */
export type Quantity = "avg" | "rate" | "ratio" | "p50" | "p90" | "p99" | `share_below(${number})` | "goodput";

/** How the uncertainty of the differences was found. */
export type Basis =
  /** Slices of equal position since the start of profiling, pair by pair. */
  | "paired-slices"
  /** Slices of each run by themselves: the runs' lengths or slices differ. */
  | "slices"
  /** Spread between repeats. */
  | "between-runs"
  /** No slices: values only. */
  | "values";

/** The series behind a row in one run. */
export interface SeriesBehind {
  /** Several when aggregated. */
  readonly series: readonly LabelledSeries[];
  /** Of a ratio the series that those are divided by. */
  readonly below?: readonly (LabelledSeries & { readonly family: string })[];
}

/** Series are those of a set's first run that has any. */
export interface SideValue extends SeriesBehind {
  /** In the row's unit; NaN when the side has none. Mean over the runs of a set. */
  readonly value: number;
  /** A quantile beyond the last bucket: `value` is only a lower limit. */
  readonly atLeast?: boolean;
  /** Of a share of observations: certain, as the buckets count. */
  readonly certain?: readonly [lower: number, upper: number];
  /** Of a share of observations: holds it in 90 % of the cases; inside `certain`. */
  readonly interval?: readonly [low: number, high: number];
  /** Of a set of several: each run's own. */
  readonly repeats?: readonly SeriesBehind[];
  /**
   * For a small multiple: the quantity (of a histogram its average) over the compared window, up to 48 points. Rows of
   * one histogram share it.
   */
  readonly trend: Float64Array;
}

/** What is known of a difference: its size, how certain that is, and what it rests on. */
export interface EstimatedDifference {
  /** Candidate less baseline, in the row's unit, with its interval. */
  readonly difference: number;
  readonly low: number;
  readonly high: number;
  /** Difference as a share of the baseline, with its interval; ±Infinity from a baseline of 0. */
  readonly share: number;
  readonly shareLow: number;
  readonly shareHigh: number;
  /** Two-sided, of no difference; NaN when it was not tested. */
  readonly p: number;
  /** Standard error of `difference`, with its degrees of freedom; NaN when there is none. */
  readonly se: number;
  readonly df: number;
  /**
   * Independent values that the slices are worth (the smaller side when not paired); the number of runs for sets; NaN
   * without.
   */
  readonly effective: number;
  readonly basis: Basis;
}

export interface ComparisonCell extends EstimatedDifference {
  readonly candidate: SideValue;
  /** After Benjamini-Hochberg over all rows of the column. */
  readonly adjustedP: number;
  readonly verdict: Verdict;
  /** Why there is none, or what to know about the verdict. */
  readonly reason?: string;
  /** Of several candidates: this one's series are compared in other rows, as its labels are matched otherwise. */
  readonly elsewhere?: true;
}

export interface ComparisonRow {
  /** Family, labels that must match, quantity, and a number where that is not enough: the same for any baseline. */
  readonly id: string;
  /** Canonical name. */
  readonly family: string;
  /** The quantity that different engines are compared by, where they have no family in common. */
  readonly concept?: ConceptId;
  /** What it is called: "Requests running". */
  readonly title: string;
  /** The name each side uses, when it is another: the baseline first, then each candidate. */
  readonly names?: readonly string[];
  readonly type: MetricType;
  /** Labels that match or are paired (with the baseline's values). */
  readonly labels: Labels;
  /** Of the baseline's endpoint; absent when endpoints were aggregated. */
  readonly endpointUrl?: string;
  readonly quantity: Quantity;
  /** The threshold of a share, in the metric's unit. */
  readonly objective?: Objective & { readonly unit?: string };
  readonly unit?: string;
  readonly direction: Direction;
  /** The catalogue's key metric, in its statistic. */
  readonly isKey: boolean;
  readonly group: string;
  readonly server?: string;
  readonly baseline: SideValue;
  /** One for each candidate. */
  readonly cells: readonly ComparisonCell[];
}

export interface BucketShares {
  readonly rowId: string;
  /** Common bounds as numbers, the last Infinity. */
  readonly uppers: Float64Array;
  readonly baseline: Float64Array;
  readonly candidates: readonly Float64Array[];
}

export interface UnmatchedSeries extends LabelledSeries {
  readonly family: string;
  readonly type: MetricType;
  /** In the baseline, or in the candidate of this position, and not in the other. */
  readonly side: "baseline" | "candidate";
  readonly candidate: number;
  readonly reason: string;
}

/** What a rule did to a label. */
export interface AppliedRule {
  readonly label: string;
  readonly mode: LabelMode;
  readonly applied: "match" | "pair" | "aggregate";
  /** To each candidate, where it was not the same to all. */
  readonly appliedTo?: readonly ("match" | "pair" | "aggregate")[];
  /**
   * Paired values: the baseline's, then each candidate's. Values seen, when aggregated: those of the baseline, then of
   * each candidate.
   */
  readonly values: readonly (readonly string[])[];
  /** What these runs tell of the label, where the rule comes from that. */
  readonly reason?: string;
}

export type WarningKind =
  | "partial"
  | "same-run"
  | "servers"
  | "concepts"
  | "length"
  | "load"
  | "work"
  | "restart"
  | "warm-up"
  | "window"
  | "slices"
  | "bounds"
  | "references"
  | "repeats"
  | "statistics-only"
  | "objectives";

export interface ComparisonWarning {
  readonly kind: WarningKind;
  /**
   * incomparable: all rows are "cannot tell". caution: verdicts stand but for the rows that it says; read them with
   * this in mind.
   */
  readonly severity: "incomparable" | "caution" | "note";
  readonly message: string;
  /** Labels of the runs that it is about, which the message begins with. */
  readonly runs?: readonly string[];
  /** Position of the candidate it concerns; absent: all of them or the baseline. */
  readonly candidate?: number;
}

/** What was configured differently, what servers say differently of themselves, or where runs came from. */
export interface ConfigurationDifference {
  readonly source: "provenance" | "input_config" | "server";
  /** Path in the configuration ("endpoint.model"), or family and label ("vllm:cache_config_info block_size"). */
  readonly name: string;
  /** Baseline, then each candidate; null where it is not set. */
  readonly values: readonly (string | null)[];
}

export interface RunSetSummary {
  readonly label: string;
  readonly runs: readonly RunSummary[];
}

export interface RunSummary {
  readonly label: string;
  readonly benchmarkId: string;
  readonly kind: ComparedRun["kind"];
  /** Start and end of the window, ISO 8601. */
  readonly start: string;
  readonly end: string;
  readonly seconds: number;
  /** Cut off before profiling began; absent where a file does not tell. */
  readonly warmupSeconds?: number;
  readonly endpoints: readonly string[];
  readonly servers: readonly string[];
  readonly models: readonly string[];
  /** "concurrency 8, 3.2 requests/s finished", or "not known". */
  readonly load: string;
  /** Length and number of the slices compared; 0 without. */
  readonly sliceSeconds: number;
  readonly slices: number;
  /** Series that restarted inside the window. */
  readonly restarted: number;
}

export interface ComparisonMethod {
  readonly threshold: number;
  readonly confidence: number;
  /** Share of false findings among the findings. */
  readonly falseDiscoveryRate: number;
  /** For a person: how it was compared, and what remains unseen. */
  readonly notes: readonly string[];
}

export interface Comparison {
  /** Of some of what the files hold: verdicts may change, for they are corrected for the number of rows. */
  readonly partial?: true;
  readonly baseline: RunSetSummary;
  readonly candidates: readonly RunSetSummary[];
  readonly method: ComparisonMethod;
  readonly warnings: readonly ComparisonWarning[];
  readonly configuration: readonly ConfigurationDifference[];
  readonly rules: readonly AppliedRule[];
  /** Decided ones first, those of the largest effect leading. */
  readonly rows: readonly ComparisonRow[];
  readonly unmatched: readonly UnmatchedSeries[];
  /** Of histograms whose runs share at least two finite bounds. */
  readonly shares: readonly BucketShares[];
}

/** "base" of "base-2" and "base run 3": a name without the number of the repeat; undefined of one that has none. */
export function repeatedName(label: string): string | undefined {
  const name = label.replace(/[\s._-]*(?:run|rep|repeat|r|#)?[\s._-]*\d+$/i, "");
  return name === label || name === "" ? undefined : name;
}

/** What a set is called: "base ×3". */
export function setLabel(labels: readonly string[]): string {
  const [first = ""] = labels;
  return labels.length < 2 ? first : `${repeatedName(first) ?? first} ×${labels.length}`;
}
