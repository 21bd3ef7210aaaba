import { canonicalName } from "./aliases.js";
import { CONCEPTS, type Concept } from "./concepts/index.js";
import { conceptOfTerm } from "./search.js";

/** A service level objective: the values of a metric are to be at most a threshold. */
export interface Objective {
  /** As it was asked for: "ttft", or a family's name. */
  readonly name: string;
  /** In the metric's unit. */
  readonly threshold: number;
}

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

/** Canonical names of the families that a name stands for, the best first: those of a concept, or of one metric. */
export function familiesNamed(name: string): readonly string[] {
  return conceptNamed(name)?.members.flatMap(({ family }) => family ?? []) ?? [canonicalName(name)];
}

/** The concept of a name: its id (`ttft`), a practitioner's word (`itl`), or its title (`time_to_first_token`). */
export function conceptNamed(name: string): Concept | undefined {
  const meant = conceptOfTerm(name);
  return meant ?? CONCEPTS.find((one) => one.id === name || one.title.toLowerCase().replaceAll(/[ -]/g, "_") === name);
}

/** Whether a family is one that an objective is about. */
export function objectiveApplies(family: string, objective: Pick<Objective, "name">): boolean {
  return familiesNamed(objective.name).includes(canonicalName(family));
}

/** As assertions write it. */
export function shareStatistic(threshold: number): `share_below(${number})` {
  return `share_below(${threshold})`;
}
