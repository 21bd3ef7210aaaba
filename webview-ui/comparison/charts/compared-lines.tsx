import { t } from "@vscode/l10n";
import { useMemo } from "preact/hooks";
import { joinOf } from "../../../src/core/compare/report/report.js";
import type { ComparisonRow } from "../../../src/protocol/comparison.js";
import type { ChartData } from "../../../src/protocol/index.js";
import { ChartCanvas } from "../../charts/chart-canvas.js";
import { Legend, useHiddenLines } from "../../charts/legend.js";
import { usePageTime } from "../../charts/viewport.js";
import { chartTheme } from "../../charts/theme.js";
import { Loading, Placeholder } from "../../components/message.js";
import type { ChartQuantity } from "../layout.js";
import { useComparison, useCompared } from "../context.js";
import { comparedThresholds } from "./assertions.js";
import type { Answered } from "./alignment.js";
import { ChartSide } from "../run-swatch.js";
import {
  differenceLines,
  differenceMissing,
  differenceChart,
  overlaidModel,
  runLines,
  sidesOf,
  sideModel,
  type ComparedAxis,
} from "./lines-model.js";

interface ComparedLinesProps {
  readonly answers: readonly Answered<ChartData>[];
  readonly row: ComparisonRow;
  readonly quantity: ChartQuantity;
  readonly axis: ComparedAxis;
  readonly title: string;
}

/** Lines of all runs over each other or beside each other, and their difference under them. */
export function ComparedLines({ answers, row, quantity, axis, title }: ComparedLinesProps) {
  const hidden = useHiddenLines();
  const theme = chartTheme.value;
  const { pointed } = usePageTime();
  const { viewport, whole, alignment } = axis;
  const { store, layout, assertions } = useComparison();
  const { baseline, candidates } = useCompared();
  const { arrangement } = layout.layout.value;
  const checks = assertions.value;
  const made = useMemo(() => {
    if (theme === undefined) return undefined;
    const thresholds = comparedThresholds(checks, row, quantity);
    const look = { quantity, join: joinOf(row) };
    const labels = [baseline, ...candidates].map(({ label }) => label);
    const sides = sidesOf(answers, look, labels);
    const all = runLines(sides, look, hidden.keys, theme, store.colors);
    const overlaid = overlaidModel(all, axis, theme);
    if (overlaid === undefined) return undefined;
    const differences = differenceLines(sides, theme, store.colors);
    return {
      all,
      overlaid: { ...overlaid, thresholds },
      sides: all.map((one) => ({ ...sideModel(one, all, axis, theme), thresholds })),
      difference: differences.length === 0 ? undefined : differenceChart(differences, overlaid),
      missing: differenceMissing(sides, look, differences),
    };
  }, [answers, row, quantity, hidden.keys, theme, checks, viewport, whole.from, whole.to, alignment]);
  if (theme === undefined) return <Loading what={t("chart")} />;
  if (made === undefined || made.overlaid.lines.length === 0)
    return (
      <Placeholder
        reason={viewport === undefined ? t("No run has values here.") : t("No run has values in this time range.")}
        remedy={viewport === undefined ? undefined : t("Reset the zoom to see all.")}
      />
    );

  const difference = made.difference !== undefined && (
    <div class="chart-difference">
      <div class="chart-side-name muted">{t("Difference from the baseline")}</div>
      <ChartCanvas model={made.difference} label={t`Difference of ${title} over time`} />
    </div>
  );
  return (
    <>
      {arrangement === "overlaid" ? (
        <ChartCanvas model={made.overlaid} label={t`Chart of ${title}, all runs`} />
      ) : (
        <div class="chart-sides">
          {made.all.map(({ run, label, lines }, i) => {
            const model = made.sides[i];
            return (
              <ChartSide key={run.id} run={run.id} label={label}>
                {model === undefined || lines.length === 0 ? (
                  <Placeholder reason={t("This run has no values here.")} />
                ) : (
                  <ChartCanvas model={model} label={t`Chart of ${title}, ${label}`} />
                )}
              </ChartSide>
            );
          })}
          {/* As wide as one of them, so that their times lie under one another. */}
          {difference}
        </div>
      )}
      <Legend
        entries={made.all.flatMap(({ legend }) => legend)}
        pointed={pointed}
        unit={made.overlaid.unit}
        onToggle={hidden.toggle}
        onIsolate={(key) => hidden.isolate(key, made.overlaid.lines)}
      />
      {made.all.some(({ repeats }) => repeats.length > 0) && (
        <p class="muted charts-note">{t("Thin lines are the runs of a set, the other line is their mean.")}</p>
      )}
      {made.missing !== undefined && <p class="muted charts-note">{made.missing}</p>}
      {arrangement === "overlaid" && difference}
    </>
  );
}
