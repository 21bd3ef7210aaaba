import * as z from "zod";
import { UserError } from "../../core/text/errors.js";
import { familyFilter } from "../../collect/index.js";
import { aliasesOf } from "../../core/catalog/index.js";
import {
  comparedRun,
  compareRuns as compare,
  headlines,
  intervalText,
  isDecided,
  wholeQuantityText,
  rowName,
  shareText,
  sideText,
  verdictCounts,
  VERDICT_TEXT,
  type ComparedRun,
  type Comparison,
  type ComparisonRow,
  type RunSet,
} from "../../core/compare/index.js";
import { findingChanges, runInsights } from "../../core/insights/index.js";
import { complete } from "../../core/stats/index.js";
import { withList, type AnswerFields } from "../answer.js";
import type { RunReader } from "../reader.js";
import { defineTool } from "../tool.js";
import { OFFSET, oneOrMany, PHASE, RUN } from "../words.js";

export const RUNS = oneOrMany(z.array(RUN).min(1).max(8));

const INPUT = z.strictObject({
  baseline: RUNS.describe("Id of the baseline; several ids are repeats of it"),
  candidates: RUNS.describe("Ids of the runs to compare with it, each by itself"),
  candidates_are_repeats: z.boolean().optional().describe("true: the candidates are repeats of one run"),
  metrics: oneOrMany(z.array(z.string().min(1)))
    .optional()
    .describe("Only these metrics; patterns such as vllm:*latency*"),
  threshold: z
    .number()
    .min(0)
    .lt(1)
    .optional()
    .describe("Smaller differences do not matter (default 0.03, which is 3 %)"),
  phase: PHASE,
  baseline_phase: z.string().min(1).optional().describe("Phase of the baseline, if it is a different one"),
  offset: OFFSET,
});

export const compareRuns = defineTool({
  name: "compare_runs",
  title: "Compare runs",
  description:
    "What differs between a baseline and other runs, by how much, and whether to believe it: a difference with its " +
    "interval and a verdict (better, worse, different, same, no evidence, cannot tell). Only better, worse and different " +
    "are findings; no evidence means that the data do not show it either way.",
  input: INPUT,
  answer: async ({ offset = 0, ...question }, { runs }) => {
    const { base, rows } = await compared(question, runs);
    return withList(base, "rows", rows, { offset });
  },
});

type Question = Omit<z.output<typeof INPUT>, "offset">;

/** An answer before it is cut into pages. */
interface Compared {
  readonly base: AnswerFields;
  readonly rows: readonly AnswerFields[];
}

/** What was compared last: its next pages, and the same question again, cost nothing. */
const last = new WeakMap<RunReader, { readonly key: string; readonly answer: Promise<Compared> }>();

async function compared(question: Question, runs: RunReader): Promise<Compared> {
  const ids = [...question.baseline, ...question.candidates];
  const key = JSON.stringify([question, await runs.stateOf(ids)]);
  const known = last.get(runs);
  if (known?.key === key) return known.answer;
  const answer = compareNow(question, runs);
  last.set(runs, { key, answer });
  return answer.catch((error: unknown) => {
    if (last.get(runs)?.answer === answer) last.delete(runs);
    throw error;
  });
}

async function compareNow(input: Question, runs: RunReader): Promise<Compared> {
  const { baseline, candidates, metrics, threshold = 0.03, phase } = input;
  const sets = input.candidates_are_repeats === true ? [candidates] : candidates.map((id) => [id]);
  const basePhase = input.baseline_phase ?? phase;
  for (const id of candidates)
    if (baseline.includes(id) && basePhase === phase)
      throw new UserError(
        `${id} is given twice: a run cannot be compared with itself.`,
        "Name two runs, or two phases.",
      );
  const matches = metrics === undefined ? undefined : familyFilter(metrics, []);
  const base = await setOf(runs, baseline, basePhase);
  const others = await Promise.all(sets.map((set) => setOf(runs, set, phase)));
  const comparison = complete(
    compare(base, others, {
      threshold,
      ...(matches === undefined
        ? {}
        : { includes: (family: string) => matches(family) || aliasesOf(family).some(matches) }),
    }),
  );
  if (comparison.rows.length === 0)
    throw new UserError(
      "There is nothing to compare: the runs share no such metric.",
      "Call describe_run for the metrics of each run, and leave metrics out for all.",
    );
  const findings = complete(
    findingChanges(
      [base, ...others].map((set) => set.runs),
      (run) => runInsights(run),
    ),
  );
  const guarded = (row: ComparisonRow) => metrics !== undefined || row.isKey;
  return {
    base: {
      baseline: comparison.baseline.label,
      files: [base, ...others].flatMap(({ files }) => files),
      threshold,
      verdicts: headlines(comparison, findings).map(({ candidate, text }, c) => ({
        candidate,
        headline: text,
        counts: verdictCounts(comparison, c),
      })),
      ...(comparison.warnings.length === 0
        ? {}
        : { warnings: comparison.warnings.slice(0, 4).map(({ severity, message }) => `${severity}: ${message}`) }),
      ...(comparison.configuration.length === 0
        ? {}
        : { configured_differently: comparison.configuration.slice(0, 5) }),
    },
    rows: comparison.rows.filter((row) => isDecided(row) || guarded(row)).map((row) => rowAnswer(row, comparison)),
  };
}

interface NamedSet extends RunSet {
  readonly files: readonly string[];
}

async function setOf(runs: RunReader, ids: readonly string[], phase: string | undefined): Promise<NamedSet> {
  const own: ComparedRun[] = [];
  const files: string[] = [];
  for (const id of ids) {
    const { id: name, file, opened } = await runs.forComparison(id, phase);
    const label = phase === undefined ? name : `${name}#${phase}`;
    files.push(file);
    own.push(comparedRun(label, opened));
  }
  return { label: own.map(({ label }) => label).join(", "), runs: own, files };
}

function rowAnswer(row: ComparisonRow, comparison: Comparison) {
  const several = comparison.candidates.length > 1;
  return {
    metric: rowName(row, comparison),
    quantity: wholeQuantityText(row),
    ...(row.unit === undefined ? {} : { unit: row.unit }),
    baseline: row.baseline.value,
    baseline_text: sideText(row.baseline, row.unit),
    cells: row.cells.map((cell, c) => ({
      ...(several ? { candidate: comparison.candidates[c]?.label } : {}),
      value: cell.candidate.value,
      difference: shareText(cell.share),
      ...(intervalText(cell) === "" ? {} : { interval: intervalText(cell) }),
      verdict: VERDICT_TEXT[cell.verdict],
      ...(cell.reason === undefined ? {} : { reason: cell.reason }),
    })),
  };
}
