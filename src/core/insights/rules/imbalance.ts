import { mean } from "../../model/index.js";
import { serverById } from "../../catalog/index.js";
import { deviation, ofMany, ramp, valuesOf } from "../numbers.js";
import { nameOf, type Observed } from "../observed.js";
import type { Rule } from "../rule.js";
import type { CounterSignal, GaugeSignal, Point } from "../signals.js";
import { times } from "../words.js";
import { loadOf } from "./load.js";

/** One endpoint of several that do the same work does or holds much more than the others. */
export const imbalance: Rule = {
  id: "imbalance",
  title: "Replicas are loaded unequally",
  advice:
    "Look at the router: session affinity, prefix-aware routing with few prefixes, or a replica that was added late send more to some. One that is slower than the others holds more requests. Compare the replicas' latencies before judging the fleet by its average.",
  check: (run, { imbalanceRatio: threshold }) =>
    run.peers().flatMap(({ server, urls }) => {
      if (urls.length < 2) return [];
      const unequal = [finished(run, urls), running(run, urls)].flatMap((measured) => compared(measured, urls) ?? []);
      const found = unequal.find(({ ratio, byChance }) => ratio >= threshold && !byChance);
      if (found === undefined) return [];
      const { busiest, idlest, average, ratio, did } = found;
      return [
        {
          weight: ramp(ratio, threshold, 2, 0.55, 0.9),
          confidence: did === "finishes" ? ("high" as const) : ("medium" as const),
          text:
            `${nameOf(busiest.signal.endpointUrl)} ${did} ${times(ratio)} as many requests as the average of ${urls.length} ` +
            `${serverById(server).name} endpoints, ${nameOf(idlest.signal.endpointUrl)} ${times(idlest.value / average)}.`,
          evidence: [
            run.evidence(busiest.signal, {
              statistic: busiest.statistic,
              value: busiest.value,
              threshold: average * threshold,
            }),
            run.evidence(idlest.signal, { statistic: idlest.statistic, value: idlest.value }),
          ],
          endpointUrls: [busiest.signal.endpointUrl, idlest.signal.endpointUrl],
        },
      ];
    }),
};

interface Measured {
  readonly signal: CounterSignal | GaugeSignal;
  readonly statistic: string;
  readonly value: number;
  /** Standard error of the value, of requests that come by chance. */
  readonly error: number;
  readonly did: "finishes" | "runs";
}

/** What comes by chance differs by the root of its number. */
function finished(run: Observed, urls: readonly string[]): readonly Measured[] {
  return urls.flatMap((url): Measured[] => {
    const signal = run.counter(url, "finished");
    if (signal === undefined) return [];
    const value = signal.total;
    return [{ signal, statistic: "total", value, error: Math.sqrt(value), did: "finishes" }];
  });
}

function running(run: Observed, urls: readonly string[]): readonly Measured[] {
  return urls.flatMap((url): Measured[] => {
    const signal = loadOf(run, url).running;
    if (signal === undefined) return [];
    return [{ signal, statistic: "avg", value: signal.avg, error: errorOfMean(signal.means), did: "runs" }];
  });
}

/** Batches, whose means are nearly independent of each other. */
const BATCHES = 10;

function errorOfMean(points: readonly Point[]): number {
  const values = valuesOf(points);
  const size = Math.max(1, Math.floor(values.length / BATCHES));
  const means: number[] = [];
  for (let i = 0; i + size <= values.length; i += size) means.push(mean(values.slice(i, i + size)));
  return means.length < 2 ? Infinity : deviation(means) / Math.sqrt(means.length);
}

/** Between two endpoints more than three standard errors are not chance. Fewer requests at once do not matter. */
const STANDARD_ERRORS = 3;
const FEWEST = 1;

/** The busiest by the average; undefined where an endpoint lacks the measure, or nothing happened. */
function compared(measured: readonly Measured[], urls: readonly string[]) {
  const [first] = measured;
  const average = mean(measured.map(({ value }) => value));
  if (first === undefined || measured.length < urls.length || !(average > 0)) return undefined;
  const busiest = measured.reduce((most, each) => (each.value > most.value ? each : most), first);
  const idlest = measured.reduce((least, each) => (each.value < least.value ? each : least), first);
  const error = mean(measured.map((each) => each.error));
  const few = first.did === "runs" && average < FEWEST;
  return {
    busiest,
    idlest,
    average,
    did: first.did,
    ratio: busiest.value / average,
    byChance: few || busiest.value - average <= ofMany(STANDARD_ERRORS, measured.length / 2) * error,
  };
}
