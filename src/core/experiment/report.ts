import { formatValue } from "../catalog/index.js";
import { bullets, heading, paragraph, table, parseDuration, type Block } from "../text/index.js";
import { plural } from "../text/plural.js";
import { ALPHA, type DecidedExperiment, type Decision, type InterimResult, type MetricState } from "./decide.js";
import {
  guardsOf,
  judgedName,
  type ExperimentDefinition,
  type JudgedMetric,
  type LoadDefinition,
} from "./definition.js";
import { valueText } from "./measure.js";
import { folderOf, orderOf, type RunRecord } from "./plan.js";
import { mostLevels } from "./search.js";
import { equivalenceLevel } from "./sequence.js";
import { groupBy, mean } from "../math/index.js";

/** The answer in one sentence for each load, or for each configuration of a search. */
export function answersOf({ definition, decision }: Omit<DecidedExperiment, "runs">): readonly string[] {
  const { primary, searches } = decision;
  return [...primary.map((row) => answerOf(row, definition)), ...searches.map((one) => searchAnswer(one, definition))];
}

function answerOf(row: MetricState, { configurations }: ExperimentDefinition): string {
  const { candidate, load, state, look, differences, missing } = row;
  const baseline = configurations[0]?.name ?? "";
  const metric = judgedName(row.metric);
  if (look === undefined || !Number.isFinite(look.mean)) {
    const why = missing.length > 0 ? ` (${missing.join("; ")})` : "";
    return `Not decided under ${load}: ${differences.length === 0 ? "no block counts yet" : "one block counts"}${why}.`;
  }
  const after = `after ${plural(look.blocks, "block")}`;
  const interval = `${intervalText(row, look)}, ${after}`;
  switch (state) {
    case "equivalent":
      return `${candidate} is equivalent to ${baseline} under ${load}: ${metric} differs by less than ${magnitude(row.relevant, row)} (${interval}).`;
    case "better":
    case "worse":
      return `${candidate} is ${state} than ${baseline} under ${load}: ${metric} is ${sizeText(row, look.mean)} (${interval}).`;
    case "differs":
      return `${candidate} differs from ${baseline} under ${load}: ${metric} is ${sizeText(row, look.mean)} (${interval}).`;
    case "undecided":
      return `Undecided between ${candidate} and ${baseline} under ${load}: ${metric} is ${sizeText(row, look.mean)} (${isBounded(look) ? interval : `${after}, too few for an interval`}).${detectableText(row)}`;
  }
}

function searchAnswer(
  { configuration, bracket }: Decision["searches"][number],
  { primary, search, loads }: ExperimentDefinition,
): string {
  const limit = `${judgedName(primary)} ≤ ${valueText(search?.limit ?? NaN, primary)}`;
  const { met, missed, tried } = bracket;
  const open = tried.find(({ state }) => state === "undecided");
  const undecided =
    open === undefined ? "" : ` At ${open.level} it is undecided after ${plural(open.values.length, "run")}.`;
  const sure = `${Math.round(100 * bracket.confidence)} % confidence`;
  const load = loads[0]?.name ?? "";
  if (met === undefined && missed === undefined) return `Nothing is decided of ${configuration}.${undecided}`;
  if (met === undefined)
    return `${configuration} misses ${limit} at ${missed} of ${load} already (${sure}).${undecided}`;
  if (missed === undefined)
    return `${configuration} meets ${limit} at ${met} of ${load}, the highest that was tried (${sure}).${undecided}`;
  return `${configuration} meets ${limit} at ${met} of ${load} and misses it at ${missed} (${sure}).${undecided}`;
}

/** What repetition can still show. */
function detectableText(row: MetricState): string {
  if (row.detectable === undefined) return "";
  return ` All blocks together would detect a difference of ${magnitude(row.detectable, row)} with 80 % power.`;
}

/** "3 %" */
function magnitude(value: number, { scale, metric }: MetricState): string {
  if (scale === "ratio") return formatValue(Math.expm1(Math.abs(value)), "ratio");
  if (metric.statistic.kind === "share") return formatValue(100 * Math.abs(value), "points");
  return valueText(Math.abs(value), metric);
}

/** "12 % lower" */
function sizeText(row: MetricState, difference: number): string {
  const way = difference < 0 ? "lower" : "higher";
  // A ratio of 0.8 is 20 % lower, one of 1.25 is 25 % higher.
  if (row.scale === "ratio") return `${formatValue(Math.abs(Math.expm1(difference)), "ratio")} ${way}`;
  return `${magnitude(difference, row)} ${way}`;
}

/** "95 %: 9 % to 15 % lower" */
function intervalText(row: MetricState, { low, high }: InterimResult): string {
  // Equivalence is two tests, each of one side.
  const sure = `${Math.round(100 * (1 - (row.state === "equivalent" ? equivalenceLevel(ALPHA) : ALPHA)))} %:`;
  if (!isBounded({ low, high })) return "no interval yet";
  if (low < 0 !== high < 0) return `${sure} ${sizeText(row, low)} to ${sizeText(row, high)}`;
  const [near, far] = low < 0 ? [high, low] : [low, high];
  return `${sure} ${sizeText(row, near).replace(/ (lower|higher)$/, "")} to ${sizeText(row, far)}`;
}

function isBounded({ low, high }: Pick<InterimResult, "low" | "high">): boolean {
  return Number.isFinite(low) && Number.isFinite(high);
}

/** Titles of `rowCells`. */
export const ROW_TITLES = ["Load", "Candidate", "Metric", "State", "Blocks", "Difference", "Matters"] as const;

/** One row of a decision for tables. */
export function rowCells(row: MetricState): readonly string[] {
  const { load, candidate, metric, state, differences, relevant } = row;
  const matters = magnitude(relevant, row);
  return [load, candidate, judgedName(metric), state, String(differences.length), differenceText(row), matters];
}

/** "12 % lower (95 %: 9 % to 15 % lower)"; without blocks, why there are none. */
export function differenceText(row: MetricState, look = row.look): string {
  return look === undefined ? (row.missing[0] ?? "-") : `${sizeText(row, look.mean)} (${intervalText(row, look)})`;
}

/** How many runs count, and why the others do not. */
export function countLines(runs: readonly RunRecord[]): readonly string[] {
  const invalid = runs.filter(({ problems }) => problems.length > 0);
  return [
    `${runs.length - invalid.length} of ${runs.length} runs count.`,
    ...invalid.map(({ step, problems }) => `${folderOf(step)} does not count: ${problems.join(" ")}`),
  ];
}

/** What is to be done next, or why the experiment is over. */
export function nextText({ next }: Decision): string {
  return typeof next === "string" ? END_TEXT[next] : `Next: ${folderOf(next)}`;
}

/** The plan in words: what is run in which order, and what it can show. */
export function planLines(experiment: DecidedExperiment): readonly string[] {
  const { definition, decision } = experiment;
  const { configurations, loads, repeats, search, seed } = definition;
  const names = configurations.map(({ name }) => name);
  const [least, most] = [repeats.min, repeats.max].map((blocks) => names.length * loads.length * blocks);
  return [
    search === undefined
      ? `${repeats.min} to ${repeats.max} blocks of ${names.join(" and ")} under ${loads.map(({ name }) => name).join(", ")}: ${least} to ${most} runs.`
      : `Levels from ${search.from} to ${search.to} of ${loads[0]?.name ?? ""}, at most ${mostLevels(search)} of them, ${repeats.min} to ${repeats.max} runs at each.`,
    ...timeLines(experiment),
    ...(search === undefined
      ? loads.map(
          ({ name }) =>
            `Order under ${name} (seed ${seed}): ${Array.from({ length: repeats.max }, (_, i) => orderOf(definition, name, i + 1).join(" ")).join(" | ")}`,
        )
      : []),
    ...decision.primary.map((row) =>
      row.detectable === undefined
        ? `What difference can be detected under ${row.load} is known after two blocks.`
        : `With ${plural(repeats.max, "block")}, a difference of ${magnitude(row.detectable, row)} of ${row.candidate} under ${row.load} is detected with 80 % power${row.earlierRuns === undefined ? "" : `, by the spread of ${plural(row.earlierRuns, "earlier run")}`}.`,
    ),
  ];
}

/**
 * The experiment for a reader without this program: its answer, and how that was reached.
 * @param versions what made it and what it ran on: name and text
 * @param otherPlan that the runs were made by another plan
 */
export function experimentDocument(
  experiment: DecidedExperiment,
  versions: readonly (readonly [name: string, text: string])[],
  otherPlan?: string,
): { readonly answer: readonly Block[]; readonly details: readonly Block[] } {
  const { definition, decision, runs } = experiment;
  const { configurations, loads, reset, primary } = definition;
  const rows = [...decision.primary, ...decision.guards];
  const judged = [primary, ...guardsOf(definition)];
  const made = runs.map(({ step, problems, values }) => [
    folderOf(step),
    problems.length === 0 ? "valid" : problems.join(" "),
    ...judged.map((one) => {
      const value = values[judgedName(one)];
      return value === undefined || typeof value === "string" ? "-" : valueText(value.value, one);
    }),
  ]);
  return {
    answer: [
      heading(definition.question, 1),
      ...(otherPlan === undefined ? [] : [paragraph(otherPlan)]),
      ...answersOf(experiment).map((text) => paragraph(text)),
      paragraph(typeof decision.next === "string" ? END_TEXT[decision.next] : "The experiment goes on."),
      ...(rows.length === 0 ? [] : [table(ROW_TITLES, rows.map(rowCells))]),
      ...sequenceTables(rows),
      ...levelTables(decision, primary),
    ],
    details: [
      heading("What was varied"),
      table(
        ["Configuration", "Server"],
        configurations.map(({ name, server }) => [name, server ?? "not started by the experiment"]),
      ),
      ...settingsTable(experiment),
      heading("What was held equal"),
      table(
        ["Load", "Command", "Warm-up"],
        loads.map(({ name, command, warmup }) => [name, command, `${warmup} s`]),
      ),
      ...(reset === undefined ? [] : [paragraph(`Before each load: ${reset}`)]),
      heading("Plan"),
      bullets(planLines(experiment)),
      heading("Runs"),
      table(["Run", "Validity", ...judged.map(judgedName)], made),
      heading("Versions"),
      bullets(versions.map(([name, text]) => `${name}: ${text}`)),
    ],
  };
}

/** Settings that the servers of the configurations told, where they differ. */
function settingsTable({ definition: { configurations }, runs }: DecidedExperiment): readonly Block[] {
  const told = configurations.map(({ name }) => runs.findLast(({ step }) => step.configuration === name)?.facts ?? {});
  const names = [...new Set(told.flatMap((facts) => Object.keys(facts)))].sort();
  const differing = names.filter((name) => new Set(told.map((facts) => facts[name] ?? "-")).size > 1);
  if (differing.length === 0) return [];
  return [
    table(
      ["Setting", ...configurations.map(({ name }) => name)],
      differing.map((name) => [name, ...told.map((facts) => facts[name] ?? "-")]),
    ),
  ];
}

/** Why an experiment is over. */
const END_TEXT = {
  decided: "The experiment is over: it is decided.",
  exhausted: "The experiment is over: all blocks were made.",
  budget: "The experiment is over: another run would exceed the budget.",
  invalid: "The experiment is over: the last four runs did not count.",
} as const;

/** How the sequence narrowed. */
function sequenceTables(rows: readonly MetricState[]): readonly Block[] {
  return rows.flatMap((row) => [
    heading(`${judgedName(row.metric)} of ${row.candidate} under ${row.load}, block by block`),
    table(
      ["Blocks", "Difference", "Interval"],
      row.looks.map((look) => [String(look.blocks), sizeText(row, look.mean), intervalText(row, look)]),
    ),
  ]);
}

function levelTables({ searches }: Decision, primary: JudgedMetric): readonly Block[] {
  return searches.flatMap(({ configuration, bracket: { tried } }) => [
    heading(`Levels of ${configuration}`),
    table(
      ["Level", "State", "Runs", judgedName(primary)],
      tried.map(({ level, state, values }) => [
        String(level),
        state,
        String(values.length),
        values.map((value) => valueText(value, primary)).join(", "),
      ]),
    ),
  ]);
}

/** How long a run under a load takes, and who says so. */
interface Known {
  readonly name: string;
  readonly seconds: number;
  readonly by: string;
  readonly isMeasured: boolean;
}

/** How long an experiment takes, and what is not known of it. Sentences; none once it is over. */
export function timeLines({ definition, decision, runs }: DecidedExperiment): readonly string[] {
  const { configurations, loads, repeats, search, budget } = definition;
  const { next, earlier = [] } = decision;
  if (typeof next === "string") return [];
  const own = search === undefined ? loads : loads.slice(0, 1);
  const known = own.flatMap((load) => timeOf(load, runs, earlier) ?? []);
  const unknown = own.filter(({ name }) => !known.some((one) => one.name === name));
  const isMeasured = known.every((one) => one.isMeasured);
  const block = configurations.length * known.reduce((sum, { seconds }) => sum + seconds, 0);
  const times = [repeats.min, repeats.max * (search === undefined ? 1 : mostLevels(search))].map((n) =>
    duration(n * block),
  );
  return [
    ...(known.length === 0
      ? []
      : [
          `The ${isMeasured ? "runs" : "loads alone"}${unknown.length === 0 ? "" : ` under ${namesOf(known)}`} take ${isMeasured ? "about" : "at least"} ${[...new Set(times)].join(" to ")}: ${known
            .map(({ name, seconds, by }) => `${duration(seconds)} per run under ${name} (${by})`)
            .join(", ")}.`,
        ]),
    ...(isMeasured
      ? []
      : ["How long a run takes besides its load, such as to start its server, is known after the first run."]),
    ...(unknown.length === 0
      ? []
      : [
          `How long a run under ${namesOf(unknown)} takes is known after the first one. A load is stopped after ${duration(Math.max(...unknown.map(({ timeout }) => timeout)))}.`,
        ]),
    ...(budget === undefined ? [] : [`A run that would end after the budget of ${duration(budget)} is not started.`]),
  ];
}

/** By its own runs, else by earlier ones, else by what its command says. */
function timeOf(
  { name, command }: LoadDefinition,
  runs: readonly RunRecord[],
  earlier: readonly RunRecord[],
): Known | undefined {
  for (const [made, one, many] of [
    [runs, "run so far", "runs so far"],
    [earlier, "earlier run", "earlier runs"],
  ] as const) {
    const counted = made.filter(({ step, problems }) => step.load === name && problems.length === 0);
    if (counted.length === 0) continue;
    // Each configuration has as many runs as every other, in the end.
    const means = [...groupBy(counted, ({ step }) => step.configuration).values()].map((own) =>
      mean(own.map(({ seconds }) => seconds)),
    );
    return { name, seconds: mean(means), by: `mean of ${plural(counted.length, one, many)}`, isMeasured: true };
  }
  const seconds = statedSeconds(command);
  return seconds === undefined ? undefined : { name, seconds, by: "from its command", isMeasured: false };
}

/** What a load takes at least as its command says: a duration, or a number of requests at a rate. */
export function statedSeconds(command: string): number | undefined {
  const option = (names: string) =>
    parseDuration(new RegExp(`\\s--(?:${names})[=\\s]+(\\S+)`).exec(command)?.[1] ?? "") ?? NaN;
  const stated = [
    parseDuration(/^\s*sleep\s+(\S+)\s*$/.exec(command)?.[1] ?? "") ?? NaN,
    option("benchmark-duration|max-seconds|duration"),
    option("request-count|num-prompts|max-requests") / option("request-rate|rate"),
  ].filter(Number.isFinite);
  return stated.length === 0 ? undefined : Math.min(...stated);
}

function namesOf(loads: readonly { readonly name: string }[]): string {
  return loads.map(({ name }) => name).join(", ");
}

function duration(seconds: number): string {
  return formatValue(seconds, "seconds");
}
