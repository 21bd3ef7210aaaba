/**
 * Where each of several courses ends when they are piled up, the first one on top. A stretch of which one knows nothing
 * counts as 0 there, and one of which none does as what came before it.
 * @param courses of equal stretches of one window; those of fewer points end together with the others
 */
export function stackedHeights(courses: readonly Float64Array[]): {
  readonly tops: readonly Float64Array[];
  readonly highest: number;
} {
  const points = Math.max(0, ...courses.map(({ length }) => length));
  const valueAt = (course: Float64Array, i: number) => course[i - (points - course.length)] ?? NaN;
  const tops = courses.map(() => new Float64Array(points));
  let highest = 0;
  for (let i = 0; i < points; i++) {
    const known = courses.some((course) => !Number.isNaN(valueAt(course, i)));
    let sum = 0;
    for (let c = courses.length - 1; c >= 0; c--) {
      const [top, course] = [tops[c], courses[c]];
      if (top === undefined || course === undefined) continue;
      const value = valueAt(course, i);
      sum += Number.isNaN(value) ? 0 : Math.max(0, value);
      top[i] = known ? sum : (top[i - 1] ?? 0);
    }
    highest = Math.max(highest, tops[0]?.[i] ?? 0);
  }
  return { tops, highest };
}
