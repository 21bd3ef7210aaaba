import { isOfConfiguration } from "../../model/index.js";
import { configurationDifferences } from "../report/configuration.js";
import { isSameRun } from "../same-run.js";
import { repeatedName } from "./set-label.js";
import { windowSeconds, type MeasuredRun } from "../source.js";

/** Runs whose lengths differ by more than this share do not vary alike. */
const LENGTH_TOLERANCE = 0.2;

/** Whether two runs have the same settings and servers, as far as they tell, and like lengths. */
export function isSameConfiguration(a: MeasuredRun, b: MeasuredRun): boolean {
  const [x, y] = [windowSeconds(a), windowSeconds(b)];
  return (
    Math.abs(x - y) <= LENGTH_TOLERANCE * Math.max(x, y) &&
    configurationDifferences([a, b]).every(({ source, name }) => source === "provenance" || !isOfConfiguration(name))
  );
}

/** A run and what people call it. */
export interface NamedRun {
  readonly label: string;
  readonly run: MeasuredRun;
}

/**
 * The runs as sets of repeats, in the order of the first of each: by configuration and load where that tells at least
 * two apart, else by their common name ("base" of "base-1" and "base-2"), where nothing in their configuration differs.
 * Each run by itself where neither gives several sets with a repeat among them. Two files of one run are no repeats.
 */
export function groupRepeats<Run extends NamedRun>(runs: readonly Run[]): readonly (readonly Run[])[] {
  const isRepeat = (a: NamedRun, b: NamedRun) => isSameConfiguration(a.run, b.run);
  const isNamesake = (a: NamedRun, b: NamedRun) => {
    const name = repeatedName(a.label);
    return name !== undefined && name === repeatedName(b.label) && isRepeat(a, b);
  };
  for (const belong of [isRepeat, isNamesake]) {
    const sets: Run[][] = [];
    for (const run of runs) {
      const own = sets.find(
        (set) => set[0] !== undefined && belong(set[0], run) && !set.some((other) => isSameRun(other.run, run.run)),
      );
      if (own === undefined) sets.push([run]);
      else own.push(run);
    }
    if (sets.length > 1 && sets.length < runs.length) return sets;
  }
  return runs.map((run) => [run]);
}
