/**
 * p-values adjusted so that of all found at level α, a share α is expected to be false (Benjamini & Hochberg 1995,
 * step-up). NaN stands for a metric that was not tested; it is not counted.
 */
export function benjaminiHochberg(p: Float64Array): Float64Array {
  const tested = Array.from(p.keys()).filter((i) => !Number.isNaN(p[i] ?? NaN));
  tested.sort((a, b) => (p[b] ?? 0) - (p[a] ?? 0));
  const adjusted = new Float64Array(p.length).fill(NaN);
  let least = 1;
  tested.forEach((i, place) => {
    least = Math.min(least, ((p[i] ?? 1) * tested.length) / (tested.length - place));
    adjusted[i] = least;
  });
  return adjusted;
}
