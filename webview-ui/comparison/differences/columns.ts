import { splitValue } from "../../../src/core/catalog/display.js";
import type { Comparison } from "../../../src/protocol/comparison.js";
import { symbolOnly } from "../../format/unit.js";
import type { DifferenceModel } from "./rows.js";

export interface DifferenceColumn {
  /** As a sorting names it; a candidate's begin with its position: "0/share". */
  readonly key: string;
  readonly title: string;
  readonly hint: string;
  readonly numeric: boolean;
  readonly sortable: boolean;
  /** Position of the candidate; absent: of the row or the baseline. */
  readonly candidate?: number;
}

export interface DifferenceColumns {
  readonly columns: readonly DifferenceColumn[];
  /** For CSS grid. */
  readonly template: string;
  /**
   * Width of the first column where the table is wider than its place: it and the second stay while the others are
   * scrolled.
   */
  readonly first: string;
}

/** Rows that tell how wide names are: more make no difference. */
const SAMPLE = 300;
const PADDING = 12;
/** Where there is no room for all columns, names are cut short in their middle beyond this. Characters. */
const MOST_NAME = 31;

/** The table's columns, a group for each candidate. Labels have theirs only where rows differ in them. */
export function differenceColumns(comparison: Comparison, { rows }: DifferenceModel): DifferenceColumns {
  const step = Math.max(1, Math.floor(rows.length / SAMPLE));
  const sample = rows.filter((_row, i) => i % step === 0);
  const longest = (text: (row: DifferenceModel["rows"][number]) => string) =>
    sample.reduce((most, row) => Math.max(most, text(row).length), 0);
  const labelled = rows.some(({ labels }) => labels !== "");
  const columns: DifferenceColumn[] = [
    { key: "metric", title: "Metric", hint: "Metric family and its unit", numeric: false, sortable: true },
    {
      key: "quantity",
      title: "Quantity",
      hint: "What is compared of the metric: its mean, rate, share or a percentile",
      numeric: false,
      sortable: true,
    },
    ...(labelled
      ? [
          {
            key: "labels",
            title: "Labels",
            hint: "Labels that tell rows apart, as matched",
            numeric: false,
            sortable: true,
          },
        ]
      : []),
    { key: "baseline", title: "Value", hint: `Value of ${comparison.baseline.label}`, numeric: true, sortable: true },
  ];
  const name = Math.min(38, longest((one) => one.name) + longest((one) => unitWord(one.row.unit)) + 1);
  const first = `min(${Math.min(MOST_NAME, name + 4)}ch, 46vw)`;
  const labelWidth = Math.min(
    44,
    Math.max(
      12,
      longest((one) => one.labels),
    ),
  );
  const widths = [
    `minmax(${first}, ${name + 8}ch)`,
    `calc(8ch + ${PADDING}px)`,
    ...(labelled ? [`minmax(min(${Math.min(labelWidth, 19)}ch, 24vw), ${labelWidth}ch)`] : []),
    ch(9),
  ];
  comparison.candidates.forEach(({ label }, candidate) => {
    const of = (key: string, title: string, hint: string, numeric: boolean, sortable = true): DifferenceColumn => ({
      key: `${candidate}/${key}`,
      title,
      hint,
      numeric,
      sortable,
      candidate,
    });
    columns.push(
      of("value", "Value", `Value of ${label}`, true),
      of("difference", "Difference", `${label} less ${comparison.baseline.label}`, true),
      of("share", "%", `Difference as a share of ${comparison.baseline.label}`, true),
      of(
        "verdict",
        "Verdict",
        "Better, worse or different by the threshold or more; or why that cannot be said",
        false,
      ),
      of(
        "interval",
        "Interval",
        `${Math.round(100 * comparison.method.confidence)} % confidence interval of the difference, all rows on one scale`,
        false,
        false,
      ),
      of("trend", "Trend", `${comparison.baseline.label} and ${label} over time`, false, false),
    );
    widths.push(ch(9), ch(10), ch(9), `calc(14ch + ${PADDING}px)`, `${120 + PADDING}px`, `${84 + PADDING}px`);
  });
  columns.push({ key: "actions", title: "", hint: "", numeric: false, sortable: false });
  return { columns, first, template: `${[...widths, "minmax(36px, 1fr)"].join(" ")}` };
}

function ch(width: number): string {
  return `minmax(calc(${width}ch + ${PADDING}px), calc(${width + 3}ch + ${PADDING}px))`;
}

/** The unit behind a name: one that is a word, which cells leave out. */
export function unitWord(unit: string | undefined): string {
  return unit === undefined || symbolOnly(unit) !== undefined ? "" : splitValue(1, unit).unit;
}
