import {
  GROUPS,
  type Derivation,
  type DerivedMetric,
  type FamilyEntry,
  type FamilyGroup,
  type KeyMetric,
  type KeyStatistic,
  type ServerDefinition,
  type WatchRule,
} from "./definition.js";

type Rest = Omit<FamilyEntry, "type" | "title">;
/**
 * Unit, better direction and group, as far as they must be said: "tokens", "seconds, down", "KV cache: blocks, up". The
 * compiler knows the groups, which alone begin with a capital.
 */
type About = Lowercase<string> | `${FamilyGroup}:${Lowercase<string>}`;
type Define = (title: string, about?: About | Rest, rest?: Rest) => FamilyEntry;

const entry =
  (type: FamilyEntry["type"], usual: Rest = {}): Define =>
  (title, about = {}, rest = {}) => ({
    type,
    title,
    ...usual,
    ...(typeof about === "string" ? restOf(about) : about),
    ...rest,
  });

/** What a word group of the catalogue says. */
export function restOf(about: About): Pick<FamilyEntry, "unit" | "group" | "direction"> {
  const [measure = "", name] = about.split(":").reverse();
  const group = GROUPS.find((one) => one === name);
  const direction = (["up", "down"] as const).find((one) => measure.endsWith(one));
  const unit = measure.slice(0, measure.length - (direction?.length ?? 0)).replace(/^ |, $/g, "");
  return {
    ...(unit === "" ? {} : { unit }),
    ...(group === undefined ? {} : { group }),
    ...(direction === undefined ? {} : { direction }),
  };
}

/** A gauge of the catalogue. @param title of charts and tables */
export const gauge = entry("gauge");
/** A counter of the catalogue. @param title of charts and tables */
export const counter = entry("counter");
/** A histogram of the catalogue. @param title of charts and tables */
export const histogram = entry("histogram");
/** What describes the server and hardly changes. */
export const info = entry("gauge", { group: "Model configuration" });
/** What describes the server by its value, which the header shows. */
export const fact = entry("gauge", { group: "Model configuration", isFact: true });

/** A metric of the catalogue that several families tell together. @param about unit and better direction */
export function derived(
  id: string,
  title: string,
  about: Lowercase<string>,
  rest: Pick<DerivedMetric, "derivation" | "hint">,
): DerivedMetric {
  return { id, title, direction: "neutral", ...restOf(about), ...rest };
}

/** The increase of one counter by that of others together. */
export const rateRatio = (numerator: string, ...denominator: readonly string[]): Derivation => ({
  kind: "rate-ratio",
  numerator,
  denominator,
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
  const known = { id: rest.id, families: rest.families, derived };
  const keyMetrics = tiles.flatMap((tile): KeyMetric[] => {
    const { id, by, watch } = tile;
    const metric =
      "family" in tile ? keyMetricNamed(known, tile.family, tile.statistic) : keyMetricNamed(known, tile.derived);
    if (metric === undefined) return [];
    return [{ ...metric, id, ...(by === undefined ? {} : { by }), ...(watch === undefined ? {} : { watch }) }];
  });
  return { ...rest, derived, renamed, groups, hints, modelLabels, keyMetrics };
}

/** What metrics are made of. */
type Known = Pick<ServerDefinition, "id" | "families" | "derived">;

const USUAL_STATISTIC = { gauge: "avg", unknown: "avg", counter: "rate", histogram: "p99_estimate" } as const;

/**
 * A family in one statistic, or a derived metric; undefined for one that the server has not.
 * @param name canonical, or the derived metric's id
 */
export function keyMetricNamed(server: Known, name: string, statistic?: KeyStatistic): KeyMetric | undefined {
  const entry = server.families[name];
  if (entry === undefined) return derivedKeyMetric(server, name);
  const { type, title, unit, direction = "neutral", hint } = entry;
  const suits = statistic !== undefined && STATISTICS[type].includes(statistic);
  return {
    id: `${server.id}.${name}`,
    title,
    family: name,
    type,
    statistic: suits ? statistic : USUAL_STATISTIC[type],
    direction,
    ...(unit === undefined ? {} : { unit }),
    ...(hint === undefined ? {} : { hint }),
  };
}

function derivedKeyMetric(server: Known, id: string): KeyMetric | undefined {
  const metric = server.derived.find((candidate) => candidate.id === id);
  if (metric === undefined) return undefined;
  const { title, direction, unit, hint, derivation } = metric;
  const family = derivation.kind === "lifetime-average" ? derivation.average : derivation.numerator;
  return {
    id,
    title,
    family,
    type: server.families[family]?.type ?? "unknown",
    statistic: "avg",
    direction,
    derived: derivation,
    ...(unit === undefined ? {} : { unit }),
    ...(hint === undefined ? {} : { hint }),
  };
}

const STATISTICS: { readonly [T in FamilyEntry["type"]]: readonly KeyStatistic[] } = {
  gauge: ["avg", "max"],
  unknown: ["avg", "max"],
  counter: ["rate", "total"],
  histogram: ["p50_estimate", "p90_estimate", "p99_estimate", "avg"],
};

/** What a panel shows of a metric, the first being the one that stands for it. */
export function panelStatistics({ type, derived }: Pick<KeyMetric, "type" | "derived">): readonly KeyStatistic[] {
  return derived === undefined ? STATISTICS[type] : ["avg"];
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
