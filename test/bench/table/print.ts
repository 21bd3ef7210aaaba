import { fellBehind, type BenchResults, type Measured, type RowResult } from "./frame.js";

/** A row as lines of text. */
export function tableLines(row: RowResult): string[] {
  const { name, work, ours, anchor, ratio, keeps, goal, growth = [] } = row;
  return [
    `${name} (${work})`,
    `  ours    ${figures(ours)}`,
    ...noted(ours),
    ...(goal === undefined ? [] : [`  goal    ${goalText(goal, ours)}`]),
    ...(anchor === undefined ? [] : [`  anchor  ${figures(anchor)}  ${anchor.name}`, ...noted(anchor)]),
    ...(ratio === undefined
      ? []
      : [
          `  ratio   ${times(ratio)}${keeps === undefined ? "" : `, ${times(keeps)} to be kept`}${fellBehind(row) ? ": FELL BEHIND" : ""}`,
        ]),
    ...growth.flatMap((one) => [`  growth  ${figures(one.ours)}  ${one.work}`, ...noted(one.ours)]),
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

function noted({ note }: Measured): string[] {
  return note === undefined ? [] : [`          ${note}`];
}

function goalText(goal: NonNullable<RowResult["goal"]>, ours: Measured): string {
  const text = (key: keyof typeof goal, what: string, show: (value: number) => string) => {
    const most = goal[key];
    return most === undefined ? [] : [`${what}${show(most)}: ${ours[key] <= most ? "reached" : "NOT REACHED"}`];
  };
  return [
    ...text("seconds", "", seconds),
    ...text("cpuSeconds", "processor ", seconds),
    ...text("peakBytes", "peak ", megabytes),
    ...text("pauseSeconds", "longest pause ", seconds),
  ].join(", ");
}

function figures({ seconds: wall, cpuSeconds, peakBytes, pauseSeconds }: Measured): string {
  return [
    seconds(wall).padStart(9),
    `processor ${seconds(cpuSeconds).padStart(8)}`,
    `peak ${megabytes(peakBytes).padStart(8)}`,
    `longest pause ${seconds(pauseSeconds).padStart(8)}`,
  ].join("  ");
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

function seconds(value: number): string {
  return value < 0.1 ? `${(value * 1000).toFixed(1)} ms` : `${value.toFixed(3)} s`;
}

function times(ratio: number): string {
  return `${ratio.toFixed(2)}×`;
}
