import { NS_PER_SECOND } from "../../model/index.js";
import { percent } from "../words.js";
import { nameOf, type Observed } from "../observed.js";
import { ramp } from "../numbers.js";
import type { Rule } from "../rule.js";

/** Time that a GPU was slowed down, and by what. DCGM counts nanoseconds, older exporters microseconds. */
const VIOLATIONS = [
  ["DCGM_FI_DEV_POWER_VIOLATION", "its power limit"],
  ["DCGM_FI_DEV_THERMAL_VIOLATION", "its temperature"],
  ["DCGM_FI_DEV_RELIABILITY_VIOLATION", "its reliability limit"],
  ["DCGM_FI_DEV_BOARD_LIMIT_VIOLATION", "its board limit"],
  ["power_violation", "its power limit"],
  ["thermal_violation", "its temperature"],
] as const;

/** The GPU lowers its clocks. */
export const throttled: Rule = {
  id: "throttled",
  title: "The GPU is throttled",
  advice: "Look at power limit, cooling and clocks of that GPU. Runs are comparable only with the same clocks.",
  check: (run, { throttledShare: threshold }) =>
    run.endpoints().flatMap((endpointUrl) =>
      VIOLATIONS.flatMap(([name, by]) => {
        const perSecond = rise(run, endpointUrl, name);
        if (perSecond === undefined) return [];
        const { signal, rate } = perSecond;
        // More than a second a second is only possible in nanoseconds.
        const share = Math.min(1, rate > 2e6 ? rate / 1e9 : rate / 1e6);
        if (share < threshold) return [];
        return [
          {
            weight: ramp(share, threshold, 0.5, 0.6, 0.85),
            confidence: "high" as const,
            text: `${nameOf(endpointUrl)}: the GPU is held back by ${by} for ${percent(share)} of the time.`,
            evidence: [
              run.evidence(signal, { statistic: "share of the time", value: share, threshold, unit: "ratio" }),
            ],
            endpointUrls: [endpointUrl],
          },
        ];
      }),
    ),
};

/** Rise per second of a counter, or of a gauge that only rises, as some exporters declare it. */
function rise(run: Observed, endpointUrl: string, name: string) {
  const counter = run.counter(endpointUrl, [name]);
  if (counter !== undefined) return { signal: counter, rate: counter.rate };
  const gauge = run.gauge(endpointUrl, [name]);
  const [first, last] = [gauge?.means[0], gauge?.means.at(-1)];
  if (gauge === undefined || first === undefined || last === undefined || last === first) return undefined;
  const seconds = Number(last.startNs - first.startNs) / NS_PER_SECOND;
  return { signal: gauge, rate: Math.max(0, last.value - first.value) / seconds };
}
