import { t } from "@vscode/l10n";
import { useMemo } from "preact/hooks";
import { offsetNs } from "../../../src/core/model/index.js";
import type { HeatmapData } from "../../../src/protocol/index.js";
import { Placeholder } from "../../components/message.js";
import { heatScale } from "../../histograms/color-scale.js";
import { bucketGrid, seenBuckets } from "../../histograms/heat-grid.js";
import { Heatmap } from "../../histograms/heatmap.js";
import type { Answered } from "./alignment.js";
import { ChartSide } from "../run-swatch.js";
import type { ComparedAxis } from "./lines-model.js";

interface ComparedHeatmapsProps {
  readonly answers: readonly Answered<HeatmapData>[];
  readonly axis: ComparedAxis;
  readonly title: string;
}

/** A heatmap of every run, with one colour scale, one time axis and as many buckets. */
export function ComparedHeatmaps({ answers, axis, title }: ComparedHeatmapsProps) {
  const colors = useMemo(
    () => heatScale(answers.flatMap(({ data }) => (data === undefined ? [] : Array.from(data.rates)))),
    [answers],
  );
  const grids = useMemo(() => {
    const rows = Math.max(0, ...answers.map(({ data }) => (data === undefined ? 0 : seenBuckets(data))));
    return answers.map(({ data }) =>
      data === undefined || data.empty !== undefined ? undefined : bucketGrid(data, rows),
    );
  }, [answers]);
  return (
    <div class="chart-sides">
      {answers.map(({ run, data }, i) => {
        const grid = grids[i];
        return (
          <ChartSide key={run.id} run={run.id} label={run.label}>
            {grid === undefined ? (
              <Placeholder {...(data?.empty ?? { severity: "info", reason: t("This run has no values here.") })} />
            ) : (
              <Heatmap
                data={grid}
                header={{ ...run.header, profilingStart: offsetNs(run.zero) }}
                whole={axis.whole}
                fromProfiling={axis.alignment === "profiling"}
                colors={colors}
                title={`${title}, ${run.label}`}
              />
            )}
          </ChartSide>
        );
      })}
    </div>
  );
}
