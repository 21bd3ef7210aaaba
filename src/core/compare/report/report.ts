import { attainedText, formatValue, objectiveText } from "../../catalog/display.js";
import { joinedText, joiningOf } from "../../catalog/joining.js";
import { displayName, formatLabels, labelKey, type SeriesId, type LabelledSeries } from "../../model/index.js";
import { groupBy } from "../../math/index.js";
import type { Comparison, ComparisonCell, ComparisonRow, Quantity, SideValue, Verdict } from "../types.js";
import { grouped, noun, plural } from "../../text/plural.js";

/** A verdict in words. */
export const VERDICT_TEXT: Readonly<Record<Verdict, string>> = {
  better: "better",
  worse: "worse",
  differs: "different",
  same: "same",
  "no-evidence": "no evidence",
  "cannot-tell": "cannot tell",
};

/** Whether any candidate of a row is better, worse or different. */
export function isDecided(row: ComparisonRow): boolean {
  return row.cells.some((cell) => isDecidedCell(cell));
}

/** Whether the verdict is better, worse or different. */
export function isDecidedCell(cell: ComparisonCell | undefined): boolean {
  const verdict = cell?.verdict;
  return verdict === "better" || verdict === "worse" || verdict === "differs";
}

/** How far objectives are met: asked for by the user, and the more the better. */
export function isAttainment(quantity: Quantity): boolean {
  return quantity === "goodput" || quantity.startsWith("share_below");
}

/** From so many times the baseline on a factor is read more easily than a percentage. */
const FACTOR_FROM = 10;

/** "+12.3 %", "×9,470" from ten times on; "from 0" where the baseline is 0. */
export function shareText(share: number): string {
  if (Number.isNaN(share)) return "–";
  if (!Number.isFinite(share)) return "from 0";
  if (1 + share >= FACTOR_FROM) return `×${grouped(Math.round(1 + share))}`;
  const percent = 100 * share;
  return `${percent > 0 ? "+" : percent < 0 ? "−" : ""}${formatValue(Math.abs(percent), undefined)} %`;
}

/** "[+8.1 %, +17 %]"; "" without an interval. */
export function intervalText({ shareLow, shareHigh }: Pick<ComparisonCell, "shareLow" | "shareHigh">): string {
  return Number.isFinite(shareLow) && Number.isFinite(shareHigh)
    ? `[${shareText(shareLow)}, ${shareText(shareHigh)}]`
    : "";
}

/** What is compared of a row's metric: "p99", "share ≤ 500 ms". */
export function quantityText({ quantity, objective }: Pick<ComparisonRow, "quantity" | "objective">): string {
  if (quantity === "goodput") return "share of requests";
  return objective === undefined ? quantity : objectiveText(objective.threshold, objective.unit);
}

/** How the values of several series are one; undefined of a histogram's and of a ratio. */
export function joinOf({
  type,
  unit,
  quantity,
}: Pick<ComparisonRow, "type" | "unit" | "quantity">): "sum" | "mean" | undefined {
  return type === "histogram" || quantity === "ratio" ? undefined : joiningOf(type, unit).compared;
}

/** As `quantityText`, with how it is made of several series: "avg, sum of 2"; of a histogram "p99, of 2 series". */
export function wholeQuantityText(row: ComparisonRow): string {
  const sides = [row.baseline, ...row.cells.map(({ candidate }) => candidate)];
  const counts = [...new Set(sides.map(({ series }) => series.length))].filter((count) => count > 0);
  if (!counts.some((count) => count > 1)) return quantityText(row);
  const join = joinOf(row);
  const count = counts.join(" and ");
  return `${quantityText(row)}, ${join === undefined ? `of ${count} series` : joinedText(join, count)}`;
}

/** "98.1 % (97.6 % to 98.5 %, certain 95 % to 99 %)"; of a goodput "96 % to 97.5 %". */
function attainmentText(value: number, certain: Range, interval: Range | undefined): string {
  const text = ([low, high]: Range) => `${attainedText(low)} to ${attainedText(high)}`;
  if (certain[0] === certain[1]) return attainedText(value);
  return interval === undefined
    ? text(certain)
    : `${attainedText(value)} (${text(interval)}, certain ${text(certain)})`;
}

type Range = readonly [number, number];

/** One side's value with its unit; "≥" before a percentile beyond the last bound, bounds behind an attainment. */
export function sideText({ value, atLeast, certain, interval }: SideValue, unit: string | undefined): string {
  if (certain !== undefined) return attainmentText(value, certain, interval);
  return `${atLeast === true && !Number.isNaN(value) ? "≥ " : ""}${formatValue(value, unit)}`;
}

/** Family, labels and, where runs have several endpoints, the endpoint; of a concept its title and all names. */
export function rowName(row: ComparisonRow, comparison: Comparison): string {
  const several = comparison.baseline.runs.some(({ endpoints }) => endpoints.length > 1);
  const endpoint = several && row.endpointUrl !== undefined ? ` @ ${displayName(row.endpointUrl)}` : "";
  const paired = new Set(
    comparison.rules
      .filter(({ applied, values }) => applied === "pair" && values.every((list) => list.length <= 1))
      .map(({ label }) => label),
  );
  if (row.quantity === "goodput") return row.title;
  if (row.concept !== undefined)
    return `${row.title}${formatLabels(row.labels)} (${[...new Set(row.names ?? [row.family])].filter((name) => name !== "").join(" / ")})`;
  return `${row.family}${formatLabels(row.labels.filter(([name]) => !paired.has(name)))}${endpoint}`;
}

/** A reason that more cells have is said once, below the table. */
const MAX_SAID = 2;

/** What stands behind a verdict; "" where it is said above, "[a]" and the like where it is said below. */
export class Reasons {
  private readonly marks = new Map<string, string>();
  private readonly above: ReadonlySet<string>;

  /** @param rows those that are shown */
  constructor({ warnings }: Pick<Comparison, "warnings">, rows: readonly ComparisonRow[]) {
    this.above = new Set(warnings.map(({ message }) => message));
    const all = rows.flatMap(({ cells }) => cells.flatMap(({ reason }) => reason ?? []));
    for (const [reason, { length }] of groupBy(all, (one) => one))
      if (length > MAX_SAID && !this.above.has(reason))
        this.marks.set(reason, `[${String.fromCharCode(97 + (this.marks.size % 26))}]`);
  }

  /** "worse", "cannot tell: the bucket bounds differ", "cannot tell [a]". */
  verdict({ verdict, reason }: ComparisonCell, shown = VERDICT_TEXT[verdict]): string {
    if (reason === undefined || this.above.has(reason)) return shown;
    const mark = this.marks.get(reason);
    return mark === undefined ? `${shown}: ${reason}` : `${shown} ${mark}`;
  }

  /** A line for each that is said below. */
  get below(): readonly string[] {
    return [...this.marks].map(([reason, mark]) => `${mark} ${reason}`);
  }
}

/** Why rows have no verdict although their intervals leave no difference out; "" where there are none. */
export function withheldText({ method }: Pick<Comparison, "method">, rows: readonly ComparisonRow[]): string {
  const withheld = rows.filter(({ cells }) =>
    cells.some(
      ({ verdict, shareLow, shareHigh, share, adjustedP }) =>
        verdict === "no-evidence" &&
        (shareLow > 0 || shareHigh < 0) &&
        Math.abs(share) >= method.threshold &&
        adjustedP > method.falseDiscoveryRate,
    ),
  ).length;
  return withheld === 0
    ? ""
    : `${plural(withheld, "row")} without a verdict ${noun(withheld, "has", "have")} an interval that leaves 0 out: of so many rows some do by chance, which the correction for their number allows for.`;
}

/** How many rows have a verdict: "6 different", "40 no evidence". */
export function countedVerdict(count: number, verdict: Verdict): string {
  return `${grouped(count)} ${VERDICT_TEXT[verdict]}`;
}

/** What stands above or before a row's name; undefined where the name is a title already: of concepts and goodput. */
export function titleOfRow(row: ComparisonRow): string | undefined {
  return row.concept !== undefined || row.quantity === "goodput" ? undefined : row.title;
}

/** "3 worse, 2 better, 40 no evidence". */
export function verdictCounts({ rows }: Comparison, candidate: number): string {
  const counts = new Map<Verdict, number>();
  for (const { cells } of rows) {
    const cell = cells[candidate];
    const verdict = cell?.elsewhere === true ? undefined : cell?.verdict;
    if (verdict !== undefined) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  }
  const order: readonly Verdict[] = ["worse", "better", "differs", "same", "no-evidence", "cannot-tell"];
  return order
    .flatMap((verdict) => {
      const count = counts.get(verdict);
      return count === undefined ? [] : [countedVerdict(count, verdict)];
    })
    .join(", ");
}

/** What there is to say when no row is decided. */
export function undecidedText({ rows, method }: Pick<Comparison, "rows" | "method">): string {
  const count = (verdict: Verdict) => rows.filter(({ cells }) => cells.some((one) => one.verdict === verdict)).length;
  const [same, open, unjudged] = [count("same"), count("no-evidence"), count("cannot-tell")];
  const all = plural(rows.length, "row");
  if (same + open === 0) return `${all} compared, none could be judged.`;
  const parts = [
    `of ${all} ${plural(same, "is", "are")} the same within the threshold`,
    ...(open > 0 ? [`for ${grouped(open)} there is no evidence`] : []),
    ...(unjudged > 0 ? [`${grouped(unjudged)} could not be judged`] : []),
  ];
  return `No metric differs by ${shareText(method.threshold).replace("+", "")} or more: ${parts.join(", ")}.`;
}

/** What a row says of one run. */
interface RowSide {
  /** The family as this run calls it. */
  readonly family: string;
  readonly series: readonly LabelledSeries[];
  /** Of a ratio what those are divided by, by family. */
  readonly below?: ReadonlyMap<string, readonly LabelledSeries[]>;
}

/**
 * @param column of the result: 0 the baseline; undefined for one that the row has not
 * @param repeat of a set; undefined: its first run that has series
 */
export function rowSide(row: ComparisonRow, column: number, repeat?: number): RowSide | undefined {
  const whole = column === 0 ? row.baseline : row.cells[column - 1]?.candidate;
  if (whole === undefined) return undefined;
  const { series, below } = (repeat === undefined ? undefined : whole.repeats?.[repeat]) ?? whole;
  const named = row.names?.[column];
  const own = { family: named === undefined || named === "" ? row.family : named, series };
  return below === undefined ? own : { ...own, below: groupBy(below, ({ family }) => family) };
}

/** Those of a family's series that a row is about. */
export function seriesBehind(
  all: readonly (LabelledSeries & { readonly id: SeriesId })[],
  wanted: readonly LabelledSeries[],
): SeriesId[] {
  const keys = new Set(wanted.map(keyOf));
  return all.filter((series) => keys.has(keyOf(series))).map(({ id }) => id);
}

function keyOf({ endpointUrl, labels }: LabelledSeries): string {
  return `${endpointUrl} ${labelKey(labels)}`;
}
