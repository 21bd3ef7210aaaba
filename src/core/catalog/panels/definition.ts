import type { ConceptId } from "../concepts/definition.js";
import type { ServerId } from "../definition.js";

/** What a panel shows: a quantity under whatever name the server has it, a family, or a derived metric. */
export type PanelItem =
  | { readonly concept: ConceptId }
  /** Canonical name. `by`: a row for each value of this label. */
  | { readonly family: string; readonly by?: string }
  | { readonly derived: string };

/** A part of a server's dashboard. */
export interface PanelDefinition {
  /** Stable, unique within a server. */
  readonly id: string;
  readonly title: string;
  readonly items: readonly PanelItem[];
  /** Its rows are parts of one whole: their averages are shown piled up. */
  readonly stacked?: true;
  /** How to make the server expose it, where that takes a flag. */
  readonly needs?: string;
}

export type ServerPanels = { readonly [S in ServerId]?: readonly PanelDefinition[] };

/** @param items canonical names of families, or what else there is */
export const panel = (
  id: string,
  title: string,
  items: readonly (PanelItem | string)[],
  rest: Pick<PanelDefinition, "stacked" | "needs"> = {},
): PanelDefinition => ({
  id,
  title,
  items: items.map((item) => (typeof item === "string" ? { family: item } : item)),
  ...rest,
});
