import { mean } from "../math/index.js";
import type { DecidedExperiment, Decision, End, MetricState, State } from "./decide.js";
import { judgedName, type ExperimentDefinition } from "./definition.js";
import { valueText, valueUnit } from "./measure.js";
import { folderOf, stepsOf, validValues, type RunRecord, type PlannedRun } from "./plan.js";
import { answersOf, differenceText, nextText, planLines } from "./report.js";
import type { LevelState } from "./search.js";

/** An experiment as views show it: plain data, in words. */
export interface ExperimentStatus {
  readonly question: string;
  /** A sentence for each load, or for each configuration of a search. */
  readonly answers: readonly string[];
  readonly next: string;
  /** Why it is over; absent: it is not. */
  readonly end?: End;
  /** "request_latency avg" */
  readonly primary: string;
  readonly cells: readonly Cell[];
  /** In the order in which they were made. */
  readonly runs: readonly MadeRun[];
  /** The rest of the block that comes next, by folder. */
  readonly planned: readonly (PlannedRun & { readonly folder: string })[];
  readonly plots: readonly SequencePlot[];
  /** Of a search. */
  readonly search?: SearchPlot;
  readonly plan: readonly string[];
  /** All that it runs, each once: asked for before it does. */
  readonly commands: readonly string[];
}

/** A configuration under a load, or at a level of a search. */
export interface Cell {
  readonly configuration: string;
  /** "rate-8", of a search "rate at 5.66". */
  readonly load: string;
  readonly made: number;
  /** Of those made. */
  readonly valid: number;
  /** The primary metric: the mean of the runs that count; absent without any. */
  readonly value?: string;
  /** Of the primary metric to the baseline, with its interval; absent of the baseline and without blocks. */
  readonly difference?: string;
  readonly guards: readonly { readonly metric: string; readonly state: State; readonly difference: string }[];
  readonly state: State | LevelState | "baseline";
}

export interface MadeRun extends PlannedRun {
  /** Below the experiment's own. */
  readonly folder: string;
  readonly seconds: number;
  /** Why it does not count. */
  readonly problems: readonly string[];
}

/** The levels that a search tried, each with the mean of the primary metric over the runs that count. */
export interface SearchPlot {
  /** As `formatValue` takes it. */
  readonly unit?: string;
  readonly limit: number;
  readonly levels: readonly {
    readonly configuration: string;
    readonly level: number;
    readonly value: number;
    readonly state: LevelState;
    /** "rate at 5.66: 480 ms, met" */
    readonly text: string;
  }[];
}

/** How a confidence sequence narrowed. Of ratios all numbers are logarithms. */
export interface SequencePlot {
  readonly title: string;
  /** Of what must not become worse. */
  readonly isGuard: boolean;
  readonly scale: MetricState["scale"];
  /** Of differences, as `formatValue` takes it. */
  readonly unit?: string;
  /** The smallest difference that matters. */
  readonly relevant: number;
  /** After each block from the second on; without bounds an interval is unlimited. */
  readonly looks: readonly {
    readonly blocks: number;
    readonly mean: number;
    readonly bounds?: readonly [low: number, high: number];
    /** "9.4 % lower (95 %: 6.9 % to 12.8 % lower)" */
    readonly text: string;
  }[];
  /** So many blocks decided it. */
  readonly decidedAfter?: number;
}

/** Puts an experiment in words and plain numbers. */
export function experimentStatus(experiment: DecidedExperiment): ExperimentStatus {
  const { definition, decision, runs } = experiment;
  const { question, configurations, loads, reset, primary } = definition;
  const { next } = decision;
  return {
    question,
    answers: answersOf(experiment),
    next: nextText(decision),
    ...(typeof next === "string" ? { end: next } : {}),
    primary: judgedName(primary),
    cells: definition.search === undefined ? comparedCells(experiment) : levelCells(experiment),
    runs: runs.map(({ step, seconds, problems }) => ({ ...step, folder: folderOf(step), seconds, problems })),
    planned: plannedAfter(experiment).map((step) => ({ ...step, folder: folderOf(step) })),
    plots: [...decision.primary.map((row) => plotOf(row, false)), ...decision.guards.map((row) => plotOf(row, true))],
    ...(definition.search === undefined ? {} : { search: searchPlot(definition, definition.search.limit, decision) }),
    plan: planLines(experiment),
    commands: [
      ...new Set([
        ...configurations.flatMap(({ server }) => server ?? []),
        ...(reset === undefined ? [] : [reset]),
        ...loads.map(({ command }) => command),
      ]),
    ],
  };
}

function comparedCells({ definition, decision: { primary, guards }, runs }: DecidedExperiment): Cell[] {
  const { configurations, loads } = definition;
  return loads.flatMap(({ name: load }) =>
    configurations.map(({ name: configuration }, i): Cell => {
      const isOwn = (row: MetricState) => row.load === load && row.candidate === configuration;
      const row = primary.find(isOwn);
      const own = runs.filter(({ step }) => step.load === load && step.configuration === configuration);
      return {
        ...cellOf(definition, configuration, load, own),
        ...(row?.look === undefined ? {} : { difference: differenceText(row) }),
        guards: guards.filter(isOwn).map((guard) => ({
          metric: judgedName(guard.metric),
          state: guard.state,
          difference: differenceText(guard),
        })),
        state: i === 0 ? "baseline" : (row?.state ?? "undecided"),
      };
    }),
  );
}

function levelCells({ definition, decision: { searches }, runs }: DecidedExperiment): Cell[] {
  const load = definition.loads[0]?.name ?? "";
  return searches.flatMap(({ configuration, bracket: { tried } }) =>
    tried.map(({ level, state }): Cell => {
      const own = runs.filter(({ step }) => step.configuration === configuration && step.level === level);
      return { ...cellOf(definition, configuration, `${load} at ${level}`, own), guards: [], state };
    }),
  );
}

function cellOf({ primary }: ExperimentDefinition, configuration: string, load: string, own: readonly RunRecord[]) {
  const values = validValues(own, judgedName(primary));
  return {
    configuration,
    load,
    made: own.length,
    valid: own.filter(({ problems }) => problems.length === 0).length,
    ...(values.length === 0 ? {} : { value: valueText(mean(values), primary) }),
  };
}

/** The run that comes next, and those of its block that are not made. */
function plannedAfter({ definition, decision: { next }, runs }: DecidedExperiment): readonly PlannedRun[] {
  if (typeof next === "string") return [];
  if (next.attempt === 2 || next.level !== undefined) return [next];
  const made = new Set(runs.map(({ step }) => folderOf(step)));
  return [...stepsOf(definition)].filter(
    (step) => step.block === next.block && step.load === next.load && !made.has(folderOf(step)),
  );
}

function searchPlot({ primary, loads }: ExperimentDefinition, limit: number, { searches }: Decision): SearchPlot {
  const unit = valueUnit(primary);
  return {
    ...(unit === undefined ? {} : { unit }),
    limit,
    levels: searches.flatMap(({ configuration, bracket: { tried } }) =>
      tried.map(({ level, values, state }) => {
        const value = mean(values);
        const text = `${loads[0]?.name ?? ""} at ${level}: ${valueText(value, primary)}, ${state}`;
        return { configuration, level, value, state, text };
      }),
    ),
  };
}

function plotOf(row: MetricState, isGuard: boolean): SequencePlot {
  const unit = valueUnit(row.metric);
  return {
    title: `${row.candidate} under ${row.load}: ${judgedName(row.metric)}`,
    isGuard,
    scale: row.scale,
    ...(unit === undefined ? {} : { unit }),
    relevant: row.relevant,
    looks: row.looks.map((look) => {
      // What decided has a level of its own.
      const isLast = look.blocks === row.decidedAfter;
      const { mean, low, high } = (isLast ? row.look : undefined) ?? look;
      return {
        blocks: look.blocks,
        mean,
        ...(Number.isFinite(low) && Number.isFinite(high) ? { bounds: [low, high] as const } : {}),
        text: differenceText(isLast ? row : { ...row, state: "undecided" }, { blocks: look.blocks, mean, low, high }),
      };
    }),
    ...(row.decidedAfter === undefined ? {} : { decidedAfter: row.decidedAfter }),
  };
}
