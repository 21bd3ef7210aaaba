import {
  joinTables,
  rankingSteps,
  sharesSteps,
  statisticsTable,
  timesliceTable,
  vectorSteps,
  type ResultEntry,
  type StatisticsTable,
} from "../core/query/index.js";
import type { Handlers, ProgressListener, RunRequests } from "../protocol/index.js";
import type { Answers } from "./answers.js";
import { checkRun } from "./assertions.js";
import { sloOfRun } from "./slo.js";
import { runSteps } from "./stepper.js";

/** Answers in steps, so that nothing else waits. @param answers of the run asked; throws when there is none */
export function questions(answers: () => Answers) {
  return {
    series: async ({ family }, signal) => (await answers().of(family, signal)).series(family),
    labels: () => answers().labels(),
    chart: async (query, signal) => runSteps((await answers().of(query.family, signal)).chart(query), signal),
    changes: async (query, signal) => runSteps((await answers().of(query.family, signal)).changes(query), signal),
    statistics: (which, signal, report) => statistics(answers(), which, signal, report),
    timeslices: async (query, signal) =>
      runSteps(timesliceTable(await entries(answers(), query.family, signal), query, answers().origin), signal),
    heatmap: async (query, signal) => runSteps((await answers().of(query.family, signal)).heatmap(query), signal),
    distribution: async (query, signal) =>
      runSteps((await answers().of(query.family, signal)).distribution(query), signal),
    check: ({ assertions }, signal) => checkRun(answers(), assertions, signal),
    slo: ({ objectives }, signal) => sloOfRun(answers(), objectives, signal),
    ranking: async (query, signal) =>
      runSteps(rankingSteps(await entries(answers(), query.family, signal), query), signal),
    shares: async (query, signal) =>
      runSteps(sharesSteps(await entries(answers(), query.family, signal), query), signal),
    vector: async (query, signal) =>
      runSteps(vectorSteps(await entries(answers(), query.family, signal), query, answers().origin), signal),
  } satisfies Partial<Handlers<RunRequests>>;
}

async function entries(answers: Answers, family: string, signal: AbortSignal): Promise<Iterable<ResultEntry>> {
  return (await answers.of(family, signal)).entries();
}

async function statistics(
  answers: Answers,
  which: RunRequests["statistics"]["params"],
  signal: AbortSignal,
  report: ProgressListener,
): Promise<StatisticsTable> {
  if ("family" in which) return runSteps(statisticsTable(await entries(answers, which.family, signal), which), signal);
  const tables: StatisticsTable[] = [];
  for await (const part of answers.ofType(which.type, signal, report))
    tables.push(await runSteps(statisticsTable(part.entries(), which), signal));
  const [first, ...others] = tables;
  return first === undefined ? runSteps(statisticsTable([], which), signal) : joinTables(first, others);
}
