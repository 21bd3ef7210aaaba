import type { ComparisonCell, ComparisonRow } from "../../../src/protocol/comparison.js";

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
