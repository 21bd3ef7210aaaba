import { t } from "@vscode/l10n";
import { useMemo, useState } from "preact/hooks";
import { JOIN, joinedText, joiningOf } from "../../src/core/catalog/joining.js";
import { splitValue } from "../../src/core/catalog/display.js";
import type { MetricType } from "../../src/core/model/index.js";
import type { FamilySummary, RunHeader, TimesliceTable } from "../../src/protocol/index.js";
import { cellUnit } from "../format/text.js";
import { formatRelative, relativeSeconds } from "../format/time.js";
import { overviewFamilies } from "../overview/concepts.js";
import { useLiveQuery, useView, useFold } from "../state/context.js";
import { ofEndpoints } from "../state/run-store.js";
import { holdsWords } from "./filter.js";
import { type ChosenWidths, type GridColumn, numberRoom, ShownNumber } from "./columns.js";
import { Grid } from "./grid.js";

/** Percentiles of every slice of several families: not as often as one table. */
const REFRESH_MS = 10_000;
/** With more, it is opened on demand: every endpoint has slices of its own. */
const FEW_ENDPOINTS = 8;

interface Slice {
  readonly start: number;
  readonly end: number;
}

/** What a slice of a family comes to. */
const SHOWN: { readonly [T in MetricType]: string } = {
  histogram: "p99",
  counter: "rate",
  gauge: "avg",
  unknown: "avg",
};

/** The quantities of the overview, slice by slice. A number leads to its chart at that time. */
export function KeySlices({ header }: { readonly header: RunHeader }) {
  const { run, layout } = useView();
  const fold = useFold(t("key slices"), header.endpoints.length <= FEW_ENDPOINTS);
  const { filter } = layout.layout.value;
  const families = overviewFamilies(run.families.value).filter(({ name, displayName }) =>
    holdsWords(filter, name, displayName),
  );
  if (families.length === 0) return null;
  return (
    <details class="fold" {...fold}>
      <summary>
        {t("Key metrics")} <span class="muted">{t("slice by slice")}</span>
      </summary>
      {fold.open && (
        <KeyGrid key={families.map(({ name }) => name).join(" ")} families={families} start={header.profilingStart} />
      )}
    </details>
  );
}

interface KeyGridProps {
  readonly families: readonly FamilySummary[];
  /** Of profiling. */
  readonly start: number;
}

function KeyGrid({ families, start }: KeyGridProps) {
  const { run, layout } = useView();
  const [widths, setWidths] = useState<ChosenWidths>({});
  const only = ofEndpoints(run.only.value);
  const live = useLiveQuery(JSON.stringify(["key slices", only]), REFRESH_MS, (abort) =>
    Promise.all(families.map(({ name }) => run.client.call("timeslices", { family: name, ...only }, abort))),
  );
  const tables = live.latest.value;
  const show = (family: string, { start: from, end: to }: Slice) => {
    layout.show(family);
    run.viewport.value = { from: relativeSeconds(from, start), to: relativeSeconds(to, start) };
  };
  const { rows, columns } = useMemo(() => {
    const slices = new Map<number, Slice>();
    for (const table of tables ?? []) for (const row of table.rows) slices.set(row.start, row);
    return {
      rows: [...slices.values()].sort((a, b) => a.start - b.start),
      columns: families.flatMap((family, f) => {
        const table = tables?.[f];
        return table === undefined ? [] : [columnOf(family, table, show)];
      }),
    };
  }, [tables, start]);
  if (rows.length === 0) return null;
  return (
    <Grid
      name={t("Key metrics by slice")}
      class="instance-grid"
      columns={[
        {
          key: "start",
          title: t("Start"),
          kind: "text",
          room: { head: 5, needs: () => 7, least: 7, most: 9 },
          cell: (row) => formatRelative(relativeSeconds(row.start, start), 1),
        },
        ...columns,
      ]}
      rows={rows}
      idOf={(row) => String(row.start)}
      nameOf={(row) => formatRelative(relativeSeconds(row.start, start), 1)}
      sorting={undefined}
      widths={widths}
      onWidths={setWidths}
    />
  );
}

/** One family; of several series the sum or the mean, of percentiles the highest. */
function columnOf(
  { name, displayName, type, unit }: FamilySummary,
  table: TimesliceTable,
  show: (family: string, slice: Slice) => void,
): GridColumn<Slice> {
  const values = new Map<number, number[]>();
  for (const row of table.rows) {
    const value = row.values[SHOWN[type]] ?? NaN;
    if (Number.isNaN(value)) continue;
    values.set(row.start, [...(values.get(row.start) ?? []), value]);
  }
  const how = type === "histogram" ? "max" : joiningOf(type, unit).compared;
  const most = Math.max(0, ...[...values.values()].map(({ length }) => length));
  const shownAs = cellUnit(table.columns.find(({ key }) => key === SHOWN[type])?.unit);
  const valueOf = ({ start }: Slice) => {
    const known = values.get(start);
    return known === undefined ? NaN : JOIN[how](known);
  };
  const title = `${displayName}, ${SHOWN[type]}${most > 1 ? `, ${joinedText(how, most)}` : ""}`;
  return {
    key: name,
    title,
    exposed: name,
    kind: "number",
    room: { ...numberRoom("", (row: Slice) => splitValue(valueOf(row), shownAs)), head: 16 },
    cell: (row) => (
      <button type="button" class="link" tabIndex={-1} onClick={() => show(name, row)}>
        <ShownNumber value={valueOf(row)} unit={shownAs} />
      </button>
    ),
  };
}
