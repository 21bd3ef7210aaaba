import { Counter, Gauge, Histogram, Registry, Summary } from "prom-client";

export type LabelSet = Readonly<Record<string, string>>;
/** Sets a value, adds or observes one. @param labels those that vary */
export type Put = (value: number, labels?: LabelSet) => void;

/**
 * The families of one simulated server, in a prom-client registry of its own. Every sample carries the server's own
 * labels; those that vary are given by name and set at each sample. A series without varying labels is there from the
 * start, as a real exporter has it.
 */
export class MetricsPage {
  readonly registry = new Registry();
  private readonly refreshers: (() => void)[] = [];
  /** What counters got since the last exposition goes into them. */
  private readonly totals: (() => void)[] = [];

  constructor(private readonly labels: LabelSet) {}

  /** Called before each exposition, to bring gauges up to date. */
  beforeExposition(refresh: () => void): void {
    this.refreshers.push(refresh);
  }

  async exposition(): Promise<string> {
    for (const refresh of [...this.refreshers, ...this.totals]) refresh();
    return this.registry.metrics();
  }

  gauge(name: string, help: string, varying: readonly string[] = [], labels = this.labels): Put {
    const gauge = new Gauge(this.described(name, help, varying, labels));
    if (varying.length === 0) gauge.set(labels, 0);
    return (value, more) => gauge.set({ ...labels, ...more }, value);
  }

  counter(name: string, help: string, varying: readonly string[] = [], labels = this.labels): Put {
    const counter = new Counter(this.described(name, help, varying, labels));
    if (varying.length > 0) return (value, more) => counter.inc({ ...labels, ...more }, value);
    // prom-client puts the labels together for each call, and there is one for each token.
    let total = 0;
    this.totals.push(() => {
      counter.inc(labels, total);
      total = 0;
    });
    return (value) => {
      total += value;
    };
  }

  histogram(
    name: string,
    help: string,
    buckets: readonly number[],
    varying: readonly string[] = [],
    labels = this.labels,
  ): Put {
    const histogram = new Histogram({ ...this.described(name, help, varying, labels), buckets: [...buckets] });
    if (varying.length === 0) histogram.zero(labels);
    return (value, more) => histogram.observe(more === undefined ? labels : { ...labels, ...more }, value);
  }

  /** Without quantiles, as Python's client library writes them. */
  summary(name: string, help: string, varying: readonly string[], labels = this.labels): Put {
    const summary = new Summary({ ...this.described(name, help, varying, labels), percentiles: [] });
    return (value, more) => summary.observe({ ...labels, ...more }, value);
  }

  private described(name: string, help: string, varying: readonly string[], labels: LabelSet) {
    return { name, help, labelNames: [...Object.keys(labels), ...varying], registers: [this.registry] };
  }
}
