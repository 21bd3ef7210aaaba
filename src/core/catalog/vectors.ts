import { canonicalName } from "./aliases.js";

/** Families whose label is an index: their series are one vector, in numeric order. */
const VECTOR_LABELS: readonly { readonly family: RegExp; readonly label: string }[] = [
  { family: /_per_pos(ition)?$/, label: "position" },
];

/** The label that is an index in a family, if it has one. */
export function vectorLabelOf(familyName: string): string | undefined {
  const canonical = canonicalName(familyName);
  return VECTOR_LABELS.find(({ family }) => family.test(canonical))?.label;
}
