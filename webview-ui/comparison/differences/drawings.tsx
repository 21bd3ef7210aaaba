import type { ComparisonCell, ComparisonRow, RunId } from "../../../src/protocol/comparison.js";
import { useComparison } from "../context.js";
import { runColorClass } from "../run-colors.js";

/** Places shares of all rows on one axis, so that intervals can be compared by eye. */
export interface IntervalScale {
  /** The share at the axis' ends; what lies beyond is drawn at its end. */
  readonly limit: number;
  /** −limit → 0, nothing → 0.5, limit → 1. */
  readonly place: (share: number) => number;
}

/** Shares beyond are too rare to give the rest of the axis for. */
const WIDEST = 5;
/** In thresholds. */
const NARROWEST = 4;

/**
 * Near nothing the axis is as good as linear, far from it logarithmic (inverse hyperbolic sine of the share in
 * thresholds): 3 % and 300 % can be distinguished on the same axis.
 */
export function intervalScale(rows: readonly ComparisonRow[], threshold: number): IntervalScale {
  const unit = Math.max(threshold, 1e-6);
  let greatest = NARROWEST * unit;
  for (const { cells } of rows) {
    for (const { shareLow, shareHigh, verdict } of cells) {
      if (verdict === "cannot-tell") continue;
      for (const bound of [shareLow, shareHigh])
        if (Number.isFinite(bound) && Math.abs(bound) > greatest) greatest = Math.abs(bound);
    }
  }
  const limit = Math.min(WIDEST, roundUp(greatest));
  const whole = Math.asinh(limit / unit);
  return { limit, place: (share) => 0.5 + 0.5 * Math.max(-1, Math.min(1, Math.asinh(share / unit) / whole)) };
}

/** The next of 1, 2, 5, 10, 20, … that is not less. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return (([1, 2, 5, 10] as const).find((step) => step * power >= value * (1 - 1e-9)) ?? 10) * power;
}

interface IntervalBarProps {
  readonly cell: ComparisonCell;
  readonly scale: IntervalScale;
  readonly threshold: number;
}

const WIDTH = 120;
const HEIGHT = 18;

/**
 * The difference as a point on its interval; shaded: what is of no practical relevance. An arrow: it goes on beyond the
 * axis.
 */
export function IntervalBar({ cell: { share, shareLow, shareHigh, verdict }, scale, threshold }: IntervalBarProps) {
  const x = (value: number) => 4 + scale.place(value) * (WIDTH - 8);
  const middle = HEIGHT / 2;
  const hasInterval = !Number.isNaN(shareLow) && !Number.isNaN(shareHigh);
  return (
    <svg
      class={`interval interval-${verdict}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      aria-hidden="true"
    >
      <rect class="interval-same" x={x(-threshold)} y={1} width={x(threshold) - x(-threshold)} height={HEIGHT - 2} />
      <line class="interval-zero" x1={x(0)} y1={0} x2={x(0)} y2={HEIGHT} />
      {hasInterval && <line class="interval-line" x1={x(shareLow)} y1={middle} x2={x(shareHigh)} y2={middle} />}
      {hasInterval && shareLow < -scale.limit && (
        <path class="interval-beyond" d={`M 5 ${middle - 4} L 0 ${middle} L 5 ${middle + 4} Z`} />
      )}
      {hasInterval && shareHigh > scale.limit && (
        <path
          class="interval-beyond"
          d={`M ${WIDTH - 5} ${middle - 4} L ${WIDTH} ${middle} L ${WIDTH - 5} ${middle + 4} Z`}
        />
      )}
      {!Number.isNaN(share) && <circle class="interval-point" cx={x(share)} cy={middle} r={3.2} />}
    </svg>
  );
}

interface TrendProps {
  readonly baseline: Float64Array;
  readonly candidate: Float64Array;
  /** Whose lines they are, the baseline's first. */
  readonly runs: readonly (RunId | undefined)[];
  readonly width?: number;
  readonly height?: number;
}

/**
 * Both runs over their windows, on one scale from zero; NaN breaks a line. The numbers beside it say the same to a
 * screen reader.
 */
export function Trend({ baseline, candidate, runs, width = 84, height = 22 }: TrendProps) {
  const { colors } = useComparison().store;
  let low = 0;
  let high = -Infinity;
  for (const values of [baseline, candidate]) {
    for (const value of values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (high === -Infinity) return <svg class="trend" width={width} height={height} aria-hidden="true" />;
  const span = high > low ? high - low : 1;
  const path = (values: Float64Array): string => {
    let d = "";
    let pen = "M";
    for (let i = 0; i < values.length; i++) {
      const value = values[i] ?? NaN;
      if (Number.isNaN(value)) {
        pen = "M";
        continue;
      }
      d += `${pen}${(1 + (i / Math.max(1, values.length - 1)) * (width - 2)).toFixed(1)} ${(height - 2 - ((value - low) / span) * (height - 4)).toFixed(1)}`;
      pen = "L";
    }
    return d;
  };
  return (
    <svg class="trend" viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
      {[baseline, candidate].map((values, i) => (
        <path key={i} class={runColorClass(colors.of(runs[i]))} d={path(values)} />
      ))}
    </svg>
  );
}
