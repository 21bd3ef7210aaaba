import { makeLabels, type Labels } from "./series.js";
import type { RunMetadata } from "./run-metadata.js";
import { fieldsOf, isList, type JsonObject } from "../text/json.js";

/**
 * The endpoint behind an `instance` label, which says host:port of a target scraped at `/metrics`. A label that names a
 * path or a scheme keeps them.
 */
export function urlOfInstance(instance: string): string {
  if (/^https?:\/\//i.test(instance)) return instance;
  return `http://${instance}${instance.includes("/") ? "" : "/metrics"}`;
}

/** The `instance` label that leads back to an endpoint: host:port where that is enough. */
export function instanceOfUrl(url: string): string {
  const [, rest] = /^http:\/\/([^?#]*)$/i.exec(url) ?? [];
  if (rest === undefined || rest.includes("@")) return url;
  const short = rest.replace(/\/metrics$/, "");
  return urlOfInstance(short) === url ? short : urlOfInstance(rest) === url ? rest : url;
}

/** A selector of a store, narrowed to one instance. */
export function selectorOfInstance(selector: string, instance: string): string {
  const matcher = `instance=${JSON.stringify(instance)}`;
  const text = selector.trim();
  if (!text.endsWith("}")) return `${text}{${matcher}}`;
  const open = text.slice(0, -1).trimEnd();
  return `${open}${/[{,]$/.test(open) ? "" : ","}${matcher}}`;
}

/** Labels that tell a run's samples from those of others in a store. */
export type OwnLabels = Readonly<Record<string, string>>;

/** How much of a run a store has got by remote write. */
export interface WrittenTo {
  /** As it may be shown. */
  readonly url: string;
  readonly labels: OwnLabels;
  /** The first so many, in the order in which they came. */
  readonly scrapes: number;
}

/** A label that a user may give to the series of a run. */
export function isOwnLabel(name: string): boolean {
  return /^[a-zA-Z_]\w*$/.test(name) && !name.startsWith("__") && name !== "le" && name !== "instance";
}

/** `run_id`, `label` where the run has one, and the user's own, which win. */
export function runLabels({ benchmarkId, label }: RunMetadata, own: OwnLabels = {}): OwnLabels {
  return { run_id: benchmarkId, ...(label === undefined ? {} : { label }), ...own };
}

/**
 * A series' labels in a store: `instance` stands for its endpoint. As Prometheus does it, a label of the server's that
 * goes by a name of ours becomes `exported_…`.
 */
export function storedLabels(labels: Labels, endpointUrl: string, own: OwnLabels): Labels {
  const ours: OwnLabels = { instance: instanceOfUrl(endpointUrl), ...own };
  const taken = new Set([...Object.keys(ours), ...labels.map(([name]) => name)]);
  const renamed = labels.map(([name, value]) => {
    if (!(name in ours)) return [name, value] as const;
    let free = `exported_${name}`;
    while (taken.has(free)) free = `exported_${free}`;
    return [free, value] as const;
  });
  return makeLabels([...renamed, ...Object.entries(ours)]);
}

/** Of a run of totals that a store made: where the instances behind them are. */
export interface StoredTotals {
  /** Of the store, as it may be shown. */
  readonly url: string;
  readonly selectors: readonly string[];
  /** Milliseconds since the epoch. */
  readonly startMs: number;
  readonly endMs: number;
  readonly instances: readonly string[];
  /** How far values are apart; absent in a file that does not say. */
  readonly stepSeconds?: number;
}

/** As a run's `input_config` has it, which may be anything. @returns undefined for a run that is no totals */
export function storedTotals({ source }: JsonObject): StoredTotals | undefined {
  const { kind, samples, url, match, start, end, instances, step_seconds: step } = fieldsOf(source);
  if (kind !== "prometheus" || samples !== "aggregated" || typeof url !== "string") return undefined;
  const texts = (list: unknown) => (isList(list) ? list.filter((one) => typeof one === "string") : []);
  const [startMs, endMs] = [start, end].map((time) => (typeof time === "string" ? Date.parse(time) : NaN));
  if (startMs === undefined || endMs === undefined || !(startMs < endMs)) return undefined;
  const totals = {
    url,
    selectors: texts(match),
    startMs,
    endMs,
    instances: texts(instances),
    ...(typeof step === "number" && step > 0 ? { stepSeconds: step } : {}),
  };
  return totals.selectors.length === 0 || totals.instances.length === 0 ? undefined : totals;
}
