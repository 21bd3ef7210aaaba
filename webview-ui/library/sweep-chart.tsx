import { t } from "@vscode/l10n";
import { formatValue } from "../../src/core/catalog/display.js";
import { loadText, sweepColumns } from "../../src/core/sweep/report.js";
import type { Sweep, SweepPoint } from "../../src/core/sweep/types.js";
import { seriesColor } from "../charts/line-styles.js";
import { PointPlot, type PlottedPoint } from "../charts/point-plot.js";
import { symbolOnly } from "../format/text.js";

interface SweepChartProps {
  readonly sweep: Sweep;
  /** Absent: the runs are not there. */
  readonly open: ((path: string) => void) | undefined;
}

/** Latency to the right, throughput upwards. A click opens a run. */
export function SweepChart({ sweep, open }: SweepChartProps) {
  const [, throughputTitle, latencyTitle] = sweepColumns(sweep);
  const { series, throughput: shown } = sweep;
  const courses = series.map(({ configuration, points, knee }, s) =>
    points.map((point, i): PlottedPoint => {
      const { paths, load, throughput, latency, pareto } = point;
      return {
        key: paths.join(" "),
        x: latency.value,
        y: throughput.value,
        wide: latency.interval,
        high: throughput.interval,
        color: seriesColor(s),
        name: [configuration, ...pointText(point, shown.unit, i === knee)].join(", "),
        label: load === undefined ? undefined : String(load.value),
        isKnee: i === knee,
        isPareto: pareto,
        onPick: open && (() => open(paths[0] ?? "")),
      };
    }),
  );
  const kinds = [...new Set(series.flatMap((one) => one.points.flatMap(({ load }) => load?.kind ?? [])))];
  const colors = series.map(({ configuration }, s) => ({ text: configuration, color: seriesColor(s) }));
  return (
    <PointPlot
      label={t("Throughput against latency")}
      x={{ title: latencyTitle, unit: "seconds" }}
      y={{ title: `${throughputTitle ?? ""}, ${shown.unit}`, unit: symbolOnly(shown.unit) }}
      courses={courses}
      isJoined
      isWalked
      colors={series.length > 1 ? colors : []}
      labels={kinds.length === 0 ? undefined : kinds.join(t(" or "))}
    />
  );
}

/** What a point says: "concurrency 8", "3,240 tokens/s at 1.64 s", "knee". */
function pointText({ load, throughput, latency, pareto }: SweepPoint, unit: string, isKnee: boolean): string[] {
  return [
    loadText(load),
    t`${formatValue(throughput.value, unit)} at ${formatValue(latency.value, "seconds")}`,
    ...(isKnee ? ["knee"] : []),
    ...(pareto ? [t("on the Pareto frontier")] : []),
  ];
}
