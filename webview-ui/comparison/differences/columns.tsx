import { t } from "@vscode/l10n";
import type { VNode } from "preact";
import { splitValue } from "../../../src/core/catalog/display.js";
import { wholeQuantityText, shareText, sideText } from "../../../src/core/compare/report/report.js";
import type {
  ComparisonCell,
  ComparisonRow,
  IdentifiedComparison,
  SideValue,
} from "../../../src/protocol/comparison.js";
import { Icon } from "../../components/icon.js";
import { TruncatedText } from "../../shorten/truncated-text.js";
import { TextGroup } from "../../shorten/text-group.js";
import { narrowNames, symbolOnly } from "../../format/text.js";
import {
  digits,
  type ColumnHint,
  type GridColumn,
  type GridGroup,
  CellName,
  numberRoom,
  ShownNumber,
} from "../../tables/columns.js";
import { VERDICTS, type ComparisonLayout } from "../layout.js";
import { RunSwatch } from "../run-swatch.js";
import { DIRECTION_TEXT, VerdictMark } from "../words.js";
import { IntervalBar, intervalScale, type IntervalScale, Trend } from "./drawings.js";
import { verdictLines, familyText, type DifferenceRow, differenceModel, filterRows } from "./rows.js";
import { sortedRows } from "../../tables/table-state.js";

type Column = GridColumn<DifferenceRow>;

/** Names and labels have room up to this many characters; beyond that their middle is left out. */
const LEAST = { name: 44, labels: 16 } as const;
const MOST = { name: 84, labels: 46 } as const;
/** The arrow that opens a row, the one that tells which way is better, and the row's menu. */
const ICONS = 7.5;

/**
 * The table's columns; a candidate's begin with its position: "0/share".
 *
 * @param rows all of them
 * @param labelled whether a row that is shown has labels of its own, which have a column then
 */
export function differenceColumns(
  comparison: IdentifiedComparison,
  rows: readonly DifferenceRow[],
  labelled: boolean,
): readonly Column[] {
  const quantities = new TextGroup(() => rows.map(({ row }) => wholeQuantityText(row)));
  const names = new TextGroup(() => rows.map(({ name }) => name));
  const scale = intervalScale(comparison.rows, comparison.method.threshold);
  const baseline = value("baseline", comparison.baseline.label, ({ row }) => row.baseline);
  return [
    {
      key: "metric",
      title: t("Metric"),
      about: t("Metric family and its unit"),
      kind: "text",
      order: ({ name }) => name,
      room: {
        head: 10,
        needs: ({ name, row }) => name.length + digits(unitWord(row.unit)) + ICONS,
        extra: ({ name, row }) => (name === row.family ? 0 : familyText(row).length * 0.9 + 2),
        least: LEAST.name,
        most: MOST.name,
      },
      titleOf: ({ row }) => `${familyText(row)}\n${DIRECTION_TEXT[row.direction]}`,
      cell: (one) => <MetricName one={one} group={names} />,
    },
    {
      key: "quantity",
      title: t("Quantity"),
      about: t("What is compared of the metric: its mean, rate, share or a percentile"),
      kind: "text",
      fixed: true,
      order: ({ row }) => wholeQuantityText(row),
      room: { head: 9, needs: ({ row }) => wholeQuantityText(row).length + 0.5, least: 14, most: 18 },
      cell: ({ row }) => <TruncatedText text={wholeQuantityText(row)} group={quantities} />,
    },
    ...(labelled ? [labelColumn(rows)] : []),
    { ...baseline, room: roomFor(baselineName(comparison), baseline.room), starts: true },
    ...comparison.candidates.flatMap(({ label }, c) => candidateColumns(label, c, comparison, scale)),
  ];
}

/** What the baseline's one column is headed by. */
function baselineName({ baseline, candidates }: Pick<IdentifiedComparison, "baseline" | "candidates">): string {
  return narrowNames([baseline, ...candidates].map(({ label }) => label))[0] ?? baseline.label;
}

/** Characters of the baseline's name that its column has room for, beside its colour. */
const MAX_HEAD = 12;
const SWATCH = 2.5;

/** The name stands over one column only, where numbers alone would cut it. */
function roomFor(name: string, room: Column["room"]): Column["room"] {
  return "head" in room ? { ...room, head: Math.max(room.head, Math.min(name.length, MAX_HEAD) + SWATCH) } : room;
}

function labelColumn(rows: readonly DifferenceRow[]): Column {
  const group = new TextGroup(() => rows.map(({ labels }) => labels));
  return {
    key: "labels",
    title: t("Labels"),
    about: t("Labels that tell rows apart, as matched"),
    kind: "text",
    order: ({ labels }) => labels,
    room: { head: 10, needs: ({ labels }) => labels.length, least: LEAST.labels, most: MOST.labels },
    titleOf: ({ labels }) => (labels === "" ? undefined : labels),
    cell: ({ labels }) => <TruncatedText text={labels} group={group} />,
  };
}

/** A head is never empty, not even where it heads no run. */
const ROW_HEAD = <span class="visually-hidden">{t("Row")}</span>;

/** Headings over the columns of each run. */
export function differenceGroups(
  { baseline, candidates, runIds }: IdentifiedComparison,
  columns: readonly Column[],
): readonly GridGroup[] {
  const own = columns.slice(
    0,
    columns.findIndex(({ key }) => key === "baseline"),
  );
  const labels = new TextGroup(() => candidates.map(({ label }) => label));
  return [
    ...own.map(({ key }, i) => ({ key, title: "", content: ROW_HEAD, span: 1, fixed: i < 2 })),
    {
      key: "baseline",
      title: baseline.label,
      numeric: true,
      span: 1,
      content: (
        <>
          <RunSwatch run={runIds[0]} />
          <TruncatedText text={baselineName({ baseline, candidates })} />
        </>
      ),
    },
    ...candidates.map(({ label }, c) => ({
      key: String(c),
      title: label,
      span: columns.filter(({ key }) => key.startsWith(`${c}/`)).length,
      content: (
        <span class="group-name">
          <RunSwatch run={runIds[c + 1]} />
          <TruncatedText text={label} group={labels} />
        </span>
      ),
    })),
  ];
}

function candidateColumns(
  label: string,
  c: number,
  comparison: IdentifiedComparison,
  scale: IntervalScale,
): readonly Column[] {
  const { threshold, confidence } = comparison.method;
  const cellOf = ({ row }: DifferenceRow): ComparisonCell | undefined => row.cells[c];
  const drawn = (draw: (cell: ComparisonCell, row: ComparisonRow) => VNode) => (one: DifferenceRow) => {
    const cell = cellOf(one);
    return cell === undefined ? null : draw(cell, one.row);
  };
  const hint: ColumnHint<DifferenceRow> = {
    has: (one) => cellOf(one) !== undefined,
    lines: (one) => {
      const cell = cellOf(one);
      return cell === undefined ? [] : verdictLines(cell, one.row.unit, confidence);
    },
  };
  return [
    { ...value(`${c}/value`, label, (one) => cellOf(one)?.candidate), starts: true },
    {
      key: `${c}/difference`,
      title: t("Difference"),
      about: t`${label} minus ${comparison.baseline.label}`,
      kind: "number",
      order: (one) => known(cellOf(one)?.difference),
      unit: ({ row }) => row.unit,
      room: numberRoom(t("Difference"), (one) => {
        const shown = splitValue(Math.abs(cellOf(one)?.difference ?? NaN), symbolOnly(one.row.unit));
        return { ...shown, number: `+${shown.number}` };
      }),
      cell: drawn(({ difference }, { unit }) => (
        <>
          {difference > 0 ? "+" : difference < 0 ? "−" : ""}
          <ShownNumber value={Math.abs(difference)} unit={symbolOnly(unit)} />
        </>
      )),
    },
    {
      key: `${c}/share`,
      title: "%",
      about: t`Difference as a share of ${comparison.baseline.label}`,
      kind: "number",
      order: (one) => known(cellOf(one)?.share),
      room: numberRoom("%", (one) => ({ number: shareText(cellOf(one)?.share ?? NaN), unit: "" })),
      hint,
      cell: drawn(({ share }) => <>{shareText(share)}</>),
    },
    {
      key: `${c}/verdict`,
      title: t("Verdict"),
      about: t("Better, worse or different by the threshold or more; or why there is no verdict"),
      kind: "text",
      descendingFirst: true,
      order: (one) => -VERDICTS.indexOf(cellOf(one)?.verdict ?? "same"),
      room: { head: 10, needs: () => 14, least: 14, most: 14 },
      hint,
      cell: drawn(({ verdict, reason }) => (
        <>
          <VerdictMark verdict={verdict} />
          {reason !== undefined && <span class="verdict-more" aria-hidden="true" />}
        </>
      )),
    },
    {
      key: `${c}/interval`,
      title: t("Interval"),
      about: t`${Math.round(100 * confidence)} % confidence interval of the difference, all rows on one scale`,
      kind: "drawing",
      room: { pixels: 120 },
      head: () => <IntervalAxis scale={scale} />,
      hint,
      cell: drawn((cell) => <IntervalBar cell={cell} scale={scale} threshold={threshold} />),
    },
    {
      key: `${c}/trend`,
      title: t("Trend"),
      about: t`${comparison.baseline.label} and ${label} over time`,
      kind: "drawing",
      room: { pixels: 84 },
      cell: drawn(({ candidate }, { baseline }) => (
        <Trend
          baseline={baseline.trend}
          candidate={candidate.trend}
          runs={[comparison.runIds[0], comparison.runIds[c + 1]]}
        />
      )),
    },
  ];
}

/** What one run measured. */
function value(key: string, label: string, sideOf: (one: DifferenceRow) => SideValue | undefined): Column {
  return {
    key,
    title: t("Value"),
    about: t`Value of ${label}`,
    kind: "number",
    order: (one) => known(sideOf(one)?.value),
    unit: ({ row }) => row.unit,
    room: numberRoom(t("Value"), (one) => {
      const side = sideOf(one);
      const shown = splitValue(side?.value ?? NaN, symbolOnly(one.row.unit));
      return { ...shown, number: `${side?.atLeast === true ? "≥ " : ""}${shown.number}` };
    }),
    titleOf: (one) => {
      const side = sideOf(one);
      return side === undefined ? undefined : sideText(side, one.row.unit);
    },
    cell: (one) => {
      const side = sideOf(one);
      return side === undefined ? null : (
        <>
          {side.atLeast === true && "≥ "}
          <ShownNumber value={side.value} unit={symbolOnly(one.row.unit)} />
        </>
      );
    },
  };
}

function known(number: number | undefined): number | undefined {
  return number === undefined || Number.isNaN(number) ? undefined : number;
}

/** The unit behind a name: one that is a word, which cells leave out. */
function unitWord(unit: string | undefined): string {
  return unit === undefined || symbolOnly(unit) !== undefined ? "" : splitValue(1, unit).unit;
}

function IntervalAxis({ scale }: { readonly scale: IntervalScale }) {
  const end = `${Number((100 * scale.limit).toPrecision(2))} %`;
  return (
    <>
      <span class="visually-hidden">{t("Interval")}</span>
      <span class="interval-axis" aria-hidden="true">
        <span>−{end}</span>
        <span>0</span>
        <span>+{end}</span>
      </span>
    </>
  );
}

const DIRECTION_ICONS = { up: "arrow-up", down: "arrow-down", neutral: undefined } as const;

function MetricName({ one: { row, name }, group }: { readonly one: DifferenceRow; readonly group: TextGroup }) {
  const direction = DIRECTION_ICONS[row.direction];
  const unit = unitWord(row.unit);
  return (
    <>
      <TruncatedText text={name} group={group} />
      {unit !== "" && <span class="cell-unit muted">{unit}</span>}
      {name !== row.family && <CellName name={familyText(row)} />}
      {direction !== undefined && (
        <Icon name={direction} label={DIRECTION_TEXT[row.direction]} class="row-note muted" />
      )}
    </>
  );
}

/** The rows of a comparison as the table shows them: those that pass its filters, in its order. */
export function shownRows(
  comparison: IdentifiedComparison,
  { filter, sorting }: Pick<ComparisonLayout, "filter" | "sorting">,
): readonly DifferenceRow[] {
  const model = differenceModel(comparison);
  const columns = differenceColumns(comparison, model.rows, true);
  return sortedRows({ columns, rows: filterRows(model.rows, filter).rows }, undefined, sorting ?? undefined);
}
