import { t } from "@vscode/l10n";
import { useMemo, useState } from "preact/hooks";
import type { Comparison, UnmatchedSeries } from "../../../src/protocol/comparison.js";
import { NothingFound } from "../../components/message.js";
import { TruncatedText } from "../../shorten/truncated-text.js";
import { TextGroup } from "../../shorten/text-group.js";
import { Select } from "../../components/select.js";
import { pluralOf } from "../../../src/core/text/plural.js";
import { hostOf } from "../../format/text.js";
import type { GridColumn } from "../../tables/columns.js";
import { makeFilter } from "../../tables/filter.js";
import { Grid } from "../../tables/grid.js";
import { labelsText } from "../../tables/model.js";
import { makeTable, type Sorting } from "../../tables/table-state.js";
import { useComparison } from "../context.js";

interface UnmatchedRow {
  readonly id: string;
  readonly series: UnmatchedSeries;
  /** The run that has it. */
  readonly side: string;
  readonly text: string;
  readonly labels: UnmatchedSeries["labels"];
  readonly haystack: string;
}

/** Widths of these columns are kept with those of the differences. */
const KEY = "unmatched/";

function column(
  key: string,
  title: string,
  textOf: (row: UnmatchedRow) => string,
  least: number,
  rows: readonly UnmatchedRow[],
): GridColumn<UnmatchedRow> {
  const group = new TextGroup(() => rows.map(textOf));
  return {
    key: `${KEY}${key}`,
    title,
    kind: "text",
    order: textOf,
    room: { head: title.length + 3, needs: (row) => textOf(row).length, least, most: 90 },
    titleOf: textOf,
    cell: (row) => <TruncatedText text={textOf(row)} group={group} />,
  };
}

const columnsOf = (rows: readonly UnmatchedRow[]) => [
  column("family", t("Metric"), ({ series }) => series.family, 44, rows),
  column("side", t("Only in"), ({ side }) => side, 24, rows),
  column("series", t("Series"), ({ text }) => text, 30, rows),
  column("reason", t("Reason"), ({ series }) => series.reason, 60, rows),
];

const idOf = ({ id }: UnmatchedRow) => id;
const nameOf = ({ series, text }: UnmatchedRow) => `${series.family} ${text}`;

function unmatchedRows({ unmatched, baseline, candidates }: Comparison): readonly UnmatchedRow[] {
  return unmatched.map((series, i) => {
    const side = series.side === "baseline" ? baseline.label : (candidates[series.candidate]?.label ?? "");
    const text = [hostOf(series.endpointUrl), ...(series.labels.length > 0 ? [labelsText(series.labels)] : [])].join(
      " ",
    );
    return {
      id: String(i),
      series,
      side,
      text,
      labels: series.labels,
      haystack: [series.family, series.type, text, series.reason].join("\n").toLowerCase(),
    };
  });
}

/** Series without a counterpart, and why they have none. */
export function Unmatched({ comparison }: { readonly comparison: Comparison }) {
  const { layout } = useComparison();
  const [text, setText] = useState("");
  const [side, setSide] = useState("");
  const [sorting, setSorting] = useState<Sorting>();
  const all = useMemo(() => unmatchedRows(comparison), [comparison]);
  const columns = useMemo(() => columnsOf(all), [all]);
  const table = useMemo(() => makeTable({ columns, rows: all }), []);
  table.set({ columns, rows: all });
  const filter = useMemo(() => {
    const words = makeFilter(text);
    return (row: UnmatchedRow) => (side === "" || row.side === side) && (words === undefined || words(row));
  }, [text, side]);
  const rows = table.rows(filter, sorting);
  const sides = [...new Set(all.map((row) => row.side))];
  return (
    <section aria-label={t("Unmatched series")} class="matching-section">
      <h2 class="section-title">{t("Unmatched series")}</h2>
      {all.length === 0 ? (
        <p class="muted">{t("Every series has its counterpart in all runs.")}</p>
      ) : (
        <>
          <div class="table-tools">
            <input
              class="input table-filter"
              type="search"
              aria-label={t("Filter unmatched series")}
              placeholder={t("Filter: words, or label=value")}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
            {sides.length > 1 && (
              <Select
                label={t("Side")}
                value={side}
                options={[
                  { value: "", text: sides.length > 2 ? t("All sides") : t("Both sides") },
                  ...sides.map((name) => ({ value: name, text: t`Only in ${name}` })),
                ]}
                onSelect={setSide}
              />
            )}
            <span class="table-count muted" role="status">
              {pluralOf(rows.length, all.length, t("series"), t("series"))}
            </span>
          </div>
          {rows.length === 0 ? (
            <NothingFound
              what={t("series")}
              button={t("Clear Filter")}
              onAll={() => {
                setText("");
                setSide("");
              }}
            />
          ) : (
            <Grid
              name={t("Unmatched series")}
              class="unmatched-scroller"
              columns={columns}
              rows={rows}
              idOf={idOf}
              nameOf={nameOf}
              sorting={sorting}
              onSort={setSorting}
              widths={layout.layout.value.widths}
              onWidths={(widths) => layout.change({ widths })}
            />
          )}
        </>
      )}
    </section>
  );
}
