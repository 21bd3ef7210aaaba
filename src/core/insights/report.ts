import { displayName, formatLabels } from "../model/index.js";
import { bullets, heading, paragraph, type RichBlock, type RichText } from "../text/index.js";
import { inSentence, titledName, titleWithName } from "../catalog/index.js";
import type { Attribution } from "./attribution.js";
import { checkedText, NO_SERVER } from "./checked.js";
import { plural } from "../text/plural.js";
import type { Insights } from "./insights.js";
import type { SeriesChanges } from "./level-changes.js";
import type { MovesWith } from "./moves-with.js";
import type { Finding } from "./rules/index.js";
import type { Evidence } from "./types.js";
import { figure, percent } from "./words.js";

/** Plain data for JSON: nanoseconds as decimal text, labels as an object. */
export function insightsJson({ findings, checked, unjudged, attributions, capacities }: Insights) {
  return {
    findings: findings.map(({ id, title, text, weight, confidence, evidence, advice, endpointUrls }) => ({
      id,
      title,
      text,
      weight: Math.round(weight * 1000) / 1000,
      confidence,
      endpoints: endpointUrls,
      evidence: evidence.map(({ family, labels, endpointUrl, statistic, range, value, unit, threshold }) => ({
        family,
        labels: Object.fromEntries(labels),
        endpoint_url: endpointUrl,
        statistic,
        range: { start_ns: String(range.startNs), end_ns: String(range.endNs) },
        value,
        ...(unit === undefined ? {} : { unit }),
        threshold: threshold ?? null,
      })),
      advice,
    })),
    checked,
    unjudged,
    attributions: attributions.map(({ latency, family, endpointUrl, seconds, parts }) => ({
      latency,
      family,
      endpoint_url: endpointUrl,
      seconds,
      parts,
    })),
    capacity: capacities.map((one) => ({
      endpoint_url: one.endpointUrl,
      limit: one.limit ?? null,
      rate: one.rate,
      running: one.running,
      next_running: one.nextRunning ?? null,
      text: one.text,
    })),
  };
}

/** Plain data for JSON: what charts mark in the series of a family. */
export function marksJson(family: string, series: readonly SeriesChanges[]) {
  return series.flatMap(({ endpointUrl, labels, changes }) =>
    changes.map((change) => ({
      family,
      labels: Object.fromEntries(labels),
      endpoint_url: endpointUrl,
      ...(change.kind === "level-change"
        ? { kind: change.kind, start_ns: String(change.startNs), before: change.before, after: change.after }
        : {
            kind: change.kind,
            start_ns: String(change.startNs),
            end_ns: String(change.endNs),
            value: change.value,
            usual: change.usual,
          }),
    })),
  );
}

/** That there is no finding, and what of. */
export function nothingText({ checked, unjudged }: Pick<FindingsText, "checked" | "unjudged">): string {
  if (checked.length === 0) return NO_SERVER;
  return `No limits found. ${checkedText(checked, unjudged)}`;
}

/** As `nothingText`, by numbers alone. */
function nothingLine({ checked, unjudged }: Insights): string {
  if (checked.length === 0) return NO_SERVER;
  const open = unjudged.length === 0 ? "" : `, ${unjudged.length} more cannot be made on this run`;
  return `No limits found (${plural(checked.length, "check")}${open}); insights --checked lists them.`;
}

interface TextOptions {
  /** Findings described in full; the rest are named. */
  readonly limit?: number;
  /** List what was looked for. */
  readonly checked?: boolean;
}

/** For a terminal. */
export function insightsText(insights: Insights, { limit = Infinity, checked = false }: TextOptions = {}): string {
  const { findings, attributions } = insights;
  const shown = [...new Set(attributions.map(({ endpointUrl }) => endpointUrl))].slice(0, MAX_ENDPOINTS);
  const below = [
    ...insights.capacities.slice(0, MAX_ENDPOINTS).map(({ text }) => `Capacity: ${text}`),
    ...attributions.filter(({ endpointUrl }) => shown.includes(endpointUrl)).map(attributionText),
  ];
  if (findings.length === 0)
    return [checked ? nothingText(findingsText(insights)) : nothingLine(insights), ...below].join("\n");
  const lines = findings
    .slice(0, limit)
    .flatMap((finding, i) => [`${i + 1}. ${finding.title}`, `   ${finding.text}`, `   Try: ${finding.advice}`]);
  const rest = findings.slice(limit);
  if (rest.length > 0) lines.push(`Also: ${rest.map(({ title }) => inSentence(title)).join("; ")}.`);
  if (checked) lines.push(checkedText(titlesOf(insights.checked), titlesOf(insights.unjudged)));
  return [...lines, ...below].join("\n");
}

function titlesOf(list: Insights["checked"]): readonly string[] {
  return list.map(({ title }) => title);
}

/** Endpoints whose capacity and latencies are reported. */
const MAX_ENDPOINTS = 3;

/** "Time to first token of localhost:8000, 1.2 s on average: queue 60 %, prefill 35 %, rest 5 %". */
function attributionText({ endpointUrl, family, seconds, parts }: Attribution): string {
  const whose = `${titleWithName(family)} of ${displayName(endpointUrl)}`;
  return `${whose}, ${figure(seconds, "seconds")} on average: ${partsText(parts)}.`;
}

/** A part smaller than this is not worth its digits. */
const LEAST_SHARE = 0.001;

function partsText(parts: Attribution["parts"]): string {
  return parts
    .map(
      ({ part, share }) =>
        `${part} ${share > 0 && share < LEAST_SHARE ? `below ${percent(LEAST_SHARE)}` : percent(share)}`,
    )
    .join(", ");
}

/** Findings as texts: of a run's samples, or as an engine tells them. */
export interface FindingsText {
  readonly findings: readonly (Pick<Finding, "title" | "text" | "advice" | "weight" | "confidence"> & {
    readonly evidence: readonly EvidenceText[];
  })[];
  /** Titles of what was looked for, and of what could not be judged. */
  readonly checked: readonly string[];
  readonly unjudged: readonly string[];
  /** A sentence each. */
  readonly capacities: readonly string[];
  readonly latencies: readonly string[];
}

interface EvidenceText extends Pick<Evidence, "family" | "statistic" | "value" | "unit" | "threshold"> {
  /** What tells its series from others: "gpu=1". */
  readonly series?: string;
}

/** Findings without their ranges. */
export function findingsText({ findings, checked, unjudged, attributions, capacities }: Insights): FindingsText {
  return {
    findings: findings.map(({ evidence, ...finding }) => ({
      ...finding,
      evidence: evidence.map(({ labels, ...one }) => ({ ...one, series: formatLabels(labels).slice(1, -1) })),
    })),
    checked: titlesOf(checked),
    unjudged: titlesOf(unjudged),
    capacities: capacities.map(({ text }) => text),
    latencies: attributions.map(attributionText),
  };
}

/** For a pull request or a note. */
export function findingsDocument({
  findings,
  checked,
  unjudged,
  capacities,
  latencies,
}: FindingsText): readonly RichBlock[] {
  return [
    heading("Findings"),
    ...(findings.length === 0 ? [paragraph(nothingText({ checked, unjudged }))] : []),
    ...findings.flatMap(({ title, text, evidence, advice, weight, confidence }): readonly RichBlock[] => [
      heading(title, 3),
      paragraph(text),
      ...(evidence.length === 0 ? [] : [bullets(evidence.map(evidenceText))]),
      paragraph<RichText>([{ strong: "Try:" }, ` ${advice}`]),
      paragraph(`Weight ${percent(weight)}, confidence ${confidence}.`),
    ]),
    ...(capacities.length === 0 ? [] : [heading("Capacity"), bullets(capacities)]),
    ...(latencies.length === 0 ? [] : [heading("Latency breakdown"), bullets(latencies)]),
  ];
}

function evidenceText({ family, series = "", statistic, value, unit, threshold }: EvidenceText): string {
  const limit = threshold === undefined ? "" : ` (threshold ${figure(threshold, unit)})`;
  const name = series === "" ? family : `${family}{${series}}`;
  return `${titledName(family).title} (${name}): ${statistic} ${figure(value, unit)}${limit}`;
}

/** For a terminal. It says what moves together, never what causes what. */
export function movesWithText({ family, movers, note, tested, slices }: MovesWith): string {
  if (note !== undefined) return note;
  if (movers.length === 0)
    return `None of ${tested} families moves with ${titleWithName(family)} over ${slices} timeslices.`;
  const lines = movers.map(({ family: name, correlation, lagSeconds, q }) => {
    const lag =
      lagSeconds === 0
        ? "at the same time"
        : `${figure(Math.abs(lagSeconds), "seconds")} ${lagSeconds > 0 ? "later" : "earlier"}`;
    const odds = q < 0.001 ? "< 0.001" : q.toFixed(3);
    return `  ${titleWithName(name)}: r ${correlation.toFixed(2)}, ${lag}, q ${odds}`;
  });
  return [`Moves with ${titleWithName(family)}, by differences between ${slices} timeslices:`, ...lines].join("\n");
}

/** Plain data for JSON. */
export function movesWithJson({ family, title, slices, tested, movers, note }: MovesWith) {
  return {
    family,
    title,
    slices,
    tested,
    moves_with: movers.map((one) => ({
      family: one.family,
      title: one.title,
      correlation: one.correlation,
      lag_seconds: one.lagSeconds,
      p: one.p,
      q: one.q,
    })),
    ...(note === undefined ? {} : { note }),
  };
}
