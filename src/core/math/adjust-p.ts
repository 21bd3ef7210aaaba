/**
 * p-values adjusted so that of all found at level α, a share α is expected to be false (Benjamini & Hochberg 1995,
 * step-up). NaN stands for a metric that was not tested; it is not counted.
 */
export function benjaminiHochberg(p: Float64Array): Float64Array {
  const tested = largestFirst(p);
  const adjusted = new Float64Array(p.length).fill(NaN);
  let least = 1;
  tested.forEach((i, place) => {
    least = Math.min(least, ((p[i] ?? 1) * tested.length) / (tested.length - place));
    adjusted[i] = least;
  });
  return adjusted;
}

/**
 * p-values adjusted so that with the chance α there is any false one among those found at level α, however they depend
 * on each other (Holm 1979, step-down). NaN as above.
 */
export function holm(p: Float64Array): Float64Array {
  const adjusted = new Float64Array(p.length).fill(NaN);
  let most = 0;
  const tested = largestFirst(p).reverse();
  tested.forEach((i, place) => {
    most = Math.max(most, Math.min(1, (p[i] ?? 1) * (tested.length - place)));
    adjusted[i] = most;
  });
  return adjusted;
}

/** Positions of what was tested. */
function largestFirst(p: Float64Array): number[] {
  return Array.from(p.keys())
    .filter((i) => !Number.isNaN(p[i]))
    .sort((a, b) => (p[b] ?? 0) - (p[a] ?? 0));
}
