/**
 * What a row measures: prepared once, then done as often as it is timed. It may return a `Reported` of what it measured
 * itself, in a page or of another process.
 */
export type Task = (scale: number) => Promise<() => unknown>;

/** Figures that stand for those measured around a task, and what else there is to say of them. */
export class Reported {
  constructor(
    readonly figures: Partial<Figures>,
    readonly note: string,
  ) {}
}

/** One line of the table. */
export interface BenchRow {
  /** Stays the same from commit to commit: results are compared by it. */
  readonly name: string;
  /** How much work it is at a scale, such as "1.1 M rows". */
  work(scale: number): string;
  readonly ours: Task;
  /** Makes the files that tasks read (`inputFile`) in a process of its own: its time and its memory do not count. */
  inputs?(scale: number): Promise<unknown>;
  /** Another program or the platform at the like of it, measured in the same run. */
  readonly anchor?: { readonly name: string; readonly task: Task };
  /** Anchor's processor time ÷ ours that is to be kept: a run fails below half of it. */
  readonly keeps?: number;
  /** What is to be reached: shown beside the row, and no reason to fail. */
  readonly goal?: Partial<Figures>;
  /** Each timing in a process of its own: what is read and compiled first counts, as it does for a user. */
  readonly cold?: boolean;
  /** Timed once: it watches something for a while, and the figures are of that. */
  readonly once?: boolean;
  /** Scale of the row in the table; 1 unless given. */
  readonly scale?: number;
  /** Scale in `--quick`; absent: left out there. */
  readonly quick?: number;
  /** Scales at which growth is measured, not in `--quick`. */
  readonly growth?: readonly number[];
}

/** Of one timing. */
export interface Timing {
  readonly seconds: number;
  /** Of all threads of the process: what others do on the machine delays the clock, not this. */
  readonly cpuSeconds: number;
}

interface Figures extends Timing {
  /** Of the process, preparation included. */
  readonly peakBytes: number;
  /** The longest time that the event loop was blocked. */
  readonly pauseSeconds: number;
}

/** Medians of the timings. */
export interface Measured extends Figures {
  readonly note?: string;
}

export interface RowResult {
  readonly name: string;
  readonly work: string;
  readonly ours: Measured;
  readonly anchor?: Measured & { readonly name: string };
  /** Anchor's processor time ÷ ours. */
  readonly ratio?: number;
  readonly keeps?: number;
  readonly goal?: Partial<Figures>;
  readonly growth?: readonly { readonly scale: number; readonly work: string; readonly ours: Measured }[];
}

export interface BenchResults {
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
  readonly quick: boolean;
  readonly rows: readonly RowResult[];
}

/** The faster of each side, and the ratio of these. */
export function better(a: RowResult, b: RowResult): RowResult {
  const ours = a.ours.cpuSeconds <= b.ours.cpuSeconds ? a.ours : b.ours;
  if (a.anchor === undefined || b.anchor === undefined) return { ...a, ours };
  const anchor = a.anchor.cpuSeconds <= b.anchor.cpuSeconds ? a.anchor : b.anchor;
  return { ...a, ours, anchor, ratio: anchor.cpuSeconds / ours.cpuSeconds };
}

/** Below half of what is kept: more than noise. */
export function fellBehind({ ratio, keeps }: RowResult): boolean {
  return ratio !== undefined && keeps !== undefined && ratio < keeps / 2;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? NaN;
}
