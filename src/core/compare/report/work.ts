import { OUTPUT_LENGTHS, PROMPT_LENGTHS } from "../../catalog/index.js";
import { configurationLeaves, configuredOf, provenanceOf } from "../../model/index.js";
import { fieldsOf } from "../../text/index.js";
import type { Draft } from "../ratio-rows.js";
import { windowSeconds, type MeasuredRun } from "../source.js";
import type { ComparisonWarning } from "../types.js";

/** Mean lengths that differ by more than this share are of other requests, if chance does not explain it. */
const TOLERANCE = 0.05;
/** Standard errors that chance does not reach. Lengths are taken to vary as much as their mean. */
const ERRORS = 3.5;

/**
 * What shows that two runs did not do the same work: other models, other tokenizers, or requests of other lengths. The
 * first run of each side speaks.
 * @param loads requests that each finished per second, NaN where nothing tells: means of a few differ by chance
 */
export function workWarnings(
  [baseline, candidate]: readonly [MeasuredRun, MeasuredRun],
  drafts: readonly Draft[],
  loads: readonly [number, number],
): ComparisonWarning[] {
  const [before, after] = [loads[0] * windowSeconds(baseline), loads[1] * windowSeconds(candidate)];
  const chance = ERRORS * Math.sqrt(1 / before + 1 / after);
  const tolerance = Math.max(TOLERANCE, Number.isFinite(chance) ? chance : 0);
  const reasons = [
    ...differing(
      "model",
      [baseline, candidate].map(({ models }) => models.join(", ")),
    ),
    ...differing("tokenizer", [baseline, candidate].map(tokenizerOf)),
    ...lengthReason("prompts", PROMPT_LENGTHS, drafts, tolerance),
    ...lengthReason("answers", OUTPUT_LENGTHS, drafts, tolerance),
  ];
  if (reasons.length === 0) return [];
  const names = `${baseline.run.label} and ${candidate.run.label}`;
  const message = `${names} did not do the same work: ${reasons.join("; ")}. Differences may come from that.`;
  return [{ kind: "work", severity: "caution", message, candidate: 0 }];
}

function differing(what: string, [a = "", b = ""]: readonly string[]): readonly string[] {
  return a === "" || b === "" || a === b ? [] : [`${what} ${a} and ${b}`];
}

/** As the configuration of the load or its command names it; "" where neither does. */
function tokenizerOf({ inputConfig }: MeasuredRun): string {
  for (const [path, value] of configurationLeaves(configuredOf(inputConfig)))
    if (/(?:^|\.)(?:tokenizer|processor)(?:\.name)?$/.test(path)) return value;
  const { line } = fieldsOf(fieldsOf(provenanceOf(inputConfig))["command"]);
  return (typeof line === "string" ? /(?:^|\s)--(?:tokenizer|processor)[=\s]+(\S+)/.exec(line)?.[1] : undefined) ?? "";
}

function lengthReason(
  what: string,
  families: readonly string[],
  drafts: readonly Draft[],
  tolerance: number,
): readonly string[] {
  const draft = drafts.find(({ family, quantity }) => quantity === "avg" && families.includes(family));
  const [a, b] = [draft?.baseline.value ?? NaN, draft?.cell.candidate.value ?? NaN];
  if (!(Math.abs(a - b) > tolerance * Math.max(a, b))) return [];
  const tokens = (value: number) => String(Number(value.toPrecision(3)));
  return [`${what} of ${tokens(a)} and ${tokens(b)} tokens on average`];
}
