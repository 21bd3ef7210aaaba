import { t } from "@vscode/l10n";
import { formatValue } from "../../src/core/catalog/display.js";
import type { ExperimentStatus, SequencePlot, SearchPlot } from "../../src/protocol/experiment.js";
import { Icon } from "../components/icon.js";
import { seriesColor } from "../charts/line-styles.js";
import { linearAxis } from "../charts/plot-axes.js";
import { PointPlot, type PlottedPoint } from "../charts/point-plot.js";
import { PlainTable } from "../components/plain-table.js";
import { ticksWithin } from "../format/ticks.js";
import { groupBy } from "../../src/core/math/index.js";
import { symbolOnly } from "../format/text.js";

interface BlockStripProps {
  readonly experiment: Pick<ExperimentStatus, "runs" | "planned">;
  readonly isRunning: boolean;
  /** Absent where runs cannot be opened. */
  readonly open?: (folder: string) => void;
}

/** A run that was made, or one to come. */
type Slot = ExperimentStatus["planned"][number] & Partial<ExperimentStatus["runs"][number]>;

/** The runs in the order in which they were made, block by block, as wide as they took; then those to come. */
export function BlockStrip({ experiment: { runs, planned }, isRunning, open }: BlockStripProps) {
  const groups: { readonly title: string; readonly slots: Slot[] }[] = [];
  const all: readonly Slot[] = [...runs, ...planned];
  for (const slot of all) {
    const title = groupTitle(slot);
    const last = groups.at(-1);
    if (last?.title === title) last.slots.push(slot);
    else groups.push({ title, slots: [slot] });
  }
  const usual = Math.max(1, ...runs.map(({ seconds }) => seconds));
  return (
    <ol class="block-strip" aria-label={t("Runs in time")}>
      {groups.map(({ title, slots }, i) => (
        <li key={i}>
          <div class="muted">{title}</div>
          <div class="block-runs">
            {slots.map((slot) => {
              const { folder, configuration, seconds, problems } = slot;
              const style = { "--block-share": (seconds ?? usual) / usual };
              if (problems === undefined || seconds === undefined) {
                const isNow = isRunning && slot === planned[0];
                return (
                  <span key={folder} class="block-run block-planned" style={style}>
                    {isNow && <Icon name="loading" label={t("Under way")} />} {configuration}
                  </span>
                );
              }
              const counts = problems.length === 0;
              const text = `${configuration}, ${formatValue(seconds, "seconds")}, ${counts ? t("counts") : t`does not count: ${problems.join(" ")}`}`;
              return (
                <button
                  key={folder}
                  type="button"
                  class={`block-run ${counts ? "" : "block-invalid"}`}
                  style={style}
                  title={`${folder}\n${text}${open === undefined ? "" : t("\nOpen the run")}`}
                  aria-label={t`${open === undefined ? "A" : t("Open the")} run of ${title}: ${text}`}
                  disabled={open === undefined}
                  onClick={() => open?.(folder)}
                >
                  <Icon name={counts ? "pass" : "warning"} class={counts ? "tone-good" : "tone-warning"} />{" "}
                  {configuration}
                </button>
              );
            })}
          </div>
        </li>
      ))}
    </ol>
  );
}

function groupTitle({ load, level, block, attempt }: Slot): string {
  const where = level === undefined ? load : t`${load} at ${level}`;
  return `${where}, ${level === undefined ? t("block") : t("run")} ${block}${attempt === 2 ? t(", again") : ""}`;
}

const HEIGHT = 240;
/** Blocks that the axis has room for at the least. */
const LEAST_BLOCKS = 5;

/** How the interval narrowed from block to block, beside the differences that are too small to matter. */
export function SequenceFigure({ plot }: { readonly plot: SequencePlot }) {
  const { title, looks, relevant, decidedAfter } = plot;
  const range = rangeOf(plot);
  const last = Math.max(LEAST_BLOCKS, ...looks.map(({ blocks }) => blocks));
  const blocks = Array.from({ length: last }, (_, i) => [i + 1, String(i + 1)] as const);
  return (
    <figure class="card plot-figure">
      <figcaption>{title}</figcaption>
      <PointPlot
        label={t`${title}, after each block`}
        // Each block in the middle of its place.
        x={{ title: t("Blocks"), axis: () => linearAxis(0.5, last + 0.5, blocks) }}
        y={{
          title: t("Difference to the baseline after each block, with its interval"),
          axis: (ticks) => linearAxis(...range, ticksOf(plot, range, ticks)),
        }}
        courses={[
          looks.map(({ blocks, mean, bounds = range, text }) => ({
            key: String(blocks),
            x: blocks,
            y: mean,
            high: bounds,
            color: seriesColor(0),
            name: t`After ${blocks} blocks: ${text}`,
            isDecided: blocks === decidedAfter,
          })),
        ]}
        limit={0}
        band={{ from: -relevant, to: relevant, text: t("too small to matter") }}
        height={HEIGHT}
      />
      <details class="fold">
        <summary class="muted">{t("Block by block")}</summary>
        <PlainTable label={t`${title}, block by block`} heads={[t("Blocks"), t("Difference")]}>
          {looks.map(({ blocks, text }) => (
            <tr key={blocks}>
              <th scope="row">{blocks}</th>
              <td>{text}</td>
            </tr>
          ))}
        </PlainTable>
      </details>
    </figure>
  );
}

/** Holds what matters, all means and the last interval; earlier ones may be far wider. */
function rangeOf({ looks, relevant }: SequencePlot): readonly [number, number] {
  const last = looks.findLast(({ bounds }) => bounds !== undefined)?.bounds ?? [];
  const values = [-2 * relevant, 2 * relevant, ...looks.map(({ mean }) => mean), ...last];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = 0.08 * (high - low);
  return [low - room, high + room];
}

/** Round percentages of ratios, whose scale is logarithmic; else round differences. */
function ticksOf(
  { scale, unit }: SequencePlot,
  [low, high]: readonly [number, number],
  count: number,
): readonly (readonly [number, string])[] {
  const signed = (value: number, text: string) => (value > 0 ? `+${text}` : text.replace("-", "−"));
  if (scale === "ratio")
    return ticksWithin(Math.expm1(low), Math.expm1(high), count).map((value) => [
      Math.log1p(value),
      signed(value, formatValue(value, "ratio")),
    ]);
  return ticksWithin(low, high, count).map((value) => [value, signed(value, formatValue(value, unit))]);
}

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
