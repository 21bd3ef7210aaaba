import { factsOf, hintsFor, modelOf, recogniseServers, type RoleSeries } from "../catalog/index.js";
import { amountOf, type EndpointId, type Problem, type SeriesKey } from "../model/index.js";
import { groupBy } from "../math/index.js";
import type { Run, Store } from "../store/index.js";
import { StoredRun } from "./stored.js";
import type { StaticFact, ConfigNode } from "./types/index.js";
import { isList, type Json, type JsonObject } from "../text/index.js";

/** What the samples of an endpoint tell of it. */
export interface EndpointOverview {
  readonly servers: readonly string[];
  readonly families: number;
  readonly series: number;
  /** Key families that are missing, and how to get them. */
  readonly hints: readonly Problem[];
}

/** What one endpoint has brought so far. */
export function endpointOverview(run: Run, endpoint: EndpointId): EndpointOverview {
  const families = new Set<string>();
  let series = 0;
  for (const { family } of run.store.seriesKeys(endpoint)) {
    series++;
    families.add(family.name);
  }
  return {
    servers: recogniseServers(families).map((server) => server.name),
    families: families.size,
    series,
    hints: hintsFor(families),
  };
}

/** What the series of a run's endpoints tell of their roles, by URL. */
export function roleSeriesOf(run: Run | StoredRun): ReadonlyMap<string, Iterable<RoleSeries>> {
  if (!(run instanceof StoredRun)) {
    const { store } = run;
    return new Map(store.endpoints.map(({ url, id }) => [url, roleSeries(store, id)] as const));
  }
  const byEndpoint = groupBy(run.keys(), ({ endpointUrl }) => endpointUrl);
  return new Map(
    [...byEndpoint].map(
      ([url, own]) =>
        [url, own.map((key) => ({ name: key.family.name, labels: key.labels, ...totalOf(run, key) }))] as const,
    ),
  );
}

function totalOf(run: StoredRun, key: SeriesKey) {
  const result = run.resultOf(key);
  return result?.kind === "counter" ? { total: amountOf(result) } : {};
}

function* roleSeries(store: Store, endpoint: EndpointId): Generator<RoleSeries, void> {
  for (const { id, family, labels } of store.seriesKeys(endpoint)) {
    const total = family.type === "counter" ? store.last(id) : NaN;
    yield { name: family.name, labels, ...(Number.isNaN(total) ? {} : { total }) };
  }
}

/** How many endpoints have answered with metrics. */
export function answeredEndpoints({ store }: Run): number {
  return store.endpoints.filter((axis) => axis.rows > axis.failures).length;
}

/** Model names and static configuration, each fact of an endpoint once. */
export function staticFacts(run: Run): StaticFact[] {
  const facts = new Map<string, StaticFact>();
  const add = (fact: StaticFact) => facts.set(JSON.stringify(fact), fact);
  for (const { id, family, labels, endpointUrl } of run.store.seriesKeys()) {
    const model = modelOf(family.name, labels);
    if (model !== undefined) add({ name: "model", value: model, endpointUrl });
    if (family.type === "histogram") continue;
    const known = factsOf(family.name, labels, 0);
    if (known.length === 0) continue;
    for (const fact of factsOf(family.name, labels, run.store.last(id))) add({ ...fact, endpointUrl });
  }
  return [...facts.values()].sort((a, b) => Number(b.name === "model") - Number(a.name === "model"));
}

/** A configuration as a tree whose leaves are text: integers of any size survive every channel. */
export function configurationTree(config: JsonObject): ConfigNode[] {
  return Object.entries(config).flatMap(([key, value]) => (value === undefined ? [] : [nodeOf(key, value)]));
}

function nodeOf(key: string, value: Json): ConfigNode {
  if (isList(value)) return { key, kind: "list", children: value.map((item, i) => nodeOf(String(i), item)) };
  if (typeof value === "object" && value !== null) return { key, kind: "object", children: configurationTree(value) };
  return { key, kind: typeof value === "string" ? "text" : "literal", text: String(value) };
}
