import { mean } from "../../model/index.js";
import type { CounterSignal, GaugeSignal, HistogramSignal, Observed, Point } from "../observed.js";
import { part, share, valuesOf } from "../numbers.js";

/** What tells how loaded one serving endpoint is. */
export interface Load {
  readonly endpointUrl: string;
  readonly running: GaugeSignal | undefined;
  readonly waiting: GaugeSignal | undefined;
  readonly kvUsage: GaugeSignal | undefined;
  readonly queueTime: HistogramSignal | undefined;
  readonly ttft: HistogramSignal | undefined;
  readonly latency: HistogramSignal | undefined;
  readonly finished: CounterSignal | undefined;
  /** Share of slices in which requests waited; NaN when nothing tells. */
  readonly waitingShare: number;
  /** Slices in which requests waited. */
  readonly waitingPoints: readonly Point[];
}

/** Every endpoint that reports running requests or latencies. */
export function loads(run: Observed): readonly Load[] {
  return run.servingEndpoints().map((endpointUrl) => loadOf(run, endpointUrl));
}

function loadOf(run: Observed, endpointUrl: string): Load {
  const waiting = run.gauge(endpointUrl, "waiting");
  const queueTime = run.histogram(endpointUrl, "queue-time");
  const latency = run.histogram(endpointUrl, "e2e-latency");
  // Without a gauge of the queue its length follows from the time spent in it: a wait that matters is a tenth of what
  // a request takes.
  const noticeable = latency === undefined ? 0.1 : latency.avg / 10;
  const source = waiting?.means ?? queueTime?.means ?? [];
  const waits = waiting === undefined ? (value: number) => value > noticeable : (value: number) => value >= 0.5;
  return {
    endpointUrl,
    running: run.gauge(endpointUrl, "running"),
    waiting,
    kvUsage: run.gauge(endpointUrl, "kv-usage"),
    queueTime,
    ttft: run.histogram(endpointUrl, "ttft"),
    latency,
    finished: run.counter(endpointUrl, "finished"),
    waitingShare: source.length === 0 ? NaN : share(source, waits),
    waitingPoints: source.filter(({ value }) => waits(value)),
  };
}

/** Mean of the last third by the mean of the first; 1 where either has nothing. */
export function growth(points: readonly Point[]): number {
  const [first, last] = [mean(valuesOf(part(points, 0, 1 / 3))), mean(valuesOf(part(points, 2 / 3, 1)))];
  return first > 0 && Number.isFinite(last) ? last / first : last > 0 ? Infinity : 1;
}
