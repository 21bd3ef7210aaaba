import { t } from "@vscode/l10n";
import { formatValue } from "../../src/core/catalog/display.js";
import { groupBy } from "../../src/core/math/index.js";
import type { SearchPlot } from "../../src/protocol/experiment.js";
import { PointPlot, type PlottedPoint } from "../charts/point-plot.js";
import { symbolOnly } from "../format/unit.js";

const COLORS = { met: "var(--sm-good)", missed: "var(--sm-error)", undecided: "var(--sm-muted)" } as const;

/** The levels that a search tried, and its limit. */
export function SearchFigure({ plot, metric }: { readonly plot: SearchPlot; readonly metric: string }) {
  const { levels, limit } = plot;
  const unit = symbolOnly(plot.unit);
  const points = levels.map(
    ({ configuration, level, value, state, text }): PlottedPoint & { configuration: string } => {
      return {
        configuration,
        key: `${configuration} ${level}`,
        x: level,
        y: value,
        color: COLORS[state],
        name: `${configuration}, ${text}`,
      };
    },
  );
  const courses = [...groupBy(points, ({ configuration }) => configuration).values()].map((course) =>
    course.toSorted((a, b) => Number(a.x) - Number(b.x)),
  );
  // A line is named at its last point.
  const named = new Set(courses.length > 1 ? courses.map((course) => course.at(-1)) : []);
  const shown = courses.map((course) =>
    course.map((point) => (named.has(point) ? { ...point, label: point.configuration } : point)),
  );
  const states = [...new Set(levels.map(({ state }) => state))];
  return (
    <figure class="card plot-figure">
      <PointPlot
        label={t`${metric} at each level`}
        x={{ title: t("Level of the load") }}
        y={{ title: t`${metric}; the dashed line is the limit, ${formatValue(limit, plot.unit)}`, unit }}
        courses={shown}
        isJoined
        limit={limit}
        colors={states.map((text) => ({ text, color: COLORS[text] }))}
      />
    </figure>
  );
}
