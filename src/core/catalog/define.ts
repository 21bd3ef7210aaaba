import type { Derivation, FamilyEntry, KeyMetric, KeyStatistic, ServerDefinition, WatchRule } from "./definition.js";

type Rest = Omit<FamilyEntry, "type" | "title">;

export const gauge = (title: string, rest: Rest = {}): FamilyEntry => ({ type: "gauge", title, ...rest });
export const counter = (title: string, rest: Rest = {}): FamilyEntry => ({ type: "counter", title, ...rest });
export const histogram = (title: string, rest: Rest = {}): FamilyEntry => ({ type: "histogram", title, ...rest });
/** What describes the server and hardly changes. */
export const info = (title: string, rest: Rest = {}): FamilyEntry => ({
  type: "gauge",
  title,
  group: "Model configuration",
  ...rest,
});

/** A tile: a family in one statistic, or a derived metric. */
export type TileDefinition<Name extends string> = {
  readonly id: string;
  readonly by?: string;
  readonly watch?: readonly WatchRule[];
} & ({ readonly family: Name; readonly statistic: KeyStatistic } | { readonly derived: string });

interface Definition<Families extends Readonly<Record<string, FamilyEntry>>>
  extends
    Omit<ServerDefinition, "families" | "derived" | "keyMetrics" | "renamed" | "groups" | "hints" | "modelLabels">,
    Partial<Pick<ServerDefinition, "derived" | "renamed" | "groups" | "hints" | "modelLabels">> {
  readonly families: Families;
  readonly tiles: readonly TileDefinition<keyof Families & string>[];
}

/** Fills in a server's definition: a tile takes title, type, unit and direction from its family or derived metric. */
export function defineServer<const Families extends Readonly<Record<string, FamilyEntry>>>({
  tiles,
  derived = [],
  renamed = {},
  groups = [],
  hints = [],
  modelLabels = [],
  ...rest
}: Definition<Families>): ServerDefinition {
  const families: Readonly<Record<string, FamilyEntry>> = rest.families;
  const keyMetrics = tiles.flatMap((tile): KeyMetric[] => {
    const { id, by, watch } = tile;
    const more = { ...(by === undefined ? {} : { by }), ...(watch === undefined ? {} : { watch }) };
    if ("family" in tile) {
      const entry = families[tile.family];
      if (entry === undefined) return [];
      const { type, title, unit, direction = "neutral", hint } = entry;
      const optional = { ...(unit === undefined ? {} : { unit }), ...(hint === undefined ? {} : { hint }) };
      return [{ id, title, family: tile.family, type, statistic: tile.statistic, direction, ...optional, ...more }];
    }
    const metric = derived.find((candidate) => candidate.id === tile.derived);
    if (metric === undefined) return [];
    const { title, direction, unit, hint, derivation } = metric;
    const family = derivation.kind === "lifetime-average" ? derivation.average : derivation.numerator;
    const type = families[family]?.type ?? "unknown";
    const optional = { ...(unit === undefined ? {} : { unit }), ...(hint === undefined ? {} : { hint }) };
    return [{ id, title, family, type, statistic: "avg", direction, derived: derivation, ...optional, ...more }];
  });
  return { ...rest, derived, renamed, groups, hints, modelLabels, keyMetrics };
}

/** Canonical names of the families that a metric is derived from, that of its numerator first. */
export function familiesOf(derivation: Derivation): readonly string[] {
  switch (derivation.kind) {
    case "rate-ratio":
    case "gauge-ratio":
      return [...new Set([derivation.numerator, ...derivation.denominator])];
    case "lifetime-average":
      return [derivation.average, derivation.weight];
  }
}

/** The KV cache is nearly full. */
export const KV_LIMIT: readonly WatchRule[] = [
  { kind: "above", threshold: 0.9, level: "warning", reason: "above 90 %: at the limit of the KV cache" },
];
/** Requests wait longer and longer. */
export const SATURATED: readonly WatchRule[] = [
  { kind: "growing", level: "warning", reason: "the queue grows: the server is saturated" },
];
