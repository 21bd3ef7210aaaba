/** Its own units: the style sheet stretches it over what room there is. */
const SIZE = 100;
/** Room for the line's own width at both ends of the scale. */
const MARGIN = 5;

/** The recent past at a glance; NaN breaks the line. Its numbers stand beside it: decoration for a screen reader. */
export function Sparkline({ values }: { readonly values: Float64Array }) {
  const known = values.filter((value) => !Number.isNaN(value));
  // From zero, so that a small unrest does not look like a storm.
  const low = Math.min(0, ...known);
  const high = Math.max(...known);
  const step = SIZE / Math.max(1, values.length - 1);
  const x = (i: number) => (values.length === 1 ? SIZE : i * step);
  const y = (value: number) => SIZE - MARGIN - ((value - low) / (high > low ? high - low : 1)) * (SIZE - 2 * MARGIN);
  const isKnown = (i: number) => !Number.isNaN(values[i] ?? NaN);
  let line = "";
  let area = "";
  values.forEach((value, i) => {
    if (!isKnown(i)) return;
    const [begins, ends] = [!isKnown(i - 1), !isKnown(i + 1)];
    if (begins) {
      // A lone value has no line to its neighbours: it is as wide as the stretch it stands for.
      const left = ends ? Math.max(0, x(i) - step) : x(i);
      line += `M${left} ${y(value)}`;
      area += `M${left} ${SIZE}V${y(value)}`;
    }
    line += `L${x(i)} ${y(value)}`;
    area += `L${x(i)} ${y(value)}`;
    if (ends) area += `V${SIZE}Z`;
  });
  return (
    <span class="sparkline" aria-hidden="true">
      <svg viewBox={`0 0 ${SIZE} ${SIZE}`} preserveAspectRatio="none">
        <path class="sparkline-area" d={area} />
        <path class="sparkline-line" d={line} />
      </svg>
    </span>
  );
}
