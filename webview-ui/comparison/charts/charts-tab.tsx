import { t } from "@vscode/l10n";
import { useMemo } from "preact/hooks";
import type { ComparisonRow, ComparisonState } from "../../../src/protocol/comparison.js";
import { useSettled, ZoomButtons } from "../../charts/viewport.js";
import { Choice, type ChoiceOption } from "../../components/choice.js";
import { Placeholder } from "../../components/message.js";
import { Popover } from "../../components/popover.js";
import { matching, SearchList } from "../../components/search-list.js";
import { TruncatedText } from "../../shorten/truncated-text.js";
import { elideMiddle, TextGroup } from "../../shorten/text-group.js";
import { labelsText } from "../../tables/model.js";
import { useComparison, useCompared } from "../context.js";
import { differenceModel } from "../differences/rows.js";
import type { Alignment, Arrangement, ComparedChart } from "../layout.js";
import { alignRuns, wholeAxis } from "./alignment.js";
import { firstCharts, withChart, sameSeries } from "./chosen.js";
import { ComparedCard, GoneCard } from "./compared-card.js";

const ARRANGEMENTS: readonly ChoiceOption<Arrangement>[] = [
  { value: "overlaid", text: t("Overlaid"), title: t("All runs in one chart") },
  { value: "side-by-side", text: t("Side by side"), title: t("A chart for each run, on one scale") },
];
const ALIGNMENTS: readonly ChoiceOption<Alignment>[] = [
  { value: "profiling", text: t("Profiling"), title: t("Runs are aligned at the start of profiling") },
  { value: "first-request", text: t("First request"), title: t("Runs are aligned at their first request") },
  { value: "wall-clock", text: t("Wall clock"), title: t("Runs are shown at their recorded times") },
];

/** Charts of chosen rows over all runs, on one time axis. */
export function ChartsTab({ state }: { readonly state: ComparisonState }) {
  const { store, layout } = useComparison();
  const comparison = useCompared();
  const { arrangement, alignment, charts: chosen } = layout.layout.value;
  const runs = useMemo(() => alignRuns(state.runs, alignment), [state.runs, alignment]);
  const whole = useMemo(() => (runs.length === 0 ? { from: 0, to: 1 } : wholeAxis(runs)), [runs]);
  const viewport = store.viewport.value;
  const asked = useSettled(viewport);
  const rowById = useMemo(
    () => new Map(differenceModel(comparison).rows.map((one) => [one.row.id, one])),
    [comparison],
  );
  const charts = chosen ?? firstCharts(comparison);
  const substituted = runs.filter((run) => run.substituted);
  const reading = state.runs.filter((run) => run.state.kind === "reading");
  const replace = (index: number, next: ComparedChart | undefined) =>
    layout.change({ charts: charts.flatMap((chart, i) => (i !== index ? [chart] : next === undefined ? [] : [next])) });
  return (
    <div class="charts-tab">
      <div class="charts-tools">
        <Choice
          label={t("Arrangement")}
          options={ARRANGEMENTS}
          value={arrangement}
          onChoose={(next) => layout.change({ arrangement: next })}
        />
        <span class="tool-label muted">{t("Aligned at")}</span>
        <Choice
          label={t("Aligned at")}
          options={ALIGNMENTS}
          value={alignment}
          onChoose={(next) => {
            store.viewport.value = undefined;
            layout.change({ alignment: next });
          }}
        />
        <span class="charts-zoom">
          <ZoomButtons whole={whole} />
          <AddChart charts={charts} />
        </span>
      </div>
      {substituted.length > 0 && (
        <p class="muted charts-note">{t`The time of the first request is unknown: ${substituted.map(({ label }) => label).join(", ")}. Aligned at the start of profiling.`}</p>
      )}
      {reading.length > 0 && (
        <p class="muted charts-note">{t`${reading.map(({ label }) => label).join(", ")} ${reading.length === 1 ? t("is") : t("are")} still being read.`}</p>
      )}
      {runs.length === 0 ? (
        <Placeholder reason={t("Charts appear as soon as a run has been read.")} />
      ) : charts.length === 0 ? (
        <Placeholder
          reason={t("No charts chosen.")}
          remedy={t("Add one here, or press Enter on a row of the differences.")}
          action={<AddChart charts={charts} />}
        />
      ) : (
        <div class={`charts compared-charts ${arrangement === "side-by-side" ? "charts-wide" : ""}`}>
          {charts.map((chart, i) => {
            const one = rowById.get(chart.rowId);
            if (one === undefined)
              return <GoneCard key={chart.rowId} rowId={chart.rowId} onRemove={() => replace(i, undefined)} />;
            return (
              <ComparedCard
                key={chart.rowId}
                chart={chart}
                one={one}
                runs={runs}
                axis={{ viewport, whole, alignment }}
                asked={asked}
                onChange={(next) => replace(i, next)}
              />
            );
          })}
        </div>
      )}
    </div>
  );
}

function AddChart({ charts }: { readonly charts: readonly ComparedChart[] }) {
  const { layout, shown } = useComparison();
  const { rows } = useCompared();
  const items = useMemo(() => seriesChoices(rows), [rows]);
  const group = useMemo(() => new TextGroup(() => items.map(({ text }) => text)), [items]);
  const labels = useMemo(() => new TextGroup(() => items.map(({ row }) => labelsText(row.labels))), [items]);
  const drawn = charts.flatMap(({ rowId }) => rows.find(({ id }) => id === rowId) ?? []);
  return (
    <Popover label={t("Add Chart")} align="right" icon="add" text={t("Add Chart")}>
      {(close) => (
        <SearchList
          label={t("Search metrics")}
          find={(search) => matching(items, search)}
          isChosen={({ row }) => drawn.some((one) => sameSeries(one, row))}
          onPick={({ row }) => {
            const next = withChart(charts, row, rows);
            layout.change({ charts: next.charts });
            shown.value = next.shown;
            close();
          }}
          render={({ text, row }) => (
            <>
              <span class="option-text" title={row.family}>
                <TruncatedText text={text} group={group} />
              </span>
              <span class="option-value muted">{elideMiddle(labelsText(row.labels), 28, labels)}</span>
            </>
          )}
        />
      )}
    </Popover>
  );
}

/** One choice for each series, or group of series, in the rows' order. */
function seriesChoices(rows: readonly ComparisonRow[]) {
  const seen = new Set<string>();
  return rows.flatMap((row) => {
    const key = JSON.stringify([row.family, row.endpointUrl, row.labels, row.type]);
    if (seen.has(key)) return [];
    seen.add(key);
    return [
      {
        id: row.id,
        text: row.title,
        also: `${row.family} ${labelsText(row.labels)} ${row.type}`,
        group: row.group,
        row,
      },
    ];
  });
}
