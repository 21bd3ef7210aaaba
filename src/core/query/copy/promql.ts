import { labelValue, NS_PER_SECOND, type EpochNs, type LabelledSeries } from "../../model/index.js";
import { quoted, type CopiedQuery, type QuerySubject } from "./subject.js";

/** Labels that Prometheus sets itself; a server's own get another name. */
const OWN = new Set(["instance", "job"]);
/** Range of a rate over time: several scrapes of any usual interval. */
const RATE_RANGE = "5m";

/**
 * For a Prometheus that scrapes the same servers. Statistics are asked for at the window's end, over its length; a
 * course has no bounds, since those are the graph's. A counter's name is given with and without the `_total` that the
 * text format demands and some servers leave out.
 */
export function promql(subject: QuerySubject): CopiedQuery {
  const { end } = subject.window;
  return { kind: "query", text: expression(subject, subject.shows === "course" ? undefined : end) };
}

/** @param end of the window; absent: the course of the values */
function expression(subject: QuerySubject, end: EpochNs | undefined): string {
  const range = end === undefined ? `[${RATE_RANGE}]` : rangeUpTo(end, subject.window.start);
  switch (subject.family.type) {
    case "counter":
      return `${end === undefined ? "rate" : "increase"}(${selector(subject, "")}${range})`;
    case "histogram":
      return quantile(subject, range);
    case "gauge":
    case "unknown":
      return end === undefined ? selector(subject, "") : `avg_over_time(${selector(subject, "")}${range})`;
  }
}

function rangeUpTo(end: EpochNs, start: EpochNs): string {
  const seconds = Math.max(1, Math.round(Number(end - start) / NS_PER_SECOND));
  return `[${seconds}s] @ ${(Number(end / 1_000_000n) / 1000).toFixed(3)}`;
}

/** p99 of each series as the view shows them, side by side. */
function quantile(subject: QuerySubject, range: string): string {
  const labels = varying(subject.chosen ?? subject.all, subject.endpoints);
  return `histogram_quantile(0.99, sum by (${["le", ...labels].join(", ")}) (rate(${selector(subject, "_bucket")}${range})))`;
}

function selector({ family, all, chosen = all, endpoints }: QuerySubject, suffix: string): string {
  const matchers = [
    ...(family.type === "counter" ? [`__name__=~${quoted(`${regex(family.name)}(_total)?`)}`] : []),
    ...common(chosen, chosen.length < all.length, endpoints),
  ];
  const name = family.type === "counter" ? "" : `${family.name}${suffix}`;
  // A name of other characters stands in the braces, in quotes (Prometheus 3, UTF-8 names).
  if (name !== "" && !/^[a-zA-Z_:][\w:]*$/.test(name)) return `{${[quoted(name), ...matchers].join(", ")}}`;
  return matchers.length === 0 ? name : `${name}{${matchers.join(", ")}}`;
}

/** What is known of all series wanted: one value, or one of several. */
function common(series: readonly LabelledSeries[], chosen: boolean, endpoints: number): string[] {
  if (!chosen) return [];
  const matchers: string[] = [];
  const match = (name: string, values: readonly string[]) => {
    const distinct = [...new Set(values)];
    matchers.push(
      distinct.length === 1
        ? `${name}=${quoted(distinct[0] ?? "")}`
        : `${name}=~${quoted(distinct.map(regex).join("|"))}`,
    );
  };
  if (endpoints > 1)
    match(
      "instance",
      series.map(({ endpointUrl }) => instanceOf(endpointUrl)),
    );
  for (const name of new Set(series.flatMap(({ labels }) => labels.map(([label]) => label)))) {
    // A label that is empty and one that is absent are the same to Prometheus.
    match(
      shownName(name),
      series.map(({ labels }) => labelValue(labels, name) ?? ""),
    );
  }
  return matchers;
}

/** Labels, and the instance, in which the series differ. */
function varying(series: readonly LabelledSeries[], endpoints: number): string[] {
  const names = [...new Set(series.flatMap(({ labels }) => labels.map(([name]) => name)))];
  const differs = (valueOf: (one: LabelledSeries) => string) => new Set(series.map(valueOf)).size > 1;
  return [
    ...(endpoints > 1 && differs(({ endpointUrl }) => endpointUrl) ? ["instance"] : []),
    ...names.filter((name) => differs(({ labels }) => labelValue(labels, name) ?? "")).map(shownName),
  ];
}

function shownName(label: string): string {
  if (OWN.has(label)) return `exported_${label}`;
  return /^[a-zA-Z_]\w*$/.test(label) ? label : quoted(label);
}

/** host:port, as Prometheus names its targets. */
function instanceOf(url: string): string {
  const [, scheme = "", host = url] = /^(https?):\/\/(?:[^/@]*@)?([^/?#]+)/.exec(url) ?? [];
  return /:\d+$/.test(host) ? host : `${host}:${scheme === "https" ? 443 : 80}`;
}

/** Matches a text as it stands, in RE2. */
function regex(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&");
}
