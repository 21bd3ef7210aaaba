import { familyUnit, isCountedAverage, objectiveApplies, type Objective } from "../core/catalog/index.js";
import {
  assertedFamily,
  checkAssertion,
  type Assertion,
  type CheckableFamily,
  type CheckResult,
} from "../core/compare/index.js";
import { changeResults, changesOf } from "../core/insights/index.js";
import { toOffset, type SeriesResult } from "../core/model/index.js";
import {
  chartSteps,
  distributionSteps,
  heatmapSteps,
  isAsked,
  joinTables,
  rankingSteps,
  runEntries,
  seriesOfFamily,
  seriesSummaries,
  sharesSteps,
  sloReport,
  statisticsTable,
  StoredRun,
  timesliceTable,
  vectorSteps,
  viewOf,
  type ResultEntry,
  type SloReport,
  type StatisticsTable,
} from "../core/query/index.js";
import type { Run } from "../core/store/index.js";
import type { Handlers, ProgressListener, RunRequests, SeriesChange } from "../protocol/index.js";
import { familyResults, type Answers } from "./answers.js";
import { runSteps } from "./stepper.js";

/** Answers in steps, so that nothing else waits. @param answers of the run asked; throws when there is none */
export function questions(answers: () => Answers) {
  const inSteps =
    <Q extends { readonly family: string }, T>(
      steps: (run: Run | StoredRun, query: Q) => Generator<number | void, T>,
    ) =>
    async (query: Q, signal: AbortSignal): Promise<T> =>
      runSteps(steps(await answers().of([query.family], signal), query), signal);
  return {
    series: async ({ family }, signal) => seriesSummaries(await answers().of([family], signal), family),
    labels: () => answers().labels(),
    statistics: (which, signal, report) => statistics(answers(), which, signal, report),
    check: ({ assertions }, signal) => checkRun(answers(), assertions, signal),
    slo: ({ objectives }, signal) => sloOfRun(answers(), objectives, signal),
    chart: inSteps((run, query) => chartSteps(run, query, answers().kept)),
    changes: inSteps(changeSteps),
    timeslices: inSteps((run, query) => timesliceTable(runEntries(run), query, answers().origin)),
    heatmap: inSteps(heatmapSteps),
    distribution: inSteps(distributionSteps),
    ranking: inSteps((run, query) => rankingSteps(runEntries(run), query)),
    shares: inSteps((run, query) => sharesSteps(runEntries(run), query)),
    vector: inSteps((run, query) => vectorSteps(runEntries(run), query, answers().origin)),
  } satisfies Partial<Handlers<RunRequests>>;
}

async function statistics(
  answers: Answers,
  which: RunRequests["statistics"]["params"],
  signal: AbortSignal,
  report: ProgressListener,
): Promise<StatisticsTable> {
  if ("family" in which)
    return runSteps(statisticsTable(runEntries(await answers.of([which.family], signal)), which), signal);
  const tables: StatisticsTable[] = [];
  for await (const part of answers.ofType(which.type, signal, report))
    tables.push(await runSteps(statisticsTable(runEntries(part), which), signal));
  const [first, ...others] = tables;
  return first === undefined ? runSteps(statisticsTable([], which), signal) : joinTables(first, others);
}

/** Changes as a view shows them. */
function* changeSteps(
  run: Run | StoredRun,
  query: RunRequests["changes"]["params"],
): Generator<number | void, readonly SeriesChange[]> {
  const { origin } = viewOf(run);
  const keys = seriesOfFamily(run, query.family).filter((key) => isAsked(key, query));
  const results =
    run instanceof StoredRun
      ? keys.flatMap((key) => (isCountedAverage(key.family) ? [] : (run.resultOf(key) ?? [])))
      : yield* changeResults(run, keys);
  return changesOf(results).flatMap(({ endpointUrl, labels, changes }) =>
    changes.map(({ startNs, ...change }): SeriesChange => {
      const base = { endpointUrl, labels, start: toOffset(startNs, origin) };
      if (change.kind === "level-change") return { ...base, ...change };
      const { endNs, ...outlier } = change;
      return { ...base, ...outlier, end: toOffset(endNs, origin) };
    }),
  );
}

/**
 * Holds a run against assertions, reading only the families that they are about. @throws UserError; the signal's reason
 */
export async function checkRun(
  answers: Answers,
  assertions: readonly Assertion[],
  signal: AbortSignal,
): Promise<CheckResult[]> {
  const families = new Map<string, CheckableFamily & { readonly series: SeriesResult[] }>();
  for (const family of answers.definitions()) {
    const unit = familyUnit(family);
    const { name, type, description } = family;
    if (!families.has(name))
      families.set(name, { name, type, description, ...(unit === undefined ? {} : { unit }), series: [] });
  }
  const known = [...families.values()];
  for (const wanted of new Set(assertions.map((assertion) => assertedFamily(assertion, known)))) {
    const family = wanted === undefined ? undefined : families.get(wanted.name);
    if (family === undefined) continue;
    for (const entry of await familyResults(answers, family.name, signal)) {
      const result = entry.result();
      if (result !== undefined) family.series.push(result);
    }
  }
  return assertions.map((assertion) => checkAssertion(assertion, { families: known }));
}

/** What became of objectives, reading only the families that they are about. @throws UserError; the signal's reason */
async function sloOfRun(answers: Answers, objectives: readonly Objective[], signal: AbortSignal): Promise<SloReport> {
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
