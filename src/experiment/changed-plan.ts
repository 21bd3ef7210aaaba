import type { ExperimentDefinition } from "../core/experiment/index.js";
import { plural } from "../core/text/plural.js";
import { UserError } from "../core/text/index.js";
import type { Recorded } from "./journal.js";

/**
 * That runs of an earlier plan are not like those to come: a sentence, "" where they are. They count as long as their
 * configuration, their load and what is common to all were the same; metrics, repeats, budget and seed may change.
 */
export function changedPlan(out: string, definition: ExperimentDefinition, before: Recorded | undefined): string {
  if (before === undefined || before.runs.length === 0) return "";
  const { runs, definition: old } = before;
  const changed = new Set<string>();
  for (const { step } of runs) {
    if (differs(old, definition, ({ reset, endpoints, interval }) => [reset, endpoints, interval]))
      changed.add("what is common to all");
    for (const [list, name] of [
      ["configurations", step.configuration],
      ["loads", step.load],
    ] as const)
      if (differs(old, definition, (one) => one[list].find((own) => own.name === name))) changed.add(name);
  }
  if (JSON.stringify(old.search) !== JSON.stringify(definition.search)) changed.add("search");
  return changed.size === 0
    ? ""
    : `${plural(runs.length, "run")} in ${out} ${runs.length === 1 ? "was" : "were"} made by another plan: ${[...changed].join(", ")} changed.`;
}

/** @throws UserError that says which runs would not be like those to come */
export function requireSamePlan(out: string, definition: ExperimentDefinition, before: Recorded | undefined): void {
  const changed = changedPlan(out, definition, before);
  if (changed !== "")
    throw new UserError(changed, "Give --anew to set them aside and begin anew, or choose another --out.", {
      code: "changed-plan",
    });
}

function differs(
  old: ExperimentDefinition,
  definition: ExperimentDefinition,
  part: (one: ExperimentDefinition) => unknown,
): boolean {
  return JSON.stringify(part(old)) !== JSON.stringify(part(definition));
}
