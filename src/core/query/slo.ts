import { canonicalName, CONCEPTS, shownUnit } from "../catalog/index.js";
import type { Family } from "../model/index.js";
import { goodputBounds, shareBelow, sharesTogether, type ShareBelow } from "../stats/index.js";
import type { ResultEntry } from "./tables.js";

/** A service level objective: the values of a metric are to be at most a threshold. */
export interface Objective {
  /** As it was asked for: "ttft", or a family's name. */
  readonly name: string;
  /** In the metric's unit. */
  readonly threshold: number;
}

/** How far an objective was met by all series of its family. */
export interface Attainment extends Objective {
  /** As exposed. */
  readonly family: string;
  readonly unit?: string;
  readonly observations: number;
  readonly share: ShareBelow;
}

/** Requests that meet all objectives. Buckets do not tell which requests are the same: their share has bounds. */
export interface Goodput {
  /** Names of the objectives whose metrics observe each request once. */
  readonly of: readonly string[];
  /** Names of those that observe something else, such as tokens: of requests they tell nothing. */
  readonly without: readonly string[];
  readonly lower: number;
  readonly upper: number;
  /** Requests a second that the bounds make; NaN where no time is known. */
  readonly rateLower: number;
  readonly rateUpper: number;
}

export interface SloReport {
  readonly attained: readonly Attainment[];
  /** Names that no histogram of the run has. */
  readonly missing: readonly string[];
  /** With two or more objectives of requests. */
  readonly goodput?: Goodput;
}

const SHORT: ReadonlyMap<string, string> = new Map([
  ["itl", "inter-token-latency"],
  ["e2e", "e2e-latency"],
  ["queue", "queue-time"],
]);
/** Numbers of observations that differ by less are those of the same requests: some have begun and not ended. */
const SAME_REQUESTS = 0.1;

/**
 * Objectives of a text such as "ttft=0.5,itl=0.05": a concept (ttft, itl, e2e, queue) or a metric, and the threshold in
 * its unit.
 * @throws RangeError that says what is wrong
 */
export function parseObjectives(text: string): Objective[] {
  return text.split(",").map((part) => {
    const at = part.lastIndexOf("=");
    const name = part.slice(0, Math.max(0, at)).trim();
    const number = part.slice(at + 1).trim();
    const threshold = Number(number);
    if (name === "" || number === "" || !Number.isFinite(threshold))
      throw new RangeError(
        `"${part.trim()}" is not an objective: write a metric and its threshold in the metric's unit, such as ttft=0.5.`,
      );
    return { name, threshold };
  });
}

/** Canonical names of the families that a name stands for: those of a concept, or of one metric. */
function familiesNamed(name: string): ReadonlySet<string> {
  const id = SHORT.get(name) ?? name;
  const concept = CONCEPTS.find((one) => one.id === id);
  const members = concept?.members.flatMap(({ source }) => (source.kind === "family" ? [source.family] : []));
  return new Set(members ?? [canonicalName(name)]);
}

/** Is a family one that an objective is about? */
export function isHeldTo({ name }: Family, objectives: readonly Objective[]): boolean {
  return objectives.some((objective) => familiesNamed(objective.name).has(canonicalName(name)));
}

/** What became of objectives in a run's statistics. */
export function sloReport(entries: Iterable<ResultEntry>, objectives: readonly Objective[]): SloReport {
  const histograms = [...entries].filter(({ key }) => key.family.type === "histogram");
  const missing: string[] = [];
  const seconds: number[] = [];
  const attained = objectives.flatMap(({ name, threshold }): Attainment[] => {
    const families = familiesNamed(name);
    const own = histograms.filter(({ key }) => families.has(canonicalName(key.family.name)));
    // An engine may tell one thing by two families: the first is the one.
    const family = own[0]?.key.family;
    const results = own.flatMap((entry) => {
      const result = entry.key.family.name === family?.name ? entry.result() : undefined;
      return result?.kind === "histogram" && result.buckets !== undefined ? [result] : [];
    });
    if (family === undefined || results.length === 0) {
      missing.push(name);
      return [];
    }
    seconds.push(Math.max(...results.map((result) => result.seconds ?? NaN)));
    const shares = results.map((result) => ({
      observations: result.buckets?.at(-1)?.[1] ?? 0,
      share: shareBelow(result, threshold),
    }));
    const unit = shownUnit(family);
    const together = sharesTogether(shares);
    return [{ name, threshold, family: family.name, ...(unit === undefined ? {} : { unit }), ...together }];
  });
  const requests = Math.min(...attained.map(({ observations }) => observations));
  const same = attained.filter(({ observations }) => observations <= requests * (1 + SAME_REQUESTS));
  if (same.length < 2 || !(requests > 0)) return { attained, missing };
  const { lower, upper } = goodputBounds(same.map(({ share }) => share));
  const rate = requests / Math.max(...seconds);
  return {
    attained,
    missing,
    goodput: {
      of: same.map(({ name }) => name),
      without: attained.flatMap((one) => (same.includes(one) ? [] : [one.name])),
      lower,
      upper,
      rateLower: lower * rate,
      rateUpper: upper * rate,
    },
  };
}
