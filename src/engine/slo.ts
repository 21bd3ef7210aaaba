import { objectiveApplies, type Objective } from "../core/catalog/index.js";
import { sloReport, type ResultEntry, type SloReport } from "../core/query/index.js";
import { familyResults, type Answers } from "./answers.js";

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
  for (const name of names) entries.push(...(await familyResults(answers, name, signal)));
  return sloReport(entries, objectives);
}
