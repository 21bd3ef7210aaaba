import { formatValue } from "../catalog/index.js";
import { groupBy, mean } from "../math/index.js";
import { parseDuration } from "../text/index.js";
import { plural } from "../text/plural.js";
import type { Decision } from "./decide.js";
import type { ExperimentDefinition, LoadDefinition } from "./definition.js";
import type { RunRecord } from "./plan.js";
import { mostLevels } from "./search.js";

/** How long a run under a load takes, and who says so. */
interface Known {
  readonly name: string;
  readonly seconds: number;
  readonly by: string;
  readonly isMeasured: boolean;
}

/** How long an experiment takes, and what is not known of it. Sentences; none once it is over. */
export function timeLines(
  { configurations, loads, repeats, search, budget }: ExperimentDefinition,
  { next, earlier = [] }: Decision,
  runs: readonly RunRecord[],
): readonly string[] {
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
