import { CONCEPTS } from "../concepts/index.js";
import { keyMetricNamed } from "../define.js";
import type { KeyMetric, ServerDefinition } from "../definition.js";
import { COMMON_PANELS, type PanelDefinition, type PanelItem, type ServerPanels } from "./common.js";
import { ENGINE_PANELS } from "./engines.js";
import { MACHINE_PANELS } from "./machines.js";
import { PANEL_NEEDS } from "./needs.js";
import { SERVING_PANELS } from "./serving.js";

export { generalPanels } from "./general.js";

/** A metric of a panel, with what stands for it where the server has several ways to tell it. */
export interface PanelMetric {
  readonly metric: KeyMetric;
  /** A row for each value of this label. */
  readonly by?: string;
}

/** A panel as one server fills it. Of each item all the ways in which the catalogue knows it, the best first. */
export interface ServerPanel extends Omit<PanelDefinition, "items"> {
  readonly items: readonly (readonly PanelMetric[])[];
  /** How to make the server expose it, where that takes a flag. */
  readonly needs?: string;
}

/** Beyond what every engine has: panels of one server, in the order in which they are shown. */
export const SERVER_PANELS: ServerPanels = { ...ENGINE_PANELS, ...SERVING_PANELS, ...MACHINE_PANELS };

/** The panels of a server's dashboard, without those whose quantities it has not. */
export function panelsOf(server: ServerDefinition): readonly ServerPanel[] {
  return [...COMMON_PANELS, ...(SERVER_PANELS[server.id] ?? [])].flatMap(({ items, ...panel }) => {
    const known = items.map((item) => metricsOf(server, item)).filter((metrics) => metrics.length > 0);
    const needs = PANEL_NEEDS[server.id]?.[panel.id];
    return known.length === 0 ? [] : [{ ...panel, items: known, ...(needs === undefined ? {} : { needs }) }];
  });
}

function metricsOf(server: ServerDefinition, item: PanelItem): readonly PanelMetric[] {
  const { family: name, by } = typeof item === "string" ? { family: item } : item;
  const concept = CONCEPTS.find(({ id }) => id === name);
  const own = concept?.members.filter((member) => member.server === server.id);
  const names = own?.map(({ family, derived }) => family ?? derived?.id ?? "") ?? [name];
  return names.flatMap((one) => {
    const metric = keyMetricNamed(server, one, concept?.statistic);
    return metric === undefined ? [] : [{ metric, ...(by === undefined ? {} : { by }) }];
  });
}
