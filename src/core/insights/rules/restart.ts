import { statisticOf } from "../../model/index.js";
import { counted } from "../words.js";
import { endpointRule } from "../rule.js";

/** Counters restarted from zero: the process restarted in the middle of the run. */
export const restart = endpointRule({
  title: "A server restarted during the run",
  advice:
    "Look at the server's log around that time. Caches were cold afterwards: use a window before or after the restart to judge the server.",
  look: (run, endpointUrl) => {
    const families = run.find((_, { type }) => type === "counter" || type === "histogram", endpointUrl);
    return families.length === 0 ? undefined : { families };
  },
  judge: ({ families }, { run, endpointUrl }) => {
    const fell = families
      .map(({ name, series }) => ({
        family: name,
        resets: Math.max(0, ...series.map((each) => statisticOf(each, "resets"))),
        labels: series.length === 1 ? (series[0]?.labels ?? []) : [],
      }))
      .filter(({ resets }) => resets > 0)
      .sort((a, b) => b.resets - a.resets);
    const [first] = fell;
    // One family that falls is a bug of that family.
    if (first === undefined || fell.length < Math.min(2, families.length)) return undefined;
    const { family, labels, resets } = first;
    const signal = { family, unit: undefined, endpointUrl, labels };
    return {
      weight: 0.92,
      confidence: fell.length > families.length / 3 ? "high" : "medium",
      text:
        `${counted(fell.length, "metric")} of ${families.length} restarted from zero` +
        `${resets > 1 ? `, ${resets} times` : ""}.`,
      evidence: [run.evidence(signal, "resets", resets, { threshold: 0 })],
    };
  },
});
