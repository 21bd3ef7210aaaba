import { canonicalName } from "../aliases.js";
import { familiesOf } from "../define.js";
import type { DerivedMetric, ServerId } from "../definition.js";
import { SERVERS } from "../servers/index.js";
import { entryOfCanonical, serverById } from "../recognise.js";
import {
  conceptById,
  CONCEPT_SERIES,
  CONCEPTS,
  type Concept,
  type ConceptId,
  type ConceptMember,
  type ConceptSeries,
} from "./concepts.js";

export {
  conceptById,
  CONCEPTS,
  MEAN_GAP,
  type Concept,
  type ConceptId,
  type ConceptMember,
  type ConceptSeries,
} from "./concepts.js";

/** A concept and what one server means by it. */
export interface ConceptUse {
  readonly concept: Concept;
  readonly member: ConceptMember;
}

const BY_FAMILY: ReadonlyMap<string, ConceptUse> = new Map(
  CONCEPTS.flatMap((concept) =>
    concept.members.flatMap((member) =>
      member.family === undefined ? [] : [[member.family, { concept, member }] as const],
    ),
  ),
);

/** By the first of the families that a derived metric is read from. */
const BY_NUMERATOR: ReadonlyMap<string, Concept> = new Map(
  CONCEPTS.flatMap((concept) =>
    concept.members.flatMap(({ derived }) => {
      const [numerator] = derived === undefined ? [] : familiesOf(derived.derivation);
      return numerator === undefined ? [] : [[numerator, concept] as const];
    }),
  ).reverse(),
);

/** The concept that a family is about, by any of its names. Families of a derived metric are about none. */
export function conceptOf(family: string): ConceptUse | undefined {
  return BY_FAMILY.get(canonicalName(family));
}

/** Families of which some series are about a concept; empty for most concepts. */
export function seriesOfConcept(id: ConceptId): readonly ConceptSeries[] {
  return CONCEPT_SERIES.filter(({ concept }) => concept === id);
}

/** Whether series of a family, by its canonical name, are about a concept, each about its own. */
export function holdsConcepts(canonical: string): boolean {
  return CONCEPT_SERIES.some(({ family }) => family === canonical);
}

/** The concept of which a server exposes the numerator, as prefix cache hits are of the hit rate. */
export function conceptOfRatio(numerator: string): Concept | undefined {
  return BY_NUMERATOR.get(canonicalName(numerator));
}

/** What a server exposes of a concept, the best first; empty for none. */
export function membersOf(id: ConceptId, server: ServerId): readonly ConceptMember[] {
  return conceptById(id).members.filter((member) => member.server === server);
}

/** A metric that the catalogue derives from others; undefined for an id that it does not know. */
export function derivedById(id: string): DerivedMetric | undefined {
  return SERVERS.flatMap(({ derived }) => derived).find((metric) => metric.id === id);
}

/** Canonical names of the families that a member is read from. */
export function familiesOfMember({ family, derived }: ConceptMember): readonly string[] {
  return [family ?? [], derived === undefined ? [] : familiesOf(derived.derivation)].flat();
}

/** "vLLM: from arrival at the engine, the queue included". */
function inWords({ server, definition }: ConceptMember): string {
  return `${serverById(server).name}: ${definition}`;
}

/** How the definitions of two members of one concept differ, for a person; undefined when they mean the same. */
export function definitionDifference(a: ConceptMember, b: ConceptMember): string | undefined {
  return a.definition === b.definition ? undefined : `definitions differ: ${inWords(a)}; ${inWords(b)}`;
}

/** Why two members of one concept cannot be compared; undefined when they can. */
export function incompatibility(a: ConceptMember, b: ConceptMember): string | undefined {
  if (a.of !== b.of) {
    const [first, second] = [serverById(a.server).name, serverById(b.server).name];
    return `not the same thing: ${first} gives ${a.of} (${a.definition}), ${second} ${b.of} (${b.definition})`;
  }
  const [nameA, nameB] = [serverById(a.server).name, serverById(b.server).name];
  const [typeA, typeB] = [typeOf(a), typeOf(b)];
  if (typeA !== typeB) return `not the same kind of metric: ${nameA} has a ${typeA}, ${nameB} a ${typeB}`;
  // A count without a unit is one of whatever the other counts.
  const [unitA, unitB] = [unitOf(a), unitOf(b)];
  return unitA === unitB || unitA === undefined || unitB === undefined
    ? undefined
    : `not the same unit: ${nameA} counts in ${unitA}, ${nameB} in ${unitB}`;
}

function unitOf({ family, derived }: ConceptMember): string | undefined {
  return family === undefined ? derived?.unit : entryOfCanonical(family)?.unit;
}

function typeOf({ family }: ConceptMember): string {
  return family === undefined ? "ratio" : (entryOfCanonical(family)?.type ?? "unknown");
}

/**
 * The members by which two servers' metrics are compared: the first pair that can be. Where none can, the reason for
 * the first pair; undefined when either has nothing of the concept.
 */
export function matchMembers(
  as: readonly ConceptMember[],
  bs: readonly ConceptMember[],
):
  | { readonly kind: "match"; readonly a: ConceptMember; readonly b: ConceptMember }
  | { readonly kind: "refused"; readonly a: ConceptMember; readonly b: ConceptMember; readonly reason: string }
  | undefined {
  for (const a of as) {
    for (const b of bs) if (incompatibility(a, b) === undefined) return { kind: "match", a, b };
  }
  const [a] = as;
  const [b] = bs;
  if (a === undefined || b === undefined) return undefined;
  return { kind: "refused", a, b, reason: incompatibility(a, b) ?? "" };
}
