import type { RunId } from "../../src/protocol/comparison.js";
import { count, record, soundPart } from "../../src/protocol/guards.js";
import { paletteIndex, paletteRound } from "../charts/line-styles.js";

/** Places of runs in the palette: a run keeps its own while others come, go or become the baseline. */
export interface RunColors {
  of(run: RunId | undefined): number;
  /** Of these runs; places of all others are free again. */
  settle(runs: readonly RunId[]): void;
  /** By the run's id, to be handed to `makeRunColors` when the page is made anew. */
  kept(): Readonly<Record<RunId, number>>;
}

/** The style sheet's classes for a place: its colour, and the pattern in which that repeats. */
export function runColorClass(place: number): string {
  return `run-color-${paletteIndex(place)} run-round-${paletteRound(place)}`;
}

/** @param known what was left by an earlier page, or by another program */
export function makeRunColors(known: unknown): RunColors {
  let places = new Map(Object.entries(soundPart(record(count(Number.MAX_SAFE_INTEGER)), known) ?? {}));
  const free = (): number => {
    const taken = new Set(places.values());
    let place = 0;
    while (taken.has(place)) place++;
    return place;
  };
  const of = (run: RunId): number => {
    const place = places.get(run) ?? free();
    places.set(run, place);
    return place;
  };
  return {
    of: (run) => (run === undefined ? 0 : of(run)),
    settle(runs) {
      places = new Map([...places].filter(([run]) => runs.includes(run)));
      for (const run of runs) of(run);
    },
    kept: () => Object.fromEntries(places),
  };
}
