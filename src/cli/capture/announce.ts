import type { EndpointReport } from "../../collect/index.js";
import { jsonWords } from "../../engine/index.js";
import { formatValue, scrapeTimeText } from "../../core/catalog/index.js";
import { reachableCount, type ScrapeCost } from "../../core/model/index.js";
import type { Reachability } from "../../protocol/index.js";
import { note, noteProblem } from "../print/terminal.js";

/** Of one endpoint, so many reasons are printed as they come; how often it failed is said at the end. */
const MAX_REASONS = 5;

/** Tells when an endpoint that has answered fails, each reason once, and when it answers again after that. */
export function noteFailures(): (endpoint: EndpointReport) => void {
  const printed = new Map<string, Set<string>>();
  const failing = new Set<string>();
  return ({ url, displayName: name, state, scrapes, problems: [problem] }) => {
    if (state === "up" && failing.delete(url)) note(`note: ${name} answers again`);
    if (state !== "failing" || scrapes === 0 || problem === undefined) return;
    const reasons = printed.get(url) ?? new Set();
    printed.set(url, reasons);
    if (reasons.has(problem.reason) || reasons.size >= MAX_REASONS) return;
    reasons.add(problem.reason);
    failing.add(url);
    noteProblem({ ...problem, severity: "warning" }, name);
  };
}

/** Why nothing came of endpoints that answered the test. Of others the test has said it, or what leaves them out. */
export function noteWithoutMetrics(endpoints: readonly EndpointReport[], tested: readonly Reachability[]): void {
  const silent = new Set(tested.filter(({ problem }) => problem !== undefined).map(({ displayName }) => displayName));
  for (const { displayName, state, problems } of endpoints) {
    const [problem] = problems;
    if (state === "failing" && problem !== undefined && !silent.has(displayName))
      noteProblem({ ...problem, severity: "warning" }, displayName);
  }
}

/** How many answered the test, and why the others did not. */
export function announce(reachability: readonly Reachability[]): void {
  note(reachableCount(reachability));
  for (const one of reachability) {
    const { displayName, problem, answersInstead } = one;
    const json = jsonWords(one);
    // What answers without metrics is explained by the warning that leaves it out.
    if (answersInstead !== undefined) note(`  ${displayName}: ${answersInstead}`);
    else if (problem !== undefined) note(`  ${displayName}: ${problem.reason} ${problem.remedy ?? ""}`.trimEnd());
    if (json !== undefined) note(`  ${displayName}: ${json}`);
  }
}

/** What the scrapes of an endpoint have cost. */
export function costText({ meanMs, bytes, share }: ScrapeCost): string {
  const [time, size] = [scrapeTimeText(meanMs), formatValue(bytes, "bytes")];
  return `a scrape takes ${time} and ${size}, ${formatValue(share, "ratio")} of the interval`;
}
