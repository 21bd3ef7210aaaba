import { windowSeconds, type Source } from "./source.js";
import type { ComparisonWarning } from "./types.js";

/** Lengths and loads that differ by more than this share are worth a word. */
const LENGTH_TOLERANCE = 0.1;
const LOAD_TOLERANCE = 0.1;
/** Slices below which a window is short. */
const FEW_SLICES = 100;
/** A warm-up shorter than this is none: a capture's baseline scrape lies before profiling, too. */
const SHORTEST_WARM_UP_SECONDS = 2;

/** One run with what was learnt of it while comparing. */
export interface Examined {
  readonly source: Source;
  /** Position of its candidate; −1 for the baseline. */
  readonly candidate: number;
  readonly slices: number;
  /** ns. */
  readonly sliceLength: number;
  /** Series that restarted inside the window. */
  readonly restarted: number;
  /** Requests finished per second; NaN when nothing tells. */
  readonly load: number;
}

/** What makes runs hard to compare, or incomparable. The first run is the one that others are measured against. */
export function comparisonWarnings(runs: readonly Examined[]): ComparisonWarning[] {
  const [reference, ...others] = runs;
  if (reference === undefined) return [];
  return [
    ...runs.flatMap((run) => ownWarnings(run)),
    ...others.flatMap((run) => pairWarnings(reference, run)),
  ];
}

function about({ candidate }: Examined): { candidate?: number } {
  return candidate < 0 ? {} : { candidate };
}

function ownWarnings(run: Examined): ComparisonWarning[] {
  const { source, slices, restarted } = run;
  const name = source.run.label;
  const warnings: ComparisonWarning[] = [];
  const add = (warning: Omit<ComparisonWarning, "candidate">) => warnings.push({ ...warning, ...about(run) });
  if (windowSeconds(source) > 0 && source.warmupSeconds !== undefined && source.warmupSeconds < SHORTEST_WARM_UP_SECONDS) {
    add({ kind: "warm-up", severity: "caution", message: `${name}: no warm-up was taken off; its start counts like the rest.` });
  }
  if (restarted > 0) {
    add({ kind: "restart", severity: "caution", message: `${name}: a server restarted inside the window (${restarted} series fell); counters go by their rises, but it was cold for a while.` });
  }
  if (source.run.kind === "statistics" && slices === 0) {
    add({ kind: "statistics-only", severity: "incomparable", message: `${name} holds neither samples nor slices: its values are shown, how certain they are cannot be told. Compare its Parquet or JSONL instead.` });
  } else if (slices < FEW_SLICES) {
    add({ kind: "slices", severity: "caution", message: `${name}: only ${slices} slices; small differences cannot be seen.` });
  }
  return warnings;
}

function pairWarnings(reference: Examined, run: Examined): ComparisonWarning[] {
  const [a, b] = [reference.source, run.source];
  const names = `${a.run.label} and ${b.run.label}`;
  const warnings: ComparisonWarning[] = [];
  const add = (warning: Omit<ComparisonWarning, "candidate">) => warnings.push({ ...warning, ...about(run) });
  if (a.benchmarkId === b.benchmarkId && a.start === b.start && a.end === b.end) {
    add({ kind: "same-run", severity: "incomparable", message: `${names} are the same run (benchmark id ${a.benchmarkId}): there is nothing to compare.` });
  }
  if (a.servers.length > 0 && b.servers.length > 0 && !a.servers.some((server) => b.servers.includes(server))) {
    add({ kind: "servers", severity: "incomparable", message: `${names} are of different servers: ${a.servers.join(", ")} and ${b.servers.join(", ")}.` });
  }
  const [lengthA, lengthB] = [windowSeconds(a), windowSeconds(b)];
  if (Math.min(lengthA, lengthB) > 0 && apart(lengthA, lengthB) > LENGTH_TOLERANCE) {
    add({ kind: "length", severity: "caution", message: `${names} differ in length: ${lengthA.toFixed(0)} s and ${lengthB.toFixed(0)} s.` });
  }
  if (reference.slices > 0 && run.slices > 0 && apart(reference.sliceLength, run.sliceLength) > 1e-6) {
    add({ kind: "slices", severity: "caution", message: `${names} have slices of different lengths, ${seconds(reference)} and ${seconds(run)}: they are compared as they are, not pair by pair.` });
  }
  if (apart(reference.load, run.load) > LOAD_TOLERANCE) {
    add({
      kind: "load",
      severity: "caution",
      message: `${names} finished ${rate(reference.load)} and ${rate(run.load)} requests/s: what depends on the load differs for that alone.`,
    });
  }
  return warnings;
}

function apart(a: number, b: number): number {
  return Math.abs(a - b) / Math.max(a, b);
}

function seconds({ sliceLength }: Examined): string {
  return `${Number((sliceLength / 1e9).toPrecision(3))} s`;
}

function rate(value: number): string {
  return String(Number(value.toPrecision(3)));
}
