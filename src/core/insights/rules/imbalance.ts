import { mean } from "../../model/index.js";
import { serverById } from "../../catalog/index.js";
import { times } from "../words.js";
import { nameOf, type CounterSignal, type GaugeSignal, type Observed } from "../observed.js";
import { ramp } from "../numbers.js";
import type { Rule } from "../rule.js";

/** One endpoint of several of a kind does much more than the others. */
export const imbalance: Rule = {
  id: "imbalance",
  title: "Replicas are loaded unequally",
  advice:
    "Look at the router: session affinity, prefix-aware routing with few prefixes, or a replica that was added late send more to some. Compare the replicas' latencies before judging the fleet by its average.",
  check: (run, { imbalanceRatio: threshold }) =>
    [...run.serving()].flatMap(([server, urls]) => {
      if (urls.length < 2) return [];
      const measured = measure(run, urls);
      if (measured.length < urls.length || measured.length < 2) return [];
      const values = measured.map(({ value }) => value);
      const average = mean(values);
      const busiest = measured.reduce((most, each) => (each.value > most.value ? each : most));
      const idlest = measured.reduce((least, each) => (each.value < least.value ? each : least));
      const ratio = busiest.value / average;
      if (!(ratio >= threshold) || !beyondChance(measured)) return [];
      return [
        {
          weight: ramp(ratio, threshold, 2, 0.55, 0.9),
          confidence: measured.every(({ count }) => count >= 30) ? ("high" as const) : ("medium" as const),
          text:
            `${nameOf(busiest.signal.endpointUrl)} carries ${times(ratio)} the average of ${urls.length} ` +
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
  /** Events behind it; 0 for a gauge. */
  readonly count: number;
}

/** Requests finished, else running, else observed latencies: the first that every endpoint has. */
function measure(run: Observed, urls: readonly string[]): readonly Measured[] {
  const finished = urls.flatMap((url) => {
    const signal = run.counter(url, "finished");
    return signal === undefined ? [] : [{ signal, statistic: "total", value: signal.total, count: signal.total }];
  });
  if (finished.length === urls.length && finished.some(({ value }) => value > 0)) return finished;
  return urls.flatMap((url) => {
    const signal = run.gauge(url, "running");
    return signal === undefined ? [] : [{ signal, statistic: "avg", value: signal.avg, count: 0 }];
  });
}

/** Requests that arrive by chance differ by the square root of their number: three times that is not chance. */
function beyondChance(measured: readonly Measured[]): boolean {
  const average = mean(measured.map(({ count }) => count));
  if (average === 0) return mean(measured.map(({ value }) => value)) >= 1;
  const most = Math.max(...measured.map(({ count }) => count));
  return most - average > 3 * Math.sqrt(average);
}
