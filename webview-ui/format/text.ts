import type { Labels } from "../../src/core/model/index.js";
import { displayUnit } from "../../src/core/catalog/display.js";

/** What the views call an endpoint where there is no room for its URL. */
export function hostOf(url: string): string {
  return url.replace(/^(https?|client):\/\//, "").replace(/\/metrics$/, "");
}

/** Characters of a name that a column of numbers has room for. */
const NARROW = 7;

/** Longer names of endpoints are not read at a glance. */
const LONG_HOST = 20;

/**
 * As `hostOf`, of endpoints that stand beside each other: where names are long, the end that all share is left out
 * ("gpu-1" and "gpu-2" of one domain and port), never what tells them apart.
 */
export function shortHosts(urls: Iterable<string>): (url: string) => string {
  const hosts = [...new Set([...urls].map(hostOf))];
  if (hosts.length < 2 || hosts.every((host) => host.length <= LONG_HOST)) return hostOf;
  const shared = sharedSuffix(hosts);
  if (shared !== undefined) return (url) => hostOf(url).slice(0, -shared.length);
  // Ports that differ are kept behind what tells the hosts apart.
  const domain = sharedSuffix([...new Set(hosts.map((host) => splitPort(host)[0]))]);
  if (domain === undefined) return hostOf;
  return (url) => {
    const [host, port] = splitPort(hostOf(url));
    return host.slice(0, -domain.length) + port;
  };
}

/** What an endpoint is called in the settings. */
export interface EndpointLabel {
  readonly url: string;
  readonly label?: string;
}

/** Names of endpoints that stand beside each other: as the settings call them, else as `shortHosts` does. */
export function endpointNames(
  urls: Iterable<string>,
  endpoints: readonly EndpointLabel[] = [],
): (url: string) => string {
  const host = shortHosts(urls);
  const labels = new Map(endpoints.flatMap(({ url, label }) => (label === undefined ? [] : [[url, label] as const])));
  if (labels.size === 0) return host;
  const shared = new Set([...labels.values()].filter((label, i, all) => all.indexOf(label) !== i));
  return (url) => {
    const label = labels.get(url);
    return label === undefined ? host(url) : shared.has(label) ? `${label} (${host(url)})` : label;
  };
}

/** The end that all hosts share, from where a part of a name or the port begins; less than the whole of any. */
function sharedSuffix(hosts: readonly string[]): string | undefined {
  const [first = ""] = hosts;
  if (hosts.length < 2) return undefined;
  return [...first.matchAll(/[.:/]/g)]
    .map(({ index }) => first.slice(index))
    .find((end) => hosts.every((host) => host.endsWith(end) && host.length > end.length));
}

/** A host, and its port with what follows. */
function splitPort(host: string): readonly [host: string, port: string] {
  const at = host.search(/[:/]/);
  return at === -1 ? [host, ""] : [host.slice(0, at), host.slice(at)];
}

/**
 * Names for places as narrow as a number: the beginning that all share is left out, as whole words, where any name is
 * long ("…baseline" and "…chunked" of "1500-baseline" and "1500-chunked"). What tells them apart then stands first.
 */
export function narrowNames(names: readonly string[]): readonly string[] {
  const [first = ""] = names;
  if (new Set(names).size < 2 || names.every((name) => name.length <= NARROW)) return names;
  const shared = [...first.matchAll(/[\s_:/|,-]+(?=[^\s_:/|,-])/g)]
    .map((separator) => first.slice(0, separator.index + separator[0].length))
    .findLast((start) => names.every((name) => name.startsWith(start) && name.length > start.length));
  return shared === undefined ? names : names.map((name) => `…${name.slice(shared.length)}`);
}

export interface SeriesNaming {
  readonly endpointUrl: string;
  readonly labels: Labels;
}

/**
 * Short names for series shown together: only the labels (and the endpoint) in which they differ,
 * so that fifty series do not all repeat the model's name.
 * @param labelled endpoints that the settings name
 */
export function distinguishingNames(all: readonly SeriesNaming[], labelled: readonly EndpointLabel[] = []): string[] {
  const endpoints = new Set(all.map((series) => series.endpointUrl));
  const values = new Map<string, Set<string>>();
  const occurrences = new Map<string, number>();
  for (const { labels } of all) {
    for (const [name, value] of labels) {
      const set = values.get(name) ?? new Set();
      values.set(name, set.add(value));
      occurrences.set(name, (occurrences.get(name) ?? 0) + 1);
    }
  }
  const host = endpointNames(endpoints, labelled);
  const differs = (name: string) => (values.get(name)?.size ?? 0) > 1 || (occurrences.get(name) ?? 0) < all.length;
  const named = (isShown: (name: string) => boolean) =>
    all.map(({ endpointUrl, labels }) => {
      const parts = labels.filter(([name]) => isShown(name)).map(([name, value]) => `${name}=${value}`);
      if (endpoints.size > 1) parts.unshift(host(endpointUrl));
      return parts.join(" ");
    });
  const full = named(differs);
  // UUIDs and addresses of buses hide the "gpu=0" beside them, unless nothing else tells the series apart.
  const readable = named((name) => differs(name) && ![...(values.get(name) ?? [])].every(isOpaque));
  return new Set(readable).size === new Set(full).size && readable.every((name) => name !== "") ? readable : full;
}

/** Hexadecimal digits in groups, with at least eight in a row: "GPU-5fd4f087-86f3-…", "00000000:18:00.0". */
function isOpaque(value: string): boolean {
  return /[0-9a-f]{8}/i.test(value) && /^(?:[a-z]+-)?[0-9a-f]+(?:[-:./][0-9a-f]+)*$/i.test(value);
}

/** Everything that identifies a series, for a tooltip. */
export function fullName({ endpointUrl, labels }: SeriesNaming): string {
  return [hostOf(endpointUrl), ...labels.map(([name, value]) => `${name}=${value}`)].join("\n");
}

/** Whether a unit is shown as a short symbol ("ms", "GiB", "%"), not as a word such as "requests". */
export function isSymbol(unit: string | undefined): boolean {
  return displayUnit(unit).symbol.length <= 4;
}

/**
 * The unit where there is room for a symbol only: a word such as "requests" is said once, beside the title.
 * Undefined leaves the plain number.
 */
export function symbolOnly(unit: string | undefined): string | undefined {
  return isSymbol(unit) ? unit : undefined;
}

/** As `symbolOnly`, of a table's cell: a rate says that it is one, since its column stands beside totals. */
export function cellUnit(unit: string | undefined): string | undefined {
  return symbolOnly(unit) ?? (unit?.endsWith("/s") === true ? "/s" : undefined);
}

/** "p99_estimate" → "p99", "rate" → "/s", as people say them. */
export function statisticName(statistic: string): string {
  if (statistic === "rate" || statistic === "count_rate" || statistic === "sum_rate") return "/s";
  return statistic.replace(/_estimate$/, "").replace(/_/g, " ");
}
