import {
  CONCEPTS,
  definitionDifference,
  familiesOfMember,
  familyEntry,
  matchMembers,
  type Concept,
  type ConceptMember,
} from "../../catalog/index.js";
import type { MeasuredRun, SourceSeries } from "../source.js";

/** One concept that runs of different engines are compared by. */
export interface ConceptMatch {
  readonly concept: Concept;
  /** What each run has of it; undefined for none that can be compared. */
  readonly members: readonly (ConceptMember | undefined)[];
}

/** A concept that a run and the first one both have, but that cannot be compared. */
export interface RefusedConcept {
  readonly concept: Concept;
  readonly run: number;
  /** Canonical names, of the first run and of this one. */
  readonly families: readonly string[];
  readonly reason: string;
}

export interface ConceptMatches {
  readonly matches: readonly ConceptMatch[];
  readonly refused: readonly RefusedConcept[];
}

/**
 * What runs of different engines are compared by: concepts of which they have no family in common, but each one of its
 * own. The first run is the one that others are matched with.
 */
export function matchConcepts(runs: readonly MeasuredRun[]): ConceptMatches {
  const types = runs.map(({ series }) => new Map(series.map(({ canonical, family }) => [canonical, family.type])));
  const has = (r: number) => (member: ConceptMember) =>
    familiesOfMember(member).every(
      (name) => types[r]?.has(name) === true && types[r].get(name) === familyEntry(name)?.type,
    );
  const matches: ConceptMatch[] = [];
  const refused: RefusedConcept[] = [];
  for (const concept of CONCEPTS) {
    const own = runs.map((_, r) => concept.members.filter(has(r)));
    const [reference = []] = own;
    const isShared = (members: readonly ConceptMember[]) => members.some((member) => reference.includes(member));
    const pairs = own.map((members, r) =>
      r === 0 || isShared(members) ? undefined : matchMembers(reference, members),
    );
    pairs.forEach((pair, run) => {
      if (pair?.kind !== "refused") return;
      const families = [pair.a, pair.b].flatMap((member) => familiesOfMember(member)[0] ?? []);
      refused.push({ concept, run, families, reason: pair.reason });
    });
    const chosen = pairs.find((pair) => pair?.kind === "match")?.a;
    if (chosen === undefined) continue;
    const members = own.map((mine) => {
      if (mine.includes(chosen)) return chosen;
      const found = matchMembers([chosen], mine);
      return found?.kind === "match" ? found.b : undefined;
    });
    matches.push({ concept, members });
    // A server may have a second family of the concept, which is then not the one to compare.
    pairs.forEach((pair, run) => {
      if (pair?.kind !== "match") return;
      for (const other of own[run] ?? []) {
        const found = other === pair.b ? undefined : matchMembers([chosen], [other]);
        if (found?.kind === "refused")
          refused.push({ concept, run, families: ["", ...familiesOfMember(other).slice(0, 1)], reason: found.reason });
      }
    });
  }
  return { matches, refused };
}

/** The concept by which a series of a run is compared, where that is a family and not derived. */
export function conceptOfSeries(
  { matches }: ConceptMatches,
  run: number,
  { canonical }: Pick<SourceSeries, "canonical">,
): ConceptMatch | undefined {
  return matches.find(({ members }) => members[run]?.family === canonical);
}

/** How two runs' definitions of a concept differ; undefined when they mean the same. */
export function definitionNote({ members }: ConceptMatch, a: number, b: number): string | undefined {
  const [first, second] = [members[a], members[b]];
  return first === undefined || second === undefined ? undefined : definitionDifference(first, second);
}
