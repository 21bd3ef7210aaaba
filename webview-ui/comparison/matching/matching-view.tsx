import { t } from "@vscode/l10n";
import type {
  AppliedRule,
  ComparisonSettings,
  LabelMode,
  LabelRule,
  Comparison,
  UnmatchedSeries,
} from "../../../src/protocol/comparison.js";
import { Button } from "../../components/button.js";
import { ProblemLine, NothingFound } from "../../components/message.js";
import { PlainTable } from "../../components/plain-table.js";
import { Select } from "../../components/choice.js";
import { hostOf } from "../../format/text.js";
import { useAction } from "../../state/action.js";
import { isReport } from "../../report/opened.js";
import { useComparison, useCompared } from "../context.js";
import { RunColumnHead } from "../run-swatch.js";
import { useMemo, useState } from "preact/hooks";
import { TruncatedText } from "../../shorten/truncated-text.js";
import { TextGroup } from "../../shorten/text-group.js";
import { pluralOf } from "../../../src/core/text/plural.js";
import type { GridColumn } from "../../tables/columns.js";
import { makeFilter } from "../../tables/filter.js";
import { Grid } from "../../tables/grid.js";
import { labelsText } from "../../tables/model.js";
import { useSortedRows, type Sorting } from "../../tables/table-state.js";

const LABEL_MODES: readonly { readonly value: LabelMode; readonly text: string; readonly meaning: string }[] = [
  { value: "auto", text: t("auto"), meaning: t("paired with a run that has as many values of it, else aggregated") },
  { value: "match", text: t("match"), meaning: t("its values must be equal") },
  {
    value: "pair",
    text: t("pair"),
    meaning: t("it only identifies the server: its values are paired, equal ones first"),
  },
  {
    value: "aggregate",
    text: t("aggregate"),
    meaning: t("it only identifies the server: all its values are combined"),
  },
];

const APPLIED: { readonly [A in AppliedRule["applied"]]: string } = {
  match: "matched",
  pair: "paired",
  aggregate: "aggregated",
};

function appliedText({ applied, appliedTo, mode }: AppliedRule): string {
  const text = [...new Set(appliedTo ?? [applied])].map((one) => APPLIED[one]).join(t(" or "));
  return mode === "auto" ? t`${text} (auto)` : text;
}

/** Rules after one of them was set. */
function withRule(rules: readonly LabelRule[], label: string, mode: LabelMode): LabelRule[] {
  return [...rules.filter((rule) => rule.label !== label), { label, mode }];
}

/** How series were matched, changeable, and what was left over on either side. */
interface MatchingViewProps {
  readonly settings: ComparisonSettings;
}

export function MatchingView({ settings }: MatchingViewProps) {
  return (
    <div class="matching">
      <Rules settings={settings} />
      <Unmatched />
    </div>
  );
}

function Rules({ settings }: MatchingViewProps) {
  const { store } = useComparison();
  const { rules, baseline, candidates, runIds } = useCompared();
  const action = useAction();
  const labels = [baseline, ...candidates].map(({ label }) => label);
  const own = new Set(settings.labelRules.map(({ label }) => label));
  return (
    <section aria-label={t("Matching rules")} class="matching-section">
      <h2 class="section-title">{t("Identifying labels")}</h2>
      <p class="muted section-text">
        {t(
          "Series are compared with those of the same name, type and labels. These labels say who reports a series, not what it is about: choose how to match each.",
        )}
      </p>
      {action.problem.value !== undefined && <ProblemLine problem={action.problem.value} />}
      {rules.length === 0 ? (
        <p class="muted">{t("No series has such a label: all labels were matched as they are.")}</p>
      ) : (
        <PlainTable
          label={t("Rules for labels")}
          class="rules"
          heads={
            <>
              <th scope="col">{t("Label")}</th>
              <th scope="col">{t("Rule")}</th>
              <th scope="col">{t("Applied")}</th>
              {labels.map((label, i) => (
                <RunColumnHead key={label} run={runIds[i]} label={label} />
              ))}
            </>
          }
        >
          {rules.map((rule) => (
            <tr key={rule.label}>
              <th scope="row">{rule.label}</th>
              <td title={LABEL_MODES.find(({ value }) => value === rule.mode)?.meaning}>
                {isReport ? (
                  LABEL_MODES.find(({ value }) => value === rule.mode)?.text
                ) : (
                  <Select
                    label={t`Rule for ${rule.label}`}
                    value={rule.mode}
                    options={LABEL_MODES}
                    onSelect={(mode) => {
                      const labelRules = withRule(settings.labelRules, rule.label, mode);
                      action.start(store.client.call("configure", { labelRules }));
                    }}
                  />
                )}
              </td>
              <td>
                {`${appliedText(rule)}${own.has(rule.label) ? t(", as you set it") : ""}`}
                {rule.reason !== undefined && <span class="muted">{`: ${rule.reason}`}</span>}
              </td>
              {labels.map((label, i) => (
                <Values key={label} rule={rule} side={i} />
              ))}
            </tr>
          ))}
        </PlainTable>
      )}
      {settings.labelRules.length > 0 && !isReport && (
        <Button
          text={t("Reset Rules")}
          onClick={() => action.start(store.client.call("configure", { labelRules: [] }))}
        />
      )}
    </section>
  );
}

const VALUES_SHOWN = 4;

/** Values of a label on one side; paired ones stand in the same order on all. */
function Values({ rule, side }: { readonly rule: AppliedRule; readonly side: number }) {
  const values = rule.values[side] ?? [];
  const shown = values.slice(0, VALUES_SHOWN).map((value) => (value === "" ? "–" : hostOf(value)));
  return (
    <td title={values.join("\n")}>
      {shown.length === 0 ? <span class="muted">{t("none")}</span> : shown.join(", ")}
      {values.length > VALUES_SHOWN && <span class="muted">{t` and ${values.length - VALUES_SHOWN} more`}</span>}
    </td>
  );
}

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
function Unmatched() {
  const comparison = useCompared();
  const { layout } = useComparison();
  const [text, setText] = useState("");
  const [side, setSide] = useState("");
  const [sorting, setSorting] = useState<Sorting>();
  const all = useMemo(() => unmatchedRows(comparison), [comparison]);
  const columns = useMemo(() => columnsOf(all), [all]);
  const filter = useMemo(() => {
    const words = makeFilter(text);
    return (row: UnmatchedRow) => (side === "" || row.side === side) && (words === undefined || words(row));
  }, [text, side]);
  const rows = useSortedRows({ columns, rows: all }, filter, sorting);
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
