import { t } from "@vscode/l10n";
import { useId, useMemo } from "preact/hooks";
import { safeCsvLine } from "../../src/core/text/csv-line.js";
import { Button } from "../components/button.js";
import { NothingFound, ProblemLine } from "../components/message.js";
import { Select } from "../components/select.js";
import { hostOf } from "../format/text.js";
import { plural, pluralOf } from "../../src/core/text/plural.js";
import { elideMiddle } from "../shorten/text-group.js";
import { useTextGroup } from "../shorten/use-text-group.js";
import { useAction } from "../state/action.js";
import { useView } from "../state/context.js";
import type { TableChange, TableName } from "../state/layout.js";
import { toCsv } from "./csv.js";
import { makeFilter } from "./filter.js";
import { Grid } from "./grid.js";
import { labelChoices, type GridModel, type GridRow } from "./model.js";
import { sampleColumns, type UnitOf } from "./sample-columns.js";
import { makeTable } from "./table-state.js";

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
  const change = (changes: TableChange) => layout.dispatch({ kind: "table", table: tableName, change: changes });
  const clear = () => {
    change({ label: undefined });
    layout.dispatch({ kind: "set", change: { filter: "" } });
  };
  /** The chart of a row's series; of a slice at its time. */
  const show = ({ family: name, series, order }: GridRow) => {
    const family = run.familyByName.peek().get(name);
    if (family === undefined || family.isInfo) return;
    layout.dispatch({ kind: "show", family: name, ...(family.seriesCount > 1 ? { series: [series] } : {}) });
    const [start, length] = order ?? [];
    if (start !== undefined && length !== undefined) run.viewport.value = { from: start, to: start + length };
  };
  const columns = useMemo(() => sampleColumns(model, unitOf), [model]);
  const table = useMemo(() => makeTable({ columns, rows: model.rows }), []);
  table.set({ columns, rows: model.rows });
  const filter = useMemo(() => makeFilter(text, label), [text, label]);
  const rows = table.rows(filter, sorting);
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
