import type { ServerId } from "../definition.js";

/**
 * What a panel shows: a concept by its id, which is a quantity under whatever name the server has it, a family by its
 * canonical name, with a row for each value of a label, or a derived metric by its id.
 */
export type PanelItem = string | { readonly family: string; readonly by: string };

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

/** @param items in the order in which they are shown */
export const panel = (
  id: string,
  title: string,
  items: readonly PanelItem[],
  rest: Pick<PanelDefinition, "stacked" | "needs"> = {},
): PanelDefinition => ({ id, title, items, ...rest });
