import { t } from "@vscode/l10n";
import { useMemo, useState } from "preact/hooks";
import { isDecided, quantityText, undecidedText } from "../../../src/core/compare/report/report.js";
import { safeCell } from "../../../src/core/text/csv-line.js";
import type { ComparisonRow, ComparisonSettings } from "../../../src/protocol/comparison.js";
import { Button, IconButton } from "../../components/button.js";
import { NothingFound, Placeholder, ProblemLine } from "../../components/message.js";
import { plural, pluralOf } from "../../../src/core/text/plural.js";
import { hostOf } from "../../format/text.js";
import { elideMiddle } from "../../shorten/text-group.js";
import { Menu, type MenuItem } from "../../menu/menu.js";
import { isReport } from "../../report/opened.js";
import { useAction } from "../../state/action.js";
import { useComparison, useCompared } from "../context.js";
import { NO_FILTER, VERDICTS } from "../layout.js";
import { Grid } from "../../tables/grid.js";
import { useSortedRows } from "../../tables/table-state.js";
import { differenceColumns, differenceGroups } from "./columns.js";
import { Details } from "./details.js";
import { FilterBar } from "./filter-bar.js";
import { rowMarkdown, rowTsv, differenceModel, filterRows, type DifferenceModel, type DifferenceRow } from "./rows.js";

interface DifferencesViewProps {
  readonly settings: ComparisonSettings;
  readonly onChart: (row: ComparisonRow) => void;
}

const idOf = ({ row }: DifferenceRow) => row.id;
const nameOf = ({ name, row }: DifferenceRow) => `${name} ${quantityText(row)}`;

/** What differs, by effect; everything else on demand. */
export function DifferencesView({ settings, onChart }: DifferencesViewProps) {
  const { store, layout } = useComparison();
  const comparison = useCompared();
  const action = useAction();
  const [menu, setMenu] = useState<{ readonly one: DifferenceRow; readonly anchor: Element }>();
  const { filter, sorting, widths } = layout.layout.value;
  const model = useMemo(() => differenceModel(comparison), [comparison]);
  const found = useMemo(() => filterRows(model.rows, filter), [model, filter]);
  const labelled = found.rows.some(({ labels }) => labels !== "");
  const columns = useMemo(() => differenceColumns(comparison, model.rows, labelled), [comparison, model, labelled]);
  const groups = useMemo(() => differenceGroups(comparison, columns), [comparison, columns]);
  const shown = useMemo(() => {
    const rows = new Set(found.rows);
    return (row: DifferenceRow) => rows.has(row);
  }, [found]);
  const rows = useSortedRows({ columns, rows: model.rows }, shown, sorting ?? undefined);

  const copyRow = (text: string, safeText = text) =>
    action.start(store.client.call("copy", { text, safeText, what: t("row") }));
  const copyShown = () =>
    action.start(
      store.client
        .call("report", { format: "markdown", rows: rows.map(({ row }) => row.id) })
        .then(({ text }) => store.client.call("copy", { text, what: plural(rows.length, t("row"), t("rows")) })),
    );
  const setDirection = (family: string, direction: "up" | "down" | "neutral" | undefined) => {
    const { [family]: _known, ...others } = settings.directions;
    action.start(
      store.client.call("configure", {
        directions: direction === undefined ? others : { ...others, [family]: direction },
      }),
    );
  };
  const menuOf = (row: ComparisonRow): readonly MenuItem[] => {
    const chosen = settings.directions[row.family];
    const direction = (id: "up" | "down" | "neutral" | "catalogue", text: string): MenuItem => {
      const value = id === "catalogue" ? undefined : id;
      return {
        id,
        text,
        group: t("Which way is better"),
        checked: chosen === value,
        onPick: () => setDirection(row.family, value),
      };
    };
    return [
      { id: "chart", text: t("Show in Charts"), icon: "graph-line", onPick: () => onChart(row) },
      {
        id: "markdown",
        text: t("Copy as Markdown"),
        icon: "copy",
        onPick: () => copyRow(rowMarkdown(row, comparison)),
      },
      {
        id: "tsv",
        text: t("Copy as TSV"),
        icon: "copy",
        onPick: () => copyRow(rowTsv(row, comparison), rowTsv(row, comparison, safeCell)),
      },
      ...(isReport
        ? []
        : [
            direction("up", t("Higher is better")),
            direction("down", t("Lower is better")),
            direction("neutral", t("Neutral")),
            direction("catalogue", t("As in the catalogue")),
          ]),
    ];
  };
  return (
    <div class="differences">
      <FilterBar
        counts={found.counts}
        model={model}
        threshold={settings.threshold}
        onThreshold={(threshold) => action.start(store.client.call("configure", { threshold }))}
      />
      {action.problem.value !== undefined && <ProblemLine problem={action.problem.value} />}
      <div class="table-line">
        <Common model={model} />
        <span class="table-count muted" role="status">
          {pluralOf(rows.length, model.rows.length, t("row"), t("rows"))}
        </span>
        {sorting !== null && (
          <IconButton icon="discard" label={t("Default order")} onClick={() => layout.change({ sorting: null })} />
        )}
        <IconButton
          icon="copy"
          label={t("Copy shown rows as Markdown")}
          disabled={rows.length === 0}
          onClick={copyShown}
        />
      </div>
      {rows.length > 0 ? (
        <Grid
          name={t("Differences")}
          class="difference-scroller"
          columns={columns}
          groups={groups}
          rows={rows}
          idOf={idOf}
          nameOf={nameOf}
          sorting={sorting ?? undefined}
          onSort={(next) => layout.change({ sorting: next ?? null })}
          widths={widths}
          onWidths={(next) => layout.change({ widths: next })}
          details={{
            content: ({ row }, onHeight) => <Details row={row} onHeight={onHeight} />,
          }}
          onMenu={(one, anchor) => setMenu({ one, anchor })}
          onOpen={({ row }) => onChart(row)}
          onCopy={({ row }) => copyRow(rowMarkdown(row, comparison))}
        />
      ) : (
        <NothingShown
          candidates={found.candidates}
          onAll={() =>
            layout.change({ filter: { ...(found.candidates === 0 ? NO_FILTER : filter), verdicts: VERDICTS } })
          }
        />
      )}
      {menu !== undefined && (
        <Menu
          label={t`Actions for ${nameOf(menu.one)}`}
          anchor={menu.anchor}
          items={menuOf(menu.one.row)}
          onClose={() => setMenu(undefined)}
        />
      )}
    </div>
  );
}

/** What all rows share: said once. */
function Common({ model: { common } }: { readonly model: DifferenceModel }) {
  const { endpointUrl = "", labels, inEveryRow } = common;
  const said = labels.map(([name, value]) => `${name}=${elideMiddle(value, 40)}`).join(", ");
  const parts = [
    ...(endpointUrl === "" ? [] : [hostOf(endpointUrl)]),
    ...(labels.length === 0 ? [] : [t`common labels: ${said}${inEveryRow ? "" : t(" (where a row has them)")}`]),
  ];
  if (parts.length === 0) return null;
  return (
    <span class="muted table-common" title={labels.map(([name, value]) => `${name}=${value}`).join("\n")}>
      {parts.join(" · ")}
    </span>
  );
}

interface NothingShownProps {
  readonly candidates: number;
  readonly onAll: () => void;
}

function NothingShown({ candidates, onAll }: NothingShownProps) {
  const comparison = useCompared();
  const { rows } = comparison;
  if (rows.length === 0)
    return (
      <Placeholder
        reason={t("The runs have no series in common that could be compared.")}
        remedy={t("The tab Matching lists what each side has, and why it was not matched.")}
      />
    );
  if (candidates === 0 || rows.some(isDecided))
    return <NothingFound what={t("row")} button={t("Show All Rows")} onAll={onAll} />;
  return (
    <Placeholder reason={undecidedText(comparison)} action={<Button text={t("Show All Rows")} onClick={onAll} />} />
  );
}
