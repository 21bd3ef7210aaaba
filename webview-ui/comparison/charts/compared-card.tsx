import { t } from "@vscode/l10n";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { joinOf } from "../../../src/core/compare/report/report.js";
import type { ComparisonRow } from "../../../src/protocol/comparison.js";
import type { ChartData, HeatmapData } from "../../../src/protocol/index.js";
import { Button, IconButton } from "../../components/button.js";
import { Choice, type ChoiceOption } from "../../components/choice.js";
import { FailedRequest, Loading, Outdated, Placeholder } from "../../components/message.js";
import { plural } from "../../../src/core/text/plural.js";
import { elideMiddle } from "../../shorten/text-group.js";
import { useInSight } from "../../state/context.js";
import type { Viewport } from "../../state/run-store.js";
import { useQuery } from "../../state/live-query.js";
import { labelsText } from "../../tables/model.js";
import { useComparison, useCompared } from "../context.js";
import type { DifferenceRow } from "../differences/rows.js";
import { VerdictMark, VERDICT_LOOKS } from "../words.js";
import {
  CHART_QUANTITIES,
  VERDICTS,
  type ComparedChartMode,
  type ChartQuantity,
  type ComparedChart,
} from "../layout.js";
import {
  type AlignedRun,
  answered,
  HEATMAP_LIMITS,
  LINE_LIMITS,
  MAX_JOINED,
  rowQuestion,
  type Answered,
} from "./alignment.js";
import { ComparedDistribution, ComparedHeatmaps } from "./compared-histograms.js";
import { ComparedLines } from "./compared-lines.js";
import { togetherText, type ComparedAxis } from "./lines-model.js";
import { isMany } from "../overview/run-head.js";
import { RunSwatch } from "../run-swatch.js";

interface ComparedCardProps {
  readonly chart: ComparedChart;
  readonly one: DifferenceRow;
  readonly runs: readonly AlignedRun[];
  readonly axis: ComparedAxis;
  /** The stretch asked for; it trails the one drawn while the user is still zooming. */
  readonly asked: Viewport | undefined;
  /** Without a chart it is removed. */
  readonly onChange: (chart: ComparedChart | undefined) => void;
}

type CardAnswer =
  | { readonly mode: "lines"; readonly answers: readonly Answered<ChartData>[] }
  | { readonly mode: "heatmap"; readonly answers: readonly Answered<HeatmapData>[] }
  | { readonly mode: "distribution" };

const REFRESH_MS = 900;
const QUANTITY = { gauge: "value", unknown: "value", counter: "rate", histogram: "" } as const;

/** What the lines are; empty where the card offers a choice. */
function quantityOf({ type, quantity }: ComparisonRow): string {
  return quantity === "ratio" ? quantity : QUANTITY[type];
}
const MODES: readonly ChoiceOption<ComparedChartMode>[] = [
  { value: "lines", text: t("Lines"), title: t("A quantile or the average over time") },
  {
    value: "distribution",
    text: t("Distribution"),
    title: t("Observations by bucket over the windows, on common bounds"),
  },
  {
    value: "heatmap",
    text: t("Heatmaps"),
    title: t("Observations by bucket over time, with one colour scale"),
  },
];

/** The series behind one row, in all runs. */
export function ComparedCard({ chart, one, runs, axis, asked, onChange }: ComparedCardProps) {
  const { store, shown: latest } = useComparison();
  // As the tables call it.
  const { row, name: title, labels } = one;
  const focused = latest.value === chart.rowId;
  const card = useRef<HTMLElement>(null);
  const inSight = useInSight(card);
  const mode = row.type === "histogram" ? chart.mode : "lines";
  const key = JSON.stringify([
    mode,
    row.id,
    runs.map(({ id, zero }) => [id, zero]),
    mode === "distribution" ? undefined : asked,
  ]);
  const live = useQuery(
    key,
    async (abort): Promise<CardAnswer> => {
      const { client } = store;
      const question = rowQuestion(row, runs, asked);
      if (mode === "lines")
        return { mode, answers: answered(runs, await client.call("runChart", { ...question, ...LINE_LIMITS }, abort)) };
      return mode === "heatmap"
        ? { mode, answers: answered(runs, await client.call("runHeatmap", { ...question, ...HEATMAP_LIMITS }, abort)) }
        : { mode };
    },
    () => ({ tick: store.revision, visible: inSight, minIntervalMs: REFRESH_MS }),
    true,
  );
  useEffect(() => {
    if (!focused) return;
    card.current?.scrollIntoView({ block: "center" });
    card.current?.focus({ preventScroll: true });
  }, [focused]);

  const state = live.state.value;
  const answer = live.latest.value;
  const shown = answer?.mode === mode ? answer : undefined;
  const note = useMemo(
    () => (shown === undefined || shown.mode === "distribution" ? undefined : seriesNote(shown, row, chart.quantity)),
    [shown, row, chart.quantity],
  );
  return (
    <section
      class={`card chart-card compared-card ${mode === "heatmap" ? "card-wide" : ""}`}
      aria-label={[title, labels].filter((part) => part !== "").join(" ")}
      ref={card}
      tabIndex={-1}
    >
      <header class="card-header">
        <div class="card-titles">
          <h2 class="card-title" title={row.family}>
            {elideMiddle(title, 120)}
          </h2>
          <div class="card-subtitle muted">
            {quantityOf(row) !== "" && <span>{quantityOf(row)}</span>}
            {labels !== "" && <span title={labelsText(row.labels)}>{elideMiddle(labels, 60)}</span>}
            {note !== undefined && <span>{note}</span>}
          </div>
        </div>
        <CardVerdicts row={row} />
        <div class="card-actions">
          {row.type === "histogram" && mode === "lines" && (
            <Choice
              label={t`Quantity of ${title}`}
              options={CHART_QUANTITIES.map((value) => ({ value, text: value }))}
              value={chart.quantity}
              onChoose={(quantity) => onChange({ ...chart, quantity })}
            />
          )}
          {row.type === "histogram" && (
            <Choice
              label={t`What the chart of ${title} shows`}
              options={MODES}
              value={chart.mode}
              onChoose={(next) => onChange({ ...chart, mode: next })}
            />
          )}
          <IconButton
            icon="close"
            label={t`Remove the chart of ${title}`}
            title={t("Remove this chart")}
            onClick={() => onChange(undefined)}
          />
        </div>
      </header>
      {shown === undefined && state.kind === "failed" && (
        <FailedRequest error={state.error} what={t("This chart could not be loaded")} retry={live.retry} />
      )}
      {shown === undefined && state.kind !== "failed" && <Loading what={t("chart")} />}
      {shown !== undefined && <Outdated live={live} />}
      {shown?.mode === "lines" && (
        <ComparedLines answers={shown.answers} row={row} quantity={chart.quantity} axis={axis} title={title} />
      )}
      {shown?.mode === "heatmap" && <ComparedHeatmaps answers={shown.answers} axis={axis} title={title} />}
      {shown?.mode === "distribution" && <ComparedDistribution row={row} title={title} />}
    </section>
  );
}

/** How candidates were judged, those that were judged alike together. */
function CardVerdicts({ row }: Pick<DifferenceRow, "row">) {
  const { candidates, runIds } = useCompared();
  const cells = row.cells.map(({ verdict, reason = VERDICT_LOOKS[verdict].meaning }, c) => {
    const label = candidates[c]?.label ?? "";
    return { verdict, label, run: runIds[c + 1], title: `${label}, ${row.quantity}: ${reason}` };
  });
  return (
    <div class={`card-verdicts ${isMany(runIds) ? "card-verdicts-many" : ""}`}>
      {VERDICTS.map((verdict) => ({ verdict, alike: cells.filter((cell) => cell.verdict === verdict) }))
        .filter(({ alike }) => alike.length > 0)
        .map(({ verdict, alike }) => (
          <span key={verdict} class="card-verdict" title={alike.map(({ title }) => title).join("\n")}>
            <VerdictMark verdict={verdict} />
            {cells.length > 1 && (
              <>
                <span class="visually-hidden">{alike.map(({ label }) => label).join(", ")}</span>
                {alike.map(({ run }) => (
                  <RunSwatch key={run} run={run} />
                ))}
              </>
            )}
          </span>
        ))}
    </div>
  );
}

/** The chart of a row that is no longer compared. */
export function GoneCard({ rowId, onRemove }: { readonly rowId: string; readonly onRemove: () => void }) {
  return (
    <section class="card chart-card" aria-label={rowId}>
      <Placeholder
        reason={t`${rowId} is not among the rows compared now.`}
        remedy={t("It reappears as soon as both sides have it again.")}
        action={<Button text={t("Remove Chart")} onClick={onRemove} />}
      />
    </section>
  );
}

/** What is drawn of runs with several series behind the row. */
function seriesNote(
  { mode, answers }: Exclude<CardAnswer, { readonly mode: "distribution" }>,
  row: ComparisonRow,
  quantity: ChartQuantity,
): string | undefined {
  const most = row.quantity === "ratio" ? 1 : Math.max(0, ...answers.map(({ seriesCount }) => seriesCount));
  if (most <= 1) return undefined;
  if (mode === "heatmap") return togetherText("sum", most);
  const join = joinOf(row);
  const together =
    row.type === "histogram"
      ? answers.every(({ data }) => (data?.lines ?? []).filter((line) => line.quantity === quantity).length <= 1)
      : most <= MAX_JOINED;
  if (together) return togetherText(join, most);
  const drawn = Math.max(0, ...answers.map(({ data }) => new Set(data?.lines.map(({ series }) => series)).size));
  return drawn < most
    ? t`showing ${drawn} of ${plural(most, t("series"), t("series"))}`
    : plural(most, t("series"), t("series"));
}
