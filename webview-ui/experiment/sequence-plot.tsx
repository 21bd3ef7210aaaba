import { t } from "@vscode/l10n";
import { formatValue } from "../../src/core/catalog/display.js";
import type { SequencePlot } from "../../src/protocol/experiment.js";
import { seriesColor } from "../charts/line-styles.js";
import { linearAxis } from "../charts/plot-axes.js";
import { PointPlot } from "../charts/point-plot.js";
import { PlainTable } from "../components/plain-table.js";
import { ticksWithin } from "../format/ticks.js";

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
