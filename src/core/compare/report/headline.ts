// Not all of the catalogue, which pages are loaded without.
import { conceptById, type ConceptId } from "../../catalog/concepts/concepts.js";
import { inSentence } from "../../catalog/display.js";
import { labelValue } from "../../model/index.js";
import type { Comparison, ComparisonRow, Quantity } from "../types.js";
import { isDecidedCell, shareText, sideText } from "./report.js";

/** What runs are judged by first: a concept's quantity, its short name, and whether values or their ratio are said. */
const FIRST: readonly {
  readonly concept: ConceptId;
  readonly quantity: Quantity;
  readonly name: string;
  readonly said: "values" | "share";
}[] = [
  { concept: "ttft", quantity: "p99", name: "TTFT p99", said: "values" },
  { concept: "inter-token-latency", quantity: "p99", name: "ITL p99", said: "values" },
  { concept: "e2e-latency", quantity: "p99", name: "latency p99", said: "values" },
  { concept: "generation-tokens", quantity: "rate", name: "throughput", said: "share" },
];
const MOST = 3;

/** What became the limit, of findings that name one. */
const LIMITS: { readonly [finding: string]: string } = {
  "kv-pressure": "KV cache became the limit",
  "queue-bound": "queueing became the limit",
  saturated: "the server is saturated",
  throttled: "the GPU is throttled",
};

/** What became of the baseline's findings in one candidate, the weightiest first. */
export interface CandidateFindings {
  readonly appeared: readonly { readonly id: string; readonly title: string }[];
}

/** Each candidate in one line. @param findings by candidate; undefined where they cannot be told */
export function headlines(
  comparison: Pick<Comparison, "rows" | "candidates">,
  findings: readonly (CandidateFindings | undefined)[] = [],
): readonly { readonly candidate: string; readonly text: string }[] {
  return comparison.candidates.map(({ label }, c) => ({
    candidate: label,
    text: headline(comparison, c, findings[c]),
  }));
}

/**
 * A candidate in one line: "TTFT p99 65 ms → 47 s, throughput +79 %, KV cache became the limit". Only what the verdicts
 * decide is said.
 * @param candidate its position
 */
function headline(
  { rows }: Pick<Comparison, "rows">,
  candidate: number,
  findings: CandidateFindings | undefined,
): string {
  const key = FIRST.map(({ concept, quantity, ...one }) => ({
    ...one,
    about: rows.filter((row) => row.quantity === quantity && isAbout(row, concept)),
  }));
  const parts = key
    .flatMap(({ about, name, said }) => {
      const row = about.find(({ cells }) => isDecidedCell(cells[candidate]));
      const cell = row?.cells[candidate];
      if (row === undefined || cell === undefined) return [];
      const role = labelValue(row.labels, "role");
      const what = role === undefined ? name : `${name} (${role})`;
      return said === "share"
        ? [`${what} ${shareText(cell.share)}`]
        : [`${what} ${sideText(row.baseline, row.unit)} → ${sideText(cell.candidate, row.unit)}`];
    })
    .slice(0, MOST);
  const [first] = findings?.appeared ?? [];
  const limit = first === undefined ? [] : [LIMITS[first.id] ?? `new: ${inSentence(first.title)}`];
  const all = [...parts, ...limit];
  if (all.length > 0) return all.join(", ");
  return key.some(({ about }) => about.length > 0)
    ? "No evidence that a key latency or throughput differs"
    : "No key latency or throughput was compared";
}

function isAbout({ concept, family }: ComparisonRow, id: ConceptId): boolean {
  if (concept !== undefined) return concept === id;
  return conceptById(id).members.some((member) => member.family === family);
}
