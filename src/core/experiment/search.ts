import type { ExperimentDefinition } from "./definition.js";
import { sampleOf, sequenceInterval } from "./sequence.js";

type Search = NonNullable<ExperimentDefinition["search"]>;
export type LevelState = "met" | "missed" | "undecided";

/** One level that was tried: the primary metric of each valid run. */
export interface TriedLevel {
  readonly level: number;
  readonly values: readonly number[];
  readonly state: LevelState;
}

/** What a search has found. */
export interface Bracket {
  /** The largest level that met the limit; absent where none did. */
  readonly met?: number;
  /** The smallest level that missed it; absent where none did. */
  readonly missed?: number;
  /** Of both statements together. */
  readonly confidence: number;
  /** To be tried next; absent once the search is over. */
  readonly next?: number;
  readonly tried: readonly TriedLevel[];
}

/** Levels that a search tries at the most: both ends, and halvings (of the ratio) down to the resolution. */
export function mostLevels({ from, to, resolution }: Search): number {
  return 2 + Math.max(0, Math.ceil(Math.log2(Math.log(to / from) / Math.log(1 + resolution))));
}

/**
 * Bisection with tests: each level is tried until the sequence of the logarithm of its values by the limit excludes 0.
 * The error rate is shared by all levels that may be tried (Bonferroni), so the bracket holds with `1 - alpha`.
 * @param valuesAt values of the primary metric at a level so far
 * @param min values of a level before it is decided; after `max` it stays undecided, and the search ends
 */
export function searchState(
  search: Search,
  valuesAt: (level: number) => readonly number[],
  { alpha, min, max }: { readonly alpha: number; readonly min: number; readonly max: number },
): Bracket {
  const each = alpha / mostLevels(search);
  const tried: TriedLevel[] = [];
  const stateAt = (level: number): LevelState | "open" => {
    const values = valuesAt(level);
    const { low, high } = sequenceInterval(sampleOf(values.map((value) => Math.log(value / search.limit))), each);
    const state = values.length < min ? "undecided" : high < 0 ? "met" : low > 0 ? "missed" : "undecided";
    if (values.length > 0) tried.push({ level, values, state });
    return state === "undecided" && values.length < max ? "open" : state;
  };
  let met: number | undefined;
  let missed: number | undefined;
  let level: number | undefined = search.from;
  for (;;) {
    const state = stateAt(level);
    if (state === "open") break;
    if (state === "met") met = level;
    if (state === "missed") missed = level;
    level = state === "undecided" ? undefined : levelBetween(search, met, missed);
    if (level === undefined) break;
  }
  return {
    ...(met === undefined ? {} : { met }),
    ...(missed === undefined ? {} : { missed }),
    confidence: 1 - alpha,
    ...(level === undefined ? {} : { next: level }),
    tried,
  };
}

/** What is tried after these; undefined when even the lowest missed, the highest met, or the bracket is narrow. */
function levelBetween(
  { to, resolution }: Search,
  met: number | undefined,
  missed: number | undefined,
): number | undefined {
  if (met === undefined) return undefined;
  if (missed === undefined) return met < to ? to : undefined;
  return missed / met > 1 + resolution ? rounded(Math.sqrt(met * missed), met, missed) : undefined;
}

/** Three digits are enough for a level, as long as it stays between two others. */
function rounded(level: number, low: number, high: number): number {
  const short = Number(level.toPrecision(3));
  return short > low && short < high ? short : level;
}
