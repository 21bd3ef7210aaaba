import { t } from "@vscode/l10n";
import { useId, useMemo } from "preact/hooks";
import { safeCsvLine } from "../../src/core/text/csv-line.js";
import { Button } from "../components/button.js";
import { NothingFound, ProblemLine } from "../components/message.js";
import { Select } from "../components/choice.js";
import { hostOf, fullName, cellUnit } from "../format/text.js";
import type { QuantileEstimate } from "../../src/core/model/index.js";
import { plural, pluralOf } from "../../src/core/text/plural.js";
import { elideMiddle, useTextGroup, TextGroup } from "../shorten/text-group.js";
import { useAction } from "../state/action.js";
import { useView } from "../state/context.js";
import type { TableChange, TableName } from "../state/layout.js";
import { makeFilter } from "./filter.js";
import { Grid } from "./grid.js";
import { labelChoices, toCsv, type GridModel, type GridRow } from "./model.js";
import { useSortedRows } from "./table-state.js";
import { formatValue } from "../../src/core/catalog/display.js";
import { Icon } from "../components/icon.js";
import { TruncatedText } from "../shorten/truncated-text.js";
import { estimateLines, isBeyond } from "../format/estimate.js";
import { digits, CellName, cellValue, numberRoom, ShownNumber, type GridColumn } from "./columns.js";

interface DataTableProps {
  readonly model: GridModel;
  readonly name: string;
  /** Whose filter and sorting it has, in the view's layout. */
  readonly table: TableName;
  readonly unitOf: UnitOf;
}

const NO_WIDTHS = {};
const idOf = ({ index }: GridRow) => String(index);
const nameOf = ({ texts }: GridRow) => texts.join(" ");
const rowClass = ({ incomplete }: GridRow) => (incomplete === true ? "incomplete" : "");

/** Filtered by the words of the view and by a label, sorted by any column; what is left is copied as CSV. */
export function DataTable({ model, name, table: tableName, unitOf }: DataTableProps) {
  const { run, layout, menu } = useView();
  const action = useAction();
  const captionId = useId();
  const { filter: text } = layout.layout.value;
  const { label, sorting, widths = NO_WIDTHS } = layout.layout.value.tables[tableName];
  const change = (changes: TableChange) => layout.changeTable(tableName, changes);
  const clear = () => {
    change({ label: undefined });
    layout.set({ filter: "" });
  };
  /** The chart of a row's series; of a slice at its time. */
  const show = ({ family: name, series, order }: GridRow) => {
    const family = run.familyByName.peek().get(name);
    if (family === undefined || family.isInfo) return;
    layout.show(name, { series: family.seriesCount > 1 ? [series] : undefined });
    const [start, length] = order ?? [];
    if (start !== undefined && length !== undefined) run.viewport.value = { from: start, to: start + length };
  };
  const columns = useMemo(() => sampleColumns(model, unitOf), [model]);
  const filter = useMemo(() => makeFilter(text, label), [text, label]);
  const rows = useSortedRows({ columns, rows: model.rows }, filter, sorting);
  const choices = useMemo(() => labelChoices(model.rows), [model]);
  // The one that is filtered by stays, even where it does not vary: it has to be taken back.
  const offered = [
    ...new Set([
      ...[...choices].filter(([, values]) => values.length > 1).map(([one]) => one),
      ...(label === undefined ? [] : [label.name]),
    ]),
  ];

  const values = useTextGroup(choices.get(label?.name ?? "") ?? []);
  const copy = (copied: readonly GridRow[]) =>
    action.start(
      run.client.call("copy", {
        text: toCsv(model, copied),
        safeText: toCsv(model, copied, safeCsvLine),
        what: plural(copied.length, t("row"), t("rows")),
      }),
    );
  return (
    <div class="data-table">
      <div class="table-tools">
        {offered.length > 0 && (
          <Select
            label={t("Filter by a label")}
            value={label?.name ?? ""}
            options={[{ value: "", text: t("any label") }, ...offered.map((one) => ({ value: one, text: one }))]}
            onSelect={(picked) =>
              change({ label: picked === "" ? undefined : { name: picked, value: choices.get(picked)?.[0] ?? "" } })
            }
          />
        )}
        {label !== undefined && (
          <Select
            label={t`Value of ${label.name}`}
            value={label.value}
            options={[...new Set([...(choices.get(label.name) ?? []), label.value])].map((value) => ({
              value,
              text: value === "" ? "(empty)" : elideMiddle(value, 40, values),
            }))}
            onSelect={(value) => change({ label: { name: label.name, value } })}
          />
        )}
        <span class="table-count muted" role="status">
          {pluralOf(rows.length, model.rows.length, t("row"), t("rows"))}
        </span>
        <Button text={t("Copy as CSV")} disabled={rows.length === 0} onClick={() => copy(rows)} />
      </div>
      {action.problem.value !== undefined && <ProblemLine problem={action.problem.value} />}
      <TableCaption id={captionId} model={model} />
      {rows.length === 0 && model.rows.length > 0 ? (
        <NothingFound what={t("row")} button={t("Clear Filter")} onAll={clear} />
      ) : (
        <Grid
          name={name}
          captionId={captionId}
          columns={columns}
          rows={rows}
          idOf={idOf}
          nameOf={nameOf}
          rowClass={rowClass}
          sorting={sorting}
          onSort={(next) => change({ sorting: next })}
          widths={widths}
          onWidths={(next) => change({ widths: next })}
          onMenu={({ family, series, endpointUrl, labels }, anchor) => {
            const shows = tableName === "statistics" ? "statistics" : "course";
            menu.value = { anchor, subject: { family, series: [{ id: series, endpointUrl, labels }], shows } };
          }}
          // One scrape has no course to be charted.
          {...(run.header.value?.file?.format === "snapshot" ? {} : { onOpen: show })}
          onCopy={(row) => copy([row])}
        />
      )}
    </div>
  );
}

/** What all rows have in common, and what kind of numbers percentiles are: said once. */
function TableCaption({ id, model }: { readonly id: string; readonly model: GridModel }) {
  const { endpointUrl, labels, inEveryRow } = model.common;
  return (
    <p class="table-caption muted" id={id}>
      {endpointUrl !== undefined && <span title={endpointUrl}>{hostOf(endpointUrl)}</span>}
      {labels.length > 0 && (
        <span title={labels.map(([name, value]) => `${name}=${value}`).join("\n")}>
          {t`common labels: ${labels.map(([name, value]) => `${name}=${elideMiddle(value, 40)}`).join(", ")}`}
          {!inEveryRow && (labels.length === 1 ? t(" (where a row has it)") : t(" (where a row has them)"))}
        </span>
      )}
      {model.estimated && (
        <span>
          {t("Percentiles are estimates from the histogram's buckets; hover or focus one for what is certain.")}
        </span>
      )}
    </p>
  );
}

/** Unit of a number of this row, when its column has none. */
type UnitOf = (row: GridRow, columnKey: string) => string | undefined;

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
      order: (row) => row.order?.[i] ?? row.texts[i],
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
  const numbers = model.numberColumns.map(({ key, title, unit }): GridColumn<GridRow> => {
    const unitIn = (row: GridRow) => unit ?? unitOf(row, key);
    const units = new Set(model.rows.map(unitIn));
    const valueOf = (row: GridRow) => row.values[key] ?? NaN;
    return {
      key,
      title,
      kind: "number",
      ...(units.size > 1 ? { about: t("Sorted within each unit") } : {}),
      order: (row) => (Number.isNaN(valueOf(row)) ? undefined : valueOf(row)),
      unit: unitIn,
      room: numberRoom(title, (row) => {
        const shown = cellValue(valueOf(row), cellUnit(unitIn(row)));
        return { ...shown, number: `${row.estimates?.[key]?.upper === Infinity ? "≥ " : ""}${shown.number}` };
      }),
      classOf: (row) => (row.failures?.has(key) === true ? "cell-failed" : ""),
      titleOf: (row) =>
        [wholeValue(valueOf(row), unitIn(row)), row.failures?.get(key)].filter((part) => part !== undefined).join("\n"),
      ...(model.estimated
        ? {
            hint: {
              has: (row: GridRow) => row.estimates?.[key] !== undefined,
              lines: (row: GridRow) => {
                const estimate = row.estimates?.[key];
                return estimate === undefined ? [] : estimateLines(valueOf(row), estimate, unitIn(row));
              },
            },
          }
        : {}),
      cell: (row) => <SampleNumber value={valueOf(row)} estimate={row.estimates?.[key]} unit={cellUnit(unitIn(row))} />,
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
  readonly estimate: QuantileEstimate | undefined;
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
