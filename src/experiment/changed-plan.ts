import { folderOf, type ExperimentDefinition, type PlannedRun } from "../core/experiment/index.js";
import { plural } from "../core/text/plural.js";
import { UserError } from "../core/text/index.js";
import type { Recorded } from "./journal.js";

/**
 * That runs of an earlier plan are not like those to come: a sentence, "" where they are. They count as long as their
 * configuration, their load and what is common to all were the same; metrics, repeats, budget and seed may change.
 */
export function changedPlan(out: string, definition: ExperimentDefinition, before: Recorded | undefined): string {
  if (before === undefined) return "";
  const runs = before.runs.filter(({ problems }) => problems.length === 0);
  const changed = new Set(runs.flatMap(({ step }) => changesOf(before.definition, definition, step)));
  return changed.size === 0
    ? ""
    : `${plural(runs.length, "run")} in ${out} ${runs.length === 1 ? "was" : "were"} made by another plan: ${[...changed].join(", ")} changed.`;
}

/** Folders of the runs that do not count and would be others by now: whoever changed the plan has mended something. */
export function replacedRuns(definition: ExperimentDefinition, before: Recorded | undefined): readonly string[] {
  return (before?.runs ?? []).flatMap(({ step, problems }) =>
    before !== undefined && problems.length > 0 && changesOf(before.definition, definition, step).length > 0
      ? [folderOf(step)]
      : [],
  );
}

/** What a step's run would be made with that it was not. */
function changesOf(old: ExperimentDefinition, definition: ExperimentDefinition, step: PlannedRun): readonly string[] {
  const named = <T extends { readonly name: string }>(list: readonly T[], name: string) =>
    list.find((own) => own.name === name);
  const parts: readonly (readonly [what: string, part: (one: ExperimentDefinition) => unknown])[] = [
    ["what is common to all", ({ reset, endpoints, interval }) => [reset, endpoints, interval]],
    [step.configuration, ({ configurations }) => named(configurations, step.configuration)],
    [step.load, ({ loads }) => named(loads, step.load)],
    ["search", ({ search }) => search],
  ];
  return parts.flatMap(([what, part]) =>
    JSON.stringify(part(old)) === JSON.stringify(part(definition)) ? [] : [what],
  );
}

/** @throws UserError that says which runs would not be like those to come */
export function requireSamePlan(out: string, definition: ExperimentDefinition, before: Recorded | undefined): void {
  const changed = changedPlan(out, definition, before);
  if (changed !== "")
    throw new UserError(changed, "Give --anew to set them aside and begin anew, or choose another --out.", {
      code: "changed-plan",
    });
}
