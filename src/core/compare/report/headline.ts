// Not all of the catalogue, which pages are loaded without.
import { conceptById } from "../../catalog/concepts/concepts.js";
import type { ConceptId } from "../../catalog/concepts/definition.js";
import { inSentence } from "../../catalog/display.js";
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

/**
 * A candidate in one line: "TTFT p99 65 ms → 47 s, throughput +79 %, KV cache became the limit". Only what the verdicts
 * decide is said.
 * @param candidate its position
 */
export function headline(
  { rows }: Pick<Comparison, "rows">,
  candidate: number,
  findings?: { readonly appeared: readonly { readonly id: string; readonly title: string }[] },
): string {
  const parts = FIRST.flatMap(({ concept, quantity, name, said }) => {
    const row = rows.find(
      (one) => one.quantity === quantity && isAbout(one, concept) && isDecidedCell(one.cells[candidate]),
    );
    const cell = row?.cells[candidate];
    if (row === undefined || cell === undefined) return [];
    return said === "share"
      ? [`${name} ${shareText(cell.share)}`]
      : [`${name} ${sideText(row.baseline, row.unit)} → ${sideText(cell.candidate, row.unit)}`];
  }).slice(0, MOST);
  const [first] = findings?.appeared ?? [];
  const limit = first === undefined ? [] : [LIMITS[first.id] ?? `new: ${inSentence(first.title)}`];
  const all = [...parts, ...limit];
  return all.length === 0 ? "No evidence that a key latency or throughput differs" : all.join(", ");
}

function isAbout({ concept, family }: ComparisonRow, id: ConceptId): boolean {
  if (concept !== undefined) return concept === id;
  return conceptById(id).members.some(({ source }) => source.kind === "family" && source.family === family);
}
