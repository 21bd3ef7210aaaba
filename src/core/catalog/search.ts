import { conceptById, type Concept, type ConceptId } from "./concepts/concepts.js";

/**
 * What practitioners call quantities: the concepts that a word means, the first one where only one can be meant, and
 * what it is called in names and titles besides.
 */
const TERMS = new Map<string, { readonly concepts: readonly ConceptId[]; readonly also?: string }>(
  Object.entries({
    ttft: { concepts: ["ttft"], also: "first_token|first token" },
    itl: { concepts: ["inter-token-latency"], also: "inter_token|inter-token|between tokens" },
    tbt: { concepts: ["inter-token-latency"], also: "inter_token|inter-token|between tokens" },
    tpot: { concepts: ["inter-token-latency"], also: "per_output_token|per output token|time_per_token" },
    e2e: { concepts: ["e2e-latency"], also: "request_duration|request latency" },
    qps: { concepts: ["finished"], also: "requests/s|requests succeeded|request_success" },
    rps: { concepts: ["finished"], also: "requests/s|requests succeeded|request_success" },
    tps: { concepts: ["generation-tokens", "prompt-tokens"], also: "tokens/s" },
    throughput: { concepts: ["generation-tokens", "prompt-tokens", "finished"], also: "tokens/s|requests/s" },
    queue: { concepts: ["queue-time", "waiting"] },
    batch: { concepts: ["running"] },
    concurrency: { concepts: ["running"] },
    kv: { concepts: ["kv-usage"], also: "cache_usage|token_usage" },
    oom: { concepts: [], also: "out of memory|kv cache usage|cache_usage|token_usage|preempt|memory" },
  }),
);

/** The concept that a practitioner's word means: of "queue" the queue time. */
export function conceptOfTerm(term: string): Concept | undefined {
  const [id] = TERMS.get(term)?.concepts ?? [];
  return id === undefined ? undefined : conceptById(id);
}

/** A word of a search, lower case, and what else is found by it: titles, names of families and parts of them. */
export interface SearchWord {
  readonly word: string;
  readonly phrases: readonly string[];
}

/** The words of a search as a user wrote it, separated by blanks. */
export function searchWords(text: string): readonly SearchWord[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => ({ word, phrases: phrasesOf(word) }));
}

function phrasesOf(word: string): readonly string[] {
  const term = TERMS.get(word);
  if (term === undefined) return [];
  return [
    ...term.concepts
      .map(conceptById)
      .flatMap(({ title, members }) => [
        title.toLowerCase(),
        ...members.flatMap(({ family }) => family?.toLowerCase() ?? []),
      ]),
    ...(term.also?.split("|") ?? []),
  ];
}

/** Whether a text, lower case, contains every word of a search or something that stands for it. */
export function isFound(text: string, words: readonly SearchWord[]): boolean {
  return words.every(({ word, phrases }) => text.includes(word) || phrases.some((phrase) => text.includes(phrase)));
}

const PART_START = /[^a-z0-9]/;

/**
 * How far a text is from a search, 0 the nearest; Infinity where it is not found. A word at the beginning of the text
 * or of a part of it counts more than one within a word; what is meant by a word counts as much as its beginning.
 */
export function searchDistance(text: string, words: readonly SearchWord[], initials = ""): number {
  return words.reduce((sum, word) => sum + wordDistance(text, word, initials), 0);
}

function wordDistance(text: string, { word, phrases }: SearchWord, initials: string): number {
  const at = text.indexOf(word);
  if (at === 0) return 0;
  if (phrases.some((phrase) => text.includes(phrase))) return 0.5;
  for (let next = at; next > 0; next = text.indexOf(word, next + 1))
    if (PART_START.test(text[next - 1] ?? "")) return 1;
  if (at > 0) return 2;
  return word.length > 1 && initials.includes(word) ? 1.5 : Infinity;
}

/**
 * Names of families that come near to one that is not among them, the nearest first: those that a practitioner's word
 * means, then those that share more than half of its words.
 */
export function nearFamilies(wanted: string, names: readonly string[]): readonly string[] {
  const words = searchWords(wanted.replace(/[:_]+/g, " ")).filter(({ word }) => word.length > 1);
  const score = (name: string) => words.filter((word) => isFound(name.toLowerCase(), [word])).length;
  return names.filter((name) => score(name) > words.length / 2).toSorted((a, b) => score(b) - score(a));
}
