import { t } from "@vscode/l10n";
import { formatValue } from "../../src/core/catalog/display.js";
import type { SequencePlot } from "../../src/protocol/experiment.js";
import { PlotAxes, useWidth } from "../charts/plot-axes.js";
import { PlainTable } from "../components/plain-table.js";
import { ticksWithin } from "../format/ticks.js";

const MARGIN = { left: 64, right: 16, top: 12, bottom: 26 } as const;
const HEIGHT = 240;
/** Blocks that the axis has room for at the least. */
const LEAST_BLOCKS = 5;
const TICKS = 5;

/** How the interval narrowed from block to block, beside the differences that are too small to matter. */
export function SequenceFigure({ plot }: { readonly plot: SequencePlot }) {
  const [box, width] = useWidth<HTMLDivElement>();
  return (
    <figure class="card sequence-figure">
      <figcaption>{plot.title}</figcaption>
      <div class="muted sequence-note">{t("Difference to the baseline after each block, with its interval")}</div>
      <div ref={box}>{width > 0 && <Plot plot={plot} width={width} />}</div>
      <div class="muted sequence-note sequence-below">{t("Blocks")}</div>
      <details class="fold">
        <summary class="muted">{t("Block by block")}</summary>
        <PlainTable label={t`${plot.title}, block by block`} heads={[t("Blocks"), t("Difference")]}>
          {plot.looks.map(({ blocks, text }) => (
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

function Plot({ plot, width }: { readonly plot: SequencePlot; readonly width: number }) {
  const { looks, relevant, decidedAfter, title } = plot;
  const [low, high] = rangeOf(plot);
  const last = Math.max(LEAST_BLOCKS, ...looks.map(({ blocks }) => blocks));
  const bottom = HEIGHT - MARGIN.bottom;
  const right = width - MARGIN.right;
  const x = (blocks: number) => MARGIN.left + ((blocks - 0.5) / last) * (right - MARGIN.left);
  // What lies beyond the plot ends at its edge.
  const y = (value: number) =>
    Math.min(bottom, Math.max(MARGIN.top, bottom - ((value - low) / (high - low)) * (bottom - MARGIN.top)));
  const bounded = looks.flatMap(({ blocks, bounds }) => (bounds === undefined ? [] : [{ blocks, bounds }]));
  const area = [
    ...bounded.map(({ blocks, bounds: [, top] }) => `${x(blocks)},${y(top)}`),
    ...bounded.toReversed().map(({ blocks, bounds: [foot] }) => `${x(blocks)},${y(foot)}`),
  ];
  return (
    <svg class="sequence-plot" width={width} height={HEIGHT} role="img" aria-label={t`${title}, after each block`}>
      <PlotAxes
        box={{ left: MARGIN.left, right, top: bottom, bottom, height: HEIGHT }}
        x={Array.from({ length: last }, (_, i) => ({ at: x(i + 1), text: String(i + 1) }))}
        y={ticksOf(plot, low, high).map(([value, text]) => ({ at: y(value), text }))}
      />
      <rect
        class="sequence-relevant"
        x={MARGIN.left}
        width={right - MARGIN.left}
        y={y(relevant)}
        height={y(-relevant) - y(relevant)}
      />
      <text class="sequence-text" x={right - 4} y={y(relevant) - 4} text-anchor="end">
        {t("too small to matter")}
      </text>
      <line class="sequence-zero" x1={MARGIN.left} x2={right} y1={y(0)} y2={y(0)} />
      <polygon class="sequence-area" points={area.join(" ")} />
      {looks.map(({ blocks, mean, bounds = [low, high], text }) => (
        <g key={blocks} class={blocks === decidedAfter ? "sequence-look sequence-decided" : "sequence-look"}>
          <title>{t`After ${blocks} blocks: ${text}`}</title>
          <line x1={x(blocks)} x2={x(blocks)} y1={y(bounds[1])} y2={y(bounds[0])} />
          <circle cx={x(blocks)} cy={y(mean)} r={4} />
          {blocks === decidedAfter && <circle class="sequence-ring" cx={x(blocks)} cy={y(mean)} r={8} />}
        </g>
      ))}
    </svg>
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
function ticksOf({ scale, unit }: SequencePlot, low: number, high: number): readonly (readonly [number, string])[] {
  const signed = (value: number, text: string) => (value > 0 ? `+${text}` : text.replace("-", "−"));
  if (scale === "ratio")
    return ticksWithin(Math.expm1(low), Math.expm1(high), TICKS).map((value) => [
      Math.log1p(value),
      signed(value, formatValue(value, "ratio")),
    ]);
  return ticksWithin(low, high, TICKS).map((value) => [value, signed(value, formatValue(value, unit))]);
}
