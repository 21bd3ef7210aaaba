import type { ComparisonCell } from "../../../src/protocol/comparison.js";
import type { IntervalScale } from "./interval-scale.js";

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
