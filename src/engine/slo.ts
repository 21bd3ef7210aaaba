import { objectiveApplies, type Objective } from "../core/catalog/index.js";
import { sloReport, type ResultEntry, type SloReport } from "../core/query/index.js";
import type { Answers, FamilyAnswers } from "./answers.js";
import { runSteps } from "./stepper.js";

/** What became of objectives, reading only the families that they are about. @throws UserError; the signal's reason */
export async function sloOfRun(
  answers: Answers,
  objectives: readonly Objective[],
  signal: AbortSignal,
): Promise<SloReport> {
  const names = new Set(
    answers
      .definitions()
      .filter(({ name }) => objectives.some((objective) => objectiveApplies(name, objective)))
      .map(({ name }) => name),
  );
  const entries: ResultEntry[] = [];
  for (const name of names) await runSteps(entriesInto(entries, await answers.of(name, signal), name), signal);
  return sloReport(entries, objectives);
}

/** With their results, which cost the time. */
function* entriesInto(entries: ResultEntry[], answers: FamilyAnswers, family: string): Generator<number, void> {
  const own = [...answers.entries()].filter(({ key }) => key.family.name === family);
  for (const [i, entry] of own.entries()) {
    const result = entry.result();
    entries.push({ ...entry, result: () => result });
    yield (i + 1) / own.length;
  }
}
