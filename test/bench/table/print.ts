import { fellBehind, type BenchResults, type Measured, type RowResult } from "./frame.js";

/** A row as lines of text. */
export function tableLines(row: RowResult): string[] {
  const { name, work, ours, anchor, ratio, keeps, growth = [] } = row;
  return [
    `${name} (${work})`,
    `  ours    ${figures(ours)}`,
    ...(anchor === undefined ? [] : [`  anchor  ${figures(anchor)}  ${anchor.name}`]),
    ...(ratio === undefined
      ? []
      : [
          `  ratio   ${times(ratio)}${keeps === undefined ? "" : `, ${times(keeps)} to be kept`}${fellBehind(row) ? ": FELL BEHIND" : ""}`,
        ]),
    ...growth.map((one) => `  growth  ${figures(one.ours)}  ${one.work}`),
  ];
}

/** Where two results differ: what each row took, then and now, and its ratios. */
export function comparisonLines(before: BenchResults, now: BenchResults): string[] {
  const lines = [
    `since ${before.commit} of ${before.date.slice(0, 10)}${before.machine === now.machine ? "" : `, on another machine (${before.machine})`}:`,
  ];
  for (const row of now.rows) {
    const old = before.rows.find(({ name, work }) => name === row.name && work === row.work);
    if (old === undefined) {
      lines.push(`  ${row.name}: not measured then, or at another size`);
      continue;
    }
    const ratios =
      old.ratio === undefined || row.ratio === undefined ? "" : `, ratio ${times(old.ratio)} → ${times(row.ratio)}`;
    lines.push(
      `  ${row.name}: ${seconds(old.ours.cpuSeconds)} → ${seconds(row.ours.cpuSeconds)} of processor time (${times(old.ours.cpuSeconds / row.ours.cpuSeconds)})${ratios}`,
    );
  }
  const gone = before.rows.filter(({ name }) => !now.rows.some((row) => row.name === name));
  return [...lines, ...gone.map(({ name }) => `  ${name}: not measured now`)];
}

function figures({ seconds: wall, cpuSeconds, peakBytes, pauseSeconds }: Measured): string {
  return [
    seconds(wall).padStart(9),
    `processor ${seconds(cpuSeconds).padStart(8)}`,
    `peak ${(peakBytes / 1e6).toFixed(0).padStart(5)} MB`,
    `longest pause ${(pauseSeconds * 1000).toFixed(0).padStart(4)} ms`,
  ].join("  ");
}

function seconds(value: number): string {
  return `${value.toFixed(3)} s`;
}

function times(ratio: number): string {
  return `${ratio.toFixed(2)}×`;
}
