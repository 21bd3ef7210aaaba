import { canonicalName } from "../../catalog/index.js";
import { figure, percent } from "../words.js";
import { ramp } from "../numbers.js";
import { isTransferSize, transferSize } from "../pools.js";
import { endpointRule } from "../rule.js";
import { loads } from "./load.js";

/** Times that KV blocks take from one server to another. */
const TRANSFER = /(kv_?transfer|nixl_xfer|xfer|transfer)(_\w+)?_(latency|time|duration)/;

/** Moving KV blocks between servers is a good part of what a request waits for. */
export const transferBound = endpointRule({
  title: "KV transfer is the limit",
  advice:
    "Check that transfers use RDMA or NVLink and not TCP, place prefill and decode workers closer together, and look at the number of concurrent transfers.",
  uses: (family) => TRANSFER.test(family) || isTransferSize(family),
  look: (run, endpointUrl) => run.find((name, { type }) => type === "histogram" && TRANSFER.test(name), endpointUrl),
  judge: (family, { run, endpointUrl, limits: { transferShare: threshold } }) => {
    const transfer = run.histogram(endpointUrl, [canonicalName(family.name)]);
    const references = loads(run).flatMap(({ ttft, latency }) => ttft ?? latency ?? []);
    // Of its own endpoint; in a disaggregated fleet the frontend knows the time to first token.
    const reference = references.find((each) => each.endpointUrl === endpointUrl) ?? references[0];
    if (transfer === undefined || reference === undefined || transfer.count < 10) return undefined;
    const isMilliseconds = /_ms$|milliseconds/.test(family.name) || family.unit === "milliseconds";
    const seconds = transfer.avg * (isMilliseconds ? 1e-3 : 1);
    const share = seconds / reference.avg;
    const size = transferSize(run, endpointUrl);
    if (share < threshold) return undefined;
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
  },
});
