import type { PartCells } from "./plan.js";

/** Position of each time among all. */
export function rowsOf(times: Float64Array, all: Float64Array): Int32Array {
  const rows = new Int32Array(times.length);
  let row = 0;
  for (let i = 0; i < times.length; i++) {
    const time = times[i] ?? 0;
    while ((all[row] ?? Infinity) < time) row++;
    rows[i] = row;
  }
  return rows;
}

/** Stretches of samples that have the same parts: a histogram whose bounds change has others from then on. */
export function* stretchesOf(
  parts: readonly PartCells[],
  samples: number,
): Generator<{ readonly from: number; readonly to: number; readonly present: readonly PartCells[] }> {
  const gapless = parts.filter(({ cells }) => !hasNaN(cells));
  if (gapless.length === parts.length) {
    if (samples > 0) yield { from: 0, to: samples, present: parts };
    return;
  }
  const others = parts.filter((part) => !gapless.includes(part));
  const at = (sample: number) => others.map(({ cells }) => Number.isNaN(cells[sample] ?? NaN));
  for (let from = 0; from < samples;) {
    const absent = at(from);
    let to = from + 1;
    while (to < samples && others.every(({ cells }, i) => Number.isNaN(cells[to] ?? NaN) === absent[i])) to++;
    yield { from, to, present: parts.filter((part) => absent[others.indexOf(part)] !== true) };
    from = to;
  }
}

/** `some(Number.isNaN)` takes ten times as long. */
function hasNaN(cells: Float64Array): boolean {
  for (let i = 0; i < cells.length; i++) if (Number.isNaN(cells[i])) return true;
  return false;
}
