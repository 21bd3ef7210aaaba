import { canonicalName } from "../../catalog/index.js";
import { figure, percent } from "../words.js";
import { ramp } from "../numbers.js";
import { transferSize } from "../pools.js";
import { hitsAt, type Rule } from "../rule.js";
import { loads } from "./load.js";

/** Times that KV blocks take from one server to another. */
const TRANSFER = /(kv_?transfer|nixl_xfer|xfer|transfer)(_\w+)?_(latency|time|duration)/;

/** Whether a family is of such times, by its canonical name. */
export function isTransfer(family: string): boolean {
  return TRANSFER.test(family);
}

/** Moving KV blocks between servers is a good part of what a request waits for. */
export const transferBound: Rule = {
  id: "transfer-bound",
  title: "KV transfer is the limit",
  advice:
    "Check that transfers use RDMA or NVLink and not TCP, place prefill and decode workers closer together, and look at the number of concurrent transfers.",
  tells: (run) => run.find((name, { type }) => type === "histogram" && isTransfer(name)).length > 0,
  check: (run, { transferShare: threshold }) => {
    const references = loads(run).flatMap(({ ttft, latency }) => ttft ?? latency ?? []);
    return hitsAt(run.endpoints(), (endpointUrl) =>
      run
        .find((name, { type }) => type === "histogram" && isTransfer(name), endpointUrl)
        .flatMap((family) => {
          const transfer = run.histogram(endpointUrl, [canonicalName(family.name)]);
          // Of its own endpoint; in a disaggregated fleet the frontend knows the time to first token.
          const reference = references.find((each) => each.endpointUrl === endpointUrl) ?? references[0];
          if (transfer === undefined || reference === undefined || transfer.count < 10) return [];
          const seconds =
            transfer.avg * (/_ms$|milliseconds/.test(family.name) || family.unit === "milliseconds" ? 1e-3 : 1);
          const share = seconds / reference.avg;
          const size = transferSize(run, endpointUrl);
          if (share < threshold) return [];
          return {
            weight: ramp(share, threshold, 0.8, 0.6, 0.9),
            confidence: reference.endpointUrl === endpointUrl ? "high" : "medium",
            text:
              `a KV transfer${size === undefined ? "" : ` of ${figure(size, "bytes")}`} took ${figure(seconds, "seconds")} on average, ` +
              `${percent(Math.min(1, share))} of the ${figure(reference.avg, reference.unit)} to the first token.`,
            evidence: [
              run.evidence(reference, "share that is transfer", share, { threshold, unit: "ratio" }),
              run.evidence(transfer, "avg", transfer.avg),
            ],
          };
        }),
    );
  },
};
