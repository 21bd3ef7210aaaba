import { mean } from "../math/index.js";
import { ENDS_OF_90 } from "../stats/index.js";
import { guardsOf, judgedName, type ExperimentDefinition, type JudgedMetric } from "./definition.js";
import { betterWhen } from "./measure.js";
import { folderOf, repeatsOf, stepsOf, validRun, validValues, type RunRecord, type PlannedRun } from "./plan.js";
import { searchState, type Bracket } from "./search.js";
import {
  detectable,
  deviationOf,
  equivalenceLevel,
  eValue,
  rejections,
  sampleOf,
  sequenceInterval,
  type Interval,
} from "./sequence.js";

/** Of all false decisions together. */
export const ALPHA = 0.05;

export type State = "equivalent" | "better" | "worse" | "differs" | "undecided";

/** What was known after a block. */
export interface InterimResult extends Interval {
  /** That count so far. */
  readonly blocks: number;
  readonly mean: number;
}

/** One metric of a candidate against the baseline under one load. */
export interface MetricState {
  readonly load: string;
  readonly candidate: string;
  readonly metric: JudgedMetric;
  /** Ratios are logarithms; differences are of shares, and of what may be 0. */
  readonly scale: "ratio" | "difference";
  /** On that scale: the smallest that matters. */
  readonly relevant: number;
  /** Candidate against baseline of each block that counts. */
  readonly differences: readonly number[];
  /** After each of those blocks, from the second on. */
  readonly looks: readonly InterimResult[];
  readonly state: State;
  /** After so many of its blocks; absent while it is undecided. */
  readonly decidedAfter?: number;
  /** What its state rests on: of the look that decided, else the last one. */
  readonly look?: InterimResult;
  /** Part of the interval's reach that no repetition removes: what buckets leave open. */
  readonly floor: number;
  /** Why blocks are missing here, each once. */
  readonly missing: readonly string[];
  /** On its scale: the smallest difference that is found with 80 %, if all blocks are made. */
  readonly detectable?: number;
  /** So many runs of other experiments tell it, while there are not two blocks. */
  readonly earlierRuns?: number;
}

/** Why an experiment is over: decided, all blocks made, no time for another run, or no run that counts. */
export type End = "decided" | "exhausted" | "budget" | "invalid";

/** What the runs so far say, and what is to be done next. */
export interface Decision {
  readonly primary: readonly MetricState[];
  readonly guards: readonly MetricState[];
  /** Of a search, by configuration. */
  readonly searches: readonly { readonly configuration: string; readonly bracket: Bracket }[];
  /** The run to be made next, or why there is none. */
  readonly next: PlannedRun | End;
  /** Runs of the same cells in other experiments, while its own do not tell. */
  readonly earlier?: readonly RunRecord[];
}

/** An experiment with its runs so far, in the order in which they were made, and what they say. */
export interface DecidedExperiment {
  readonly definition: ExperimentDefinition;
  readonly runs: readonly RunRecord[];
  readonly decision: Decision;
}

/**
 * Reads a decision off the runs, in the order in which they were made. The same runs give the same decision.
 * @param before so many of them were made before somebody asked to go on: it is tried again where none of them counted
 */
export function decide(definition: ExperimentDefinition, runs: readonly RunRecord[], before = 0): Decision {
  const read = definition.search === undefined ? decideComparison(definition, runs) : decideSearch(definition, runs);
  const { next } = read;
  return { ...read, next: typeof next === "string" ? next : (whyNoFurtherRun(definition, runs, next, before) ?? next) };
}

/** So many runs in a row that do not count: the next would not either. */
const MANY_INVALID = 4;

function whyNoFurtherRun(
  { budget = Infinity }: ExperimentDefinition,
  runs: readonly RunRecord[],
  next: PlannedRun,
  before: number,
): End | undefined {
  const last = runs.slice(before).slice(-MANY_INVALID);
  if (last.length === MANY_INVALID && last.every(({ problems }) => problems.length > 0)) return "invalid";
  const spent = runs.reduce((sum, { seconds }) => sum + seconds, 0);
  const similar = runs.flatMap(({ step, seconds }) => (step.load === next.load ? [seconds] : []));
  return spent + Math.max(0, ...similar) > budget ? "budget" : undefined;
}

function decideComparison(definition: ExperimentDefinition, runs: readonly RunRecord[]): Decision {
  const primary = rowsOf(definition, [definition.primary], runs);
  const guards = rowsOf(definition, guardsOf(definition), runs);
  const isOpen = ({ load }: PlannedRun) =>
    primary.some((row) => row.load === load && row.state === "undecided") ||
    guards.some((row) => row.load === load && mayBeWorse(row));
  const made = new Set(runs.map(({ step }) => folderOf(step)));
  const next = [...stepsOf(definition)].find((step) => !made.has(folderOf(step)) && isOpen(step));
  const isDecided = primary.every(({ state }) => state !== "undecided");
  return {
    primary,
    guards,
    searches: [],
    next: next ?? repeatsOf(runs).find(isOpen) ?? (isDecided ? "decided" : "exhausted"),
  };
}

/** Is it undecided, and may it be worse by more than matters? What no run tells is not waited for. */
function mayBeWorse(row: MetricState): boolean {
  if (row.state !== "undecided") return false;
  const { look, relevant, differences, missing } = row;
  if (look === undefined) return differences.length > 0 || missing.length === 0;
  const lower = betterWhen(row.metric) !== "higher";
  return lower ? look.high > relevant : look.low < -relevant;
}

interface Growing extends Pick<MetricState, "load" | "candidate" | "metric" | "scale" | "relevant"> {
  readonly differences: number[];
  readonly errors: number[];
  readonly missing: Set<string>;
  decided?: { readonly state: State; readonly look: InterimResult; readonly evidence: number };
}

/**
 * The rows of a family of metrics, as they were after each block: what is decided stays so. Evidence is taken when a
 * row is decided, which is a time to stop, so e-BH holds for all of them together.
 */
function rowsOf(
  definition: ExperimentDefinition,
  metrics: readonly JudgedMetric[],
  runs: readonly RunRecord[],
): readonly MetricState[] {
  const [baseline, ...candidates] = definition.configurations.map(({ name }) => name);
  if (baseline === undefined) return [];
  const rows: Growing[] = definition.loads.flatMap(({ name: load }) =>
    candidates.flatMap((candidate) =>
      metrics.map((metric): Growing => ({
        load,
        candidate,
        metric,
        ...scaleOf(runs, load, metric),
        differences: [],
        errors: [],
        missing: new Set(),
      })),
    ),
  );
  const { min } = definition.repeats;
  for (const [i, { step }] of runs.entries()) {
    const sofar = runs.slice(0, i + 1);
    if (sofar[i]?.problems.length !== 0) continue;
    const changed = rows.filter(
      (row) => row.load === step.load && (step.configuration === baseline || step.configuration === row.candidate),
    );
    let grown = false;
    for (const row of changed) {
      const a = validRun(sofar, { ...step, configuration: baseline });
      const b = validRun(sofar, { ...step, configuration: row.candidate });
      if (a === undefined || b === undefined) continue;
      grown = addBlock(row, a, b) || grown;
    }
    if (grown) look(rows, min);
  }
  return rows.map((row) => finished(row, rows.length, definition));
}

/** Shares differ by points, and so does what may be 0: there a ratio says nothing. */
function scaleOf(
  runs: readonly RunRecord[],
  load: string,
  metric: JudgedMetric,
): Pick<MetricState, "scale" | "relevant"> {
  if (metric.statistic.kind === "share") return { scale: "difference", relevant: metric.relevant };
  const values = validValues(
    runs.filter(({ step }) => step.load === load),
    judgedName(metric),
  );
  if (values.every((value) => value > 0)) return { scale: "ratio", relevant: Math.log1p(metric.relevant) };
  return { scale: "difference", relevant: metric.relevant * mean(values.map(Math.abs)) };
}

function addBlock(row: Growing, a: RunRecord, b: RunRecord): boolean {
  const key = judgedName(row.metric);
  const [from, to] = [a.values[key], b.values[key]];
  for (const value of [from, to]) if (typeof value === "string") row.missing.add(value);
  if (from === undefined || to === undefined || typeof from === "string" || typeof to === "string") return false;
  const isRatio = row.scale === "ratio";
  row.differences.push(isRatio ? Math.log(to.value / from.value) : to.value - from.value);
  row.errors.push(
    isRatio ? Math.hypot(from.error / from.value, to.error / to.value) : Math.hypot(from.error, to.error),
  );
  return true;
}

/** Half of a 90 % interval, which is what estimates of percentiles come with. */
function floorOf({ errors }: Growing): number {
  return errors.length === 0 ? 0 : (ENDS_OF_90 * errors.reduce((sum, error) => sum + error, 0)) / errors.length;
}

/** Decides what can be decided after a block. Equivalence is told at a level of its own, before what differs. */
function look(rows: readonly Growing[], min: number): void {
  const open = rows.filter(({ decided, differences }) => decided === undefined && differences.length >= min);
  const inside = equivalenceLevel(levelOf(0, rows.length));
  for (const row of open) {
    const seen = lookAt(row, row.differences.length, inside);
    // What proves equivalence is no evidence of a difference.
    if (seen.low > -row.relevant && seen.high < row.relevant)
      row.decided = { state: "equivalent", look: seen, evidence: 1 };
  }
  const evidence = rows.map((row) => row.decided?.evidence ?? (open.includes(row) ? evidenceOf(row) : 1));
  const alpha = levelOf(rejections(evidence, ALPHA), rows.length);
  for (const [i, row] of rows.entries()) {
    if (row.decided !== undefined || !open.includes(row)) continue;
    const seen = lookAt(row, row.differences.length, alpha);
    if (seen.low > 0 || seen.high < 0)
      row.decided = { state: stateOf(row.metric, seen.low > 0), look: seen, evidence: evidence[i] ?? 1 };
  }
}

/** Against no difference. There is none in what buckets leave open. */
function evidenceOf(row: Growing): number {
  const sample = sampleOf(row.differences);
  return Math.abs(sample.mean) <= floorOf(row) ? 1 : eValue(sample, 0);
}

/** Each interval's level: excluding 0 by it is being rejected by e-BH. */
function levelOf(rejected: number, hypotheses: number): number {
  return (ALPHA * Math.max(1, rejected)) / Math.max(1, hypotheses);
}

function lookAt(row: Growing, blocks: number, alpha: number): InterimResult {
  const sample = sampleOf(row.differences.slice(0, blocks));
  const { high } = sequenceInterval(sample, alpha);
  const reach = Math.max(high - sample.mean, floorOf(row));
  return { blocks, mean: sample.mean, low: sample.mean - reach, high: sample.mean + reach };
}

function stateOf(metric: JudgedMetric, isHigher: boolean): State {
  const better = betterWhen(metric);
  return better === undefined ? "differs" : isHigher === (better === "higher") ? "better" : "worse";
}

function finished(row: Growing, hypotheses: number, { repeats }: ExperimentDefinition): MetricState {
  const { errors: _, decided, missing, ...known } = row;
  const { differences } = known;
  const alpha = levelOf(0, hypotheses);
  const looks = differences.flatMap((_, i) => (i === 0 ? [] : [lookAt(row, i + 1, alpha)]));
  const last = decided?.look ?? looks.at(-1);
  const found = detectable(repeats.max, deviationOf(sampleOf(differences)), alpha);
  return {
    ...known,
    looks,
    state: decided?.state ?? "undecided",
    ...(decided === undefined ? {} : { decidedAfter: decided.look.blocks }),
    ...(last === undefined ? {} : { look: last }),
    floor: floorOf(row),
    missing: [...missing],
    ...(Number.isFinite(found) ? { detectable: Math.max(found, floorOf(row)) } : {}),
  };
}

/**
 * A decision that tells what blocks can show before there are two of them, and how long they take before the first.
 * @param earlier runs of the same cells in other experiments, as `ofSameCells` has them
 */
export function withEarlierRuns(
  { configurations, repeats }: ExperimentDefinition,
  decision: Decision,
  earlier: readonly RunRecord[],
): Decision {
  const alpha = levelOf(0, decision.primary.length);
  const primary = decision.primary.map((row): MetricState => {
    if (row.detectable !== undefined) return row;
    const cells = [configurations[0]?.name, row.candidate].map((name) =>
      validValues(
        earlier.filter(({ step }) => step.load === row.load && step.configuration === name),
        judgedName(row.metric),
      ),
    );
    const found = detectable(repeats.max, deviationOfBlocks(cells, row.scale), alpha);
    if (!Number.isFinite(found)) return row;
    return { ...row, detectable: Math.max(found, row.floor), earlierRuns: cells.flat().length };
  });
  return { ...decision, primary, earlier };
}

/** Standard deviation between blocks, by the spread within cells: a block's difference has that of two runs. */
function deviationOfBlocks(cells: readonly (readonly number[])[], scale: MetricState["scale"]): number {
  const samples = cells.flatMap((values) =>
    values.length < 2 ? [] : [sampleOf(scale === "ratio" ? values.map(Math.log) : values)],
  );
  const squares = samples.reduce((sum, one) => sum + one.squares, 0);
  return Math.sqrt((2 * squares) / samples.reduce((sum, { n }) => sum + n - 1, 0));
}

function decideSearch(definition: ExperimentDefinition, runs: readonly RunRecord[]): Decision {
  const { search, configurations, loads, primary, repeats } = definition;
  const key = judgedName(primary);
  const load = loads[0]?.name ?? "";
  let next: PlannedRun | End = "decided";
  const searches = configurations.flatMap(({ name: configuration }) => {
    if (search === undefined) return [];
    const made = (level: number) =>
      runs.filter(({ step }) => step.configuration === configuration && step.level === level);
    const valuesAt = (level: number) => validValues(made(level), key);
    const alpha = ALPHA / configurations.length;
    const bracket = searchState(search, valuesAt, { alpha, ...repeats });
    const level = bracket.next;
    if (bracket.tried.at(-1)?.state === "undecided" && level === undefined && next === "decided") next = "exhausted";
    if (level !== undefined && typeof next === "string")
      next = { load, configuration, block: made(level).length + 1, attempt: 1, level };
    return [{ configuration, bracket }];
  });
  return { primary: [], guards: [], searches, next };
}
