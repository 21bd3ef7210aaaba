import { mean } from "../../math/index.js";
import { inSentence, serverById, titleWithName } from "../../catalog/index.js";
import {
  deviation,
  adjustedForMany,
  ramp,
  valuesOf,
  type CounterSignal,
  type GaugeSignal,
  type SignalPoint,
} from "../signals.js";
import { nameOf, type Observed, type Peers } from "../observed.js";
import type { Rule } from "../rule.js";
import type { RuleHit } from "../types.js";
import { figure, percent, times } from "../words.js";
import { loadOf } from "./load.js";

const ADVICE =
  "Look at the router: session affinity, prefix-aware routing with few prefixes, or a replica that was added late send more to some. Compare the replicas' latencies before judging the fleet by its average.";
const ADVICE_SLOWER =
  "Look at that server: GPU clocks and temperature, other processes, the size of its KV cache, its network and its version. Until it is as fast as the others, a router that counts requests in flight sends it fewer.";
const ADVICE_IDLE =
  "Look at the router: its list of servers, its health checks, session affinity and prefix-aware routing. A server that gets nothing is paid for all the same.";

/** A replica with less than this share of the average is hardly used. */
const HARDLY_USED = 0.5;

/** One endpoint of several that do the same work does or holds much more than the others, or hardly anything. */
export const imbalance: Rule = {
  title: "Replicas are loaded unequally",
  advice: ADVICE,
  check(run, { imbalanceRatio: threshold }) {
    const several = run.peers().filter(({ urls }) => urls.length > 1);
    if (several.length === 0) return undefined;
    return several.flatMap((peers) => {
      const done = compared(finished(run, peers.urls), peers.urls);
      const load = compared(running(run, peers.urls), peers.urls);
      const measures = [done, load].flatMap((one) => one ?? []);
      const idle = measures.find(({ idlest, average, isLess }) => isLess && idlest.value <= HARDLY_USED * average);
      const busy = measures.find(({ ratio, isMore }) => isMore && ratio >= threshold);
      return [
        ...(idle === undefined ? [] : [idleHit(run, peers, idle)]),
        ...(busy === undefined
          ? []
          : [
              busy === load && done !== undefined
                ? slowerHit(run, peers, load, threshold)
                : busyHit(run, peers, busy, threshold),
            ]),
      ]
        .sort((a, b) => b.weight - a.weight)
        .slice(0, 1);
    });
  },
};

function busyHit(run: Observed, peers: Peers, found: Compared, threshold: number): RuleHit {
  const { urls } = peers;
  const { busiest, idlest, average, ratio, did } = found;
  return {
    weight: weightOf(ratio, threshold),
    confidence: did === "finished" ? "high" : "medium",
    text:
      `${nameOf(busiest.signal.endpointUrl)} ${did} ${times(ratio)} as many requests as the average of ${urls.length} ` +
      `${kindOf(peers)} endpoints, ${nameOf(idlest.signal.endpointUrl)} ${times(idlest.value / average)}.`,
    evidence: [busyEvidence(run, found, threshold), run.evidence(idlest.signal, idlest.statistic, idlest.value)],
    endpointUrls: [busiest.signal.endpointUrl, idlest.signal.endpointUrl],
  };
}

/** It holds more requests than the others and does not finish more: each takes longer there. */
function slowerHit(run: Observed, peers: Peers, found: Compared, threshold: number): RuleHit {
  const { urls } = peers;
  const { busiest, ratio } = found;
  const url = busiest.signal.endpointUrl;
  const gap = run.histogram(url, "inter-token-latency") ?? run.histogram(url, "e2e-latency");
  const others = urls.flatMap((other) =>
    other === url ? [] : (run.histogram(other, gap?.use?.concept.id ?? [])?.avg ?? []),
  );
  const timed =
    gap === undefined || others.length === 0
      ? ""
      : ` (${inSentence(titleWithName(gap.family))} ${figure(gap.avg, gap.unit)}, elsewhere ${figure(mean(others), gap.unit)} on average)`;
  return {
    weight: weightOf(ratio, threshold),
    confidence: timed === "" || (gap?.avg ?? 0) < threshold * mean(others) ? "medium" : "high",
    text:
      `${nameOf(url)} ran ${times(ratio)} as many requests as the average of ${urls.length} ${kindOf(peers)} ` +
      `endpoints without finishing more: it was slower than they were${timed}.`,
    evidence: [busyEvidence(run, found, threshold), ...(gap === undefined ? [] : [run.evidence(gap, "avg", gap.avg)])],
    endpointUrls: [url],
    advice: ADVICE_SLOWER,
  };
}

function idleHit(run: Observed, peers: Peers, { idlest, average, did }: Compared): RuleHit {
  const { urls } = peers;
  const lost = 1 - idlest.value / average;
  const url = idlest.signal.endpointUrl;
  const what =
    idlest.value === 0
      ? `no request; the average of ${urls.length} ${kindOf(peers)} endpoints was ${figure(average)}`
      : `${figure(idlest.value)} requests, ${percent(idlest.value / average)} of the average of ${urls.length} ` +
        `${kindOf(peers)} endpoints`;
  return {
    weight: ramp(lost, HARDLY_USED, 1, 0.55, 0.8),
    confidence: did === "finished" ? "high" : "medium",
    text: `${nameOf(url)} ${did} ${what}.`,
    evidence: [
      run.evidence(idlest.signal, `${idlest.statistic} below the average by`, lost, {
        threshold: HARDLY_USED,
        unit: "ratio",
      }),
    ],
    endpointUrls: [url],
    advice: ADVICE_IDLE,
  };
}

/** "vLLM", and of a disaggregated deployment "vLLM decode". */
function kindOf({ server, role }: Peers): string {
  return `${serverById(server).name}${role === "prefill" || role === "decode" ? ` ${role}` : ""}`;
}

function weightOf(ratio: number, threshold: number): number {
  return ramp(ratio, threshold, 2, 0.55, 0.9);
}

function busyEvidence(run: Observed, { busiest, average }: Compared, threshold: number) {
  return run.evidence(busiest.signal, busiest.statistic, busiest.value, { threshold: average * threshold });
}

interface Measured {
  readonly signal: CounterSignal | GaugeSignal;
  readonly statistic: string;
  readonly value: number;
  /** Standard error of the value, of requests that come by chance. */
  readonly error: number;
  readonly did: "finished" | "ran";
}

/** What comes by chance differs by the root of its number. */
function finished(run: Observed, urls: readonly string[]): readonly Measured[] {
  return urls.flatMap((url): Measured[] => {
    const signal = run.counter(url, "finished");
    if (signal === undefined) return [];
    const value = signal.total;
    return [{ signal, statistic: "total", value, error: Math.sqrt(value), did: "finished" }];
  });
}

function running(run: Observed, urls: readonly string[]): readonly Measured[] {
  return urls.flatMap((url): Measured[] => {
    const signal = loadOf(run, url).running;
    if (signal === undefined) return [];
    return [{ signal, statistic: "avg", value: signal.avg, error: errorOfMean(signal.means), did: "ran" }];
  });
}

/** Batches, whose means are nearly independent of each other. */
const BATCHES = 10;

function errorOfMean(points: readonly SignalPoint[]): number {
  const values = valuesOf(points);
  const size = Math.max(1, Math.floor(values.length / BATCHES));
  const means: number[] = [];
  for (let i = 0; i + size <= values.length; i += size) means.push(mean(values.slice(i, i + size)));
  return means.length < 2 ? Infinity : deviation(means) / Math.sqrt(means.length);
}

/** Between two endpoints more than three standard errors are not chance. Fewer requests at once do not matter. */
const STANDARD_ERRORS = 3;
const MIN_AVERAGE = 1;

interface Compared {
  readonly busiest: Measured;
  readonly idlest: Measured;
  readonly average: number;
  /** Of the busiest by the average. */
  readonly ratio: number;
  readonly did: Measured["did"];
  /** The busiest has more, the idlest less than chance explains. */
  readonly isMore: boolean;
  readonly isLess: boolean;
}

/** The busiest and the idlest by the average; undefined where an endpoint lacks the measure, or nothing happened. */
function compared(measured: readonly Measured[], urls: readonly string[]): Compared | undefined {
  const [first] = measured;
  const average = mean(measured.map(({ value }) => value));
  if (first === undefined || measured.length < urls.length || !(average > 0)) return undefined;
  const busiest = measured.reduce((most, each) => (each.value > most.value ? each : most), first);
  const idlest = measured.reduce((least, each) => (each.value < least.value ? each : least), first);
  const error = mean(measured.map((each) => each.error));
  const counts = first.did === "finished" || average >= MIN_AVERAGE;
  const chance = adjustedForMany(STANDARD_ERRORS, measured.length / 2) * error;
  return {
    busiest,
    idlest,
    average,
    did: first.did,
    ratio: busiest.value / average,
    isMore: counts && busiest.value - average > chance,
    isLess: counts && average - idlest.value > chance,
  };
}
