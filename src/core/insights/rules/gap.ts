import { counted, figure, percent } from "../words.js";
import { nameOf } from "../observed.js";
import { ramp } from "../numbers.js";
import type { Rule } from "../rule.js";

const FEWEST = 3;

/** Scrapes are missing: the endpoint did not answer for a while, or only sometimes. */
export const gap: Rule = {
  id: "gap",
  title: "Scrapes are missing",
  advice:
    "Look at the endpoint's errors in its tooltip or the log of the capture. A server that is too busy to answer its metrics is a finding by itself.",
  check: (run, { gapShare: threshold }) =>
    run.endpoints().flatMap((endpointUrl) => {
      const info = run.info(endpointUrl);
      const interval = info?.median_update_interval_ms;
      if (info === undefined || interval === undefined || !(interval > 0)) return [];
      const milliseconds = Number(info.last_fetch_ns - info.first_fetch_ns) / 1e6;
      const expected = Math.round(milliseconds / interval) + 1;
      const missing = expected - info.total_fetches;
      const share = missing / expected;
      if (missing < FEWEST || share < threshold) return [];
      return [
        {
          weight: ramp(share, threshold, 0.3, 0.5, 0.85),
          confidence: "high" as const,
          text:
            `${nameOf(endpointUrl)}: ${counted(missing, "scrape")} of ${figure(expected)} (${percent(share)}) ` +
            `${missing === 1 ? "is" : "are"} missing, about ${figure((missing * interval) / 1000, "seconds")} in all.`,
          evidence: [
            run.scrapeEvidence(
              endpointUrl,
              { statistic: "share of scrapes that are missing", value: share, unit: "ratio", threshold },
              { startNs: info.first_fetch_ns, endNs: info.last_fetch_ns },
            ),
          ],
          endpointUrls: [endpointUrl],
        },
      ];
    }),
};
