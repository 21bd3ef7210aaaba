import type { RunId } from "../../../src/protocol/comparison.js";
import { useComparison } from "../context.js";
import { runColorClass } from "../run-colors.js";

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
