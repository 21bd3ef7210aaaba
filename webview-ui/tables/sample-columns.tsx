import { t } from "@vscode/l10n";
import { formatValue } from "../../src/core/catalog/display.js";
import { Icon } from "../components/icon.js";
import { TruncatedText } from "../shorten/truncated-text.js";
import { TextGroup } from "../shorten/text-group.js";
import { estimateLines, isBeyond } from "../format/estimate.js";
import { fullName } from "../format/text.js";
import { cellUnit } from "../format/unit.js";
import { CellName, cellValue, numberRoom, ShownNumber } from "./cells.js";
import { digits, type GridColumn } from "./columns.js";
import type { CellEstimate, GridModel, GridRow } from "./model.js";

/** Unit of a number of this row, when its column has none. */
export type UnitOf = (row: GridRow, columnKey: string) => string | undefined;

/** Names have room up to this many characters, other words up to that many; beyond that their middle is left out. */
const LEAST = { name: 44, words: 16 } as const;
const MOST = { name: 88, words: 46 } as const;
/** An icon and its margin. */
const ICON = 2.5;

/** Columns of statistics, timeslices and single scrapes: words that tell series apart, then numbers. */
export function sampleColumns(model: GridModel, unitOf: UnitOf): readonly GridColumn<GridRow>[] {
  const texts = model.textColumns.map(({ key, title }, i): GridColumn<GridRow> => {
    const first = i === 0;
    const group = new TextGroup(() => model.rows.map((row) => row.texts[i] ?? ""));
    return {
      key,
      title,
      kind: "text",
      order: (row) => (row.order === undefined ? row.texts[i] : (row.order[i] ?? row.texts[i])),
      room: {
        head: title.length + 3,
        needs: (row) => (row.texts[i]?.length ?? 0) + (first ? besides(row) : 0),
        extra: (row) => (first && row.name !== undefined ? row.name.length * 0.9 + 2 : 0),
        least: first ? LEAST.name : LEAST.words,
        most: first ? MOST.name : MOST.words,
      },
      titleOf: (row) => `${row.family}\n${fullName(row)}`,
      cell: (row) =>
        first ? <RowName row={row} group={group} /> : <TruncatedText text={row.texts[i] ?? ""} group={group} />,
    };
  });
  const numbers = model.numberColumns.map(({ key, title, unit }, i): GridColumn<GridRow> => {
    const unitIn = (row: GridRow) => unit ?? unitOf(row, key);
    const units = new Set(model.rows.map(unitIn));
    const valueOf = (row: GridRow) => row.numbers[i] ?? NaN;
    return {
      key,
      title,
      kind: "number",
      ...(units.size > 1 ? { about: t("Sorted within each unit") } : {}),
      order: (row) => (Number.isNaN(valueOf(row)) ? undefined : valueOf(row)),
      unit: unitIn,
      room: numberRoom(title, (row) => {
        const estimate = model.estimateAt(row, i);
        const shown = cellValue(valueOf(row), cellUnit(unitIn(row)));
        return { ...shown, number: `${estimate?.upper === Infinity ? "≥ " : ""}${shown.number}` };
      }),
      classOf: (row) => (row.failures?.has(key) === true ? "cell-failed" : ""),
      titleOf: (row) =>
        [wholeValue(valueOf(row), unitIn(row)), row.failures?.get(key)].filter((part) => part !== undefined).join("\n"),
      ...(model.estimated
        ? {
            hint: {
              has: (row: GridRow) => model.estimateAt(row, i) !== undefined,
              lines: (row: GridRow) => {
                const estimate = model.estimateAt(row, i);
                return estimate === undefined ? [] : estimateLines(valueOf(row), estimate, unitIn(row));
              },
            },
          }
        : {}),
      cell: (row) => (
        <SampleNumber value={valueOf(row)} estimate={model.estimateAt(row, i)} unit={cellUnit(unitIn(row))} />
      ),
    };
  });
  return [...texts, ...numbers];
}

/** Unrounded; a date as one. */
function wholeValue(value: number, unit: string | undefined): string {
  if (Number.isNaN(value)) return "none";
  return unit === "timestamp" ? formatValue(value, unit) : String(value);
}

/** Room for what stands behind a row's name. */
function besides(row: GridRow): number {
  const icons = [row.pinned, row.failures !== undefined, row.note !== undefined].filter(Boolean).length;
  return (row.unit === undefined ? 0 : digits(row.unit) + 1) + icons * ICON;
}

function RowName({ row, group }: { readonly row: GridRow; readonly group: TextGroup }) {
  return (
    <>
      {row.pinned === true && <Icon name="pinned" label={t("Pinned")} class="row-pin" />}
      <TruncatedText text={row.texts[0] ?? ""} group={group} />
      {row.unit !== undefined && <span class="cell-unit muted">{row.unit}</span>}
      {row.name !== undefined && <CellName name={row.name} />}
      {row.failures !== undefined && (
        <Icon name="error" label={[...row.failures.values()].join("; ")} class="row-note tone-error" />
      )}
      {row.note !== undefined && (
        <Icon name={row.incomplete === true ? "debug-step-over" : "info"} label={row.note} class="row-note" />
      )}
    </>
  );
}

interface SampleNumberProps {
  readonly value: number;
  readonly estimate: CellEstimate | undefined;
  readonly unit: string | undefined;
}

/** Beyond the last bound only that bound is known. */
function SampleNumber({ value, estimate, unit }: SampleNumberProps) {
  if (estimate === undefined || !isBeyond(estimate) || !Number.isFinite(estimate.lower))
    return <ShownNumber value={value} unit={unit} />;
  return (
    <>
      ≥ <ShownNumber value={estimate.lower} unit={unit} />
    </>
  );
}
