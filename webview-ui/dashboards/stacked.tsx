import { seriesColor } from "../charts/colors.js";
import { stackedHeights } from "./stacked-heights.js";

/**
 * Courses on top of one another, the first at the top, as areas set off by lines; what each is, the rows below say. The
 * style sheet stretches them over what room there is.
 */
export function StackedAreas({ courses }: { readonly courses: readonly Float64Array[] }) {
  const { tops, highest } = stackedHeights(courses);
  const last = Math.max(1, (tops[0]?.length ?? 0) - 1);
  return (
    <svg class="stacked" viewBox={`0 0 ${last} 1`} preserveAspectRatio="none" aria-hidden="true">
      {highest > 0 &&
        // From the top of the pile down: each covers what is not its own.
        tops.map((top, place) => (
          <polygon
            key={place}
            points={[`0,1`, ...Array.from(top, (value, i) => `${i},${1 - value / highest}`), `${last},1`].join(" ")}
            style={{ fill: seriesColor(place) }}
          />
        ))}
    </svg>
  );
}

/** A part's colour beside its name. */
export function StackSwatch({ place }: { readonly place: number }) {
  return <span class="stack-swatch" aria-hidden="true" style={{ background: seriesColor(place) }} />;
}
