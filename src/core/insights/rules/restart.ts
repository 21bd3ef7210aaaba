import { statisticOf } from "../../model/index.js";
import { counted } from "../words.js";
import { hitsAt, type Rule } from "../rule.js";

/** Counters restarted from zero: the process restarted in the middle of the run. */
export const restart: Rule = {
  id: "restart",
  title: "A server restarted during the run",
  advice:
    "Look at the server's log around that time. Caches were cold afterwards: use a window before or after the restart to judge the server.",
  tells: (run) => run.find((_, { type }) => type === "counter" || type === "histogram").length > 0,
  check: (run) =>
    hitsAt(run.endpoints(), (endpointUrl) => {
      const families = run
        .find((_, { type }) => type === "counter" || type === "histogram", endpointUrl)
        .map((family) => {
          const { series } = family;
          const resets = Math.max(0, ...series.map((each) => statisticOf(each, "resets")));
          return { family, resets, labels: series.length === 1 ? (series[0]?.labels ?? []) : [] };
        });
      const fell = families.filter(({ resets }) => resets > 0);
      const [first] = [...fell].sort((a, b) => b.resets - a.resets);
      // One family that falls is a bug of that family.
      if (first === undefined || fell.length < Math.min(2, families.length)) return [];
      return {
        weight: 0.92,
        confidence: fell.length > families.length / 3 ? "high" : "medium",
        text:
          `${counted(fell.length, "metric")} of ${families.length} restarted from zero` +
          `${first.resets > 1 ? `, ${first.resets} times` : ""}.`,
        evidence: [
          run.evidence(
            { family: first.family.name, unit: undefined, endpointUrl, labels: first.labels },
            "resets",
            first.resets,
            { threshold: 0 },
          ),
        ],
      };
    }),
};
