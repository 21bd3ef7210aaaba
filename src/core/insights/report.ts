import { displayName, formatLabels, markdownText } from "../model/index.js";
import type { Insights } from "./insights.js";
import type { Evidence } from "./types.js";
import { figure, percent } from "./words.js";

/** Plain data for JSON: nanoseconds as decimal text, labels as an object. */
export function insightsJson({ findings, checked, attributions }: Insights) {
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
        ...(threshold === undefined ? {} : { threshold }),
      })),
      advice,
    })),
    checked,
    attributions: attributions.map(({ latency, family, endpointUrl, seconds, parts }) => ({
      latency,
      family,
      endpoint_url: endpointUrl,
      seconds,
      parts,
    })),
  };
}

function nothingText({ checked }: Insights): string {
  return `Nothing stands out. Looked for: ${checked.map(({ title }) => title.toLowerCase()).join("; ")}.`;
}

/** For a terminal. @param limit findings told in full; the rest are named */
export function insightsText(insights: Insights, limit = Infinity): string {
  const { findings } = insights;
  if (findings.length === 0) return nothingText(insights);
  const lines = findings
    .slice(0, limit)
    .flatMap((finding, i) => [`${i + 1}. ${finding.title}`, `   ${finding.text}`, `   Try: ${finding.advice}`]);
  const rest = findings.slice(limit);
  if (rest.length > 0) lines.push(`Also: ${rest.map(({ title }) => title.toLowerCase()).join("; ")}.`);
  return lines.join("\n");
}

/** For a pull request or a note. Foreign text is escaped. */
export function insightsMarkdown(insights: Insights): string {
  const { findings, attributions } = insights;
  const lines = ["## Findings", ""];
  if (findings.length === 0) lines.push(nothingText(insights));
  for (const finding of findings) {
    lines.push(`### ${finding.title}`, "", markdownText(finding.text), "");
    lines.push(...finding.evidence.map((evidence) => `- ${evidenceText(evidence)}`));
    lines.push(
      "",
      `**Try:** ${finding.advice}`,
      "",
      `Weight ${percent(finding.weight)}, confidence ${finding.confidence}.`,
      "",
    );
  }
  if (attributions.length > 0) {
    lines.push(
      "## What the latency is made of",
      "",
      "| Endpoint | Latency | Mean | Parts |",
      "| --- | --- | --- | --- |",
    );
    for (const { endpointUrl, family, seconds, parts } of attributions) {
      const shares = parts.map(({ part, share }) => `${part} ${percent(share)}`).join(", ");
      lines.push(
        `| ${markdownText(displayName(endpointUrl))} | ${markdownText(family)} | ${figure(seconds, "seconds")} | ${shares} |`,
      );
    }
  }
  return lines.join("\n");
}

function evidenceText({ family, labels, statistic, value, unit, threshold }: Evidence): string {
  const limit = threshold === undefined ? "" : ` (threshold ${figure(threshold, unit)})`;
  return `${markdownText(family + formatLabels(labels))}: ${statistic} ${figure(value, unit)}${limit}`;
}
