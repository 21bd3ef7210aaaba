import { Counter, Gauge, Histogram, Registry, Summary } from "prom-client";

export type LabelSet = Readonly<Record<string, string>>;

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

  gauge(
    name: string,
    help: string,
    varying: readonly string[] = [],
    labels = this.labels,
  ): (value: number, more?: LabelSet) => void {
    const gauge = new Gauge({
      name,
      help,
      labelNames: [...Object.keys(labels), ...varying],
      registers: [this.registry],
    });
    if (varying.length === 0) gauge.set(labels, 0);
    return (value, more) => gauge.set(more === undefined ? labels : { ...labels, ...more }, value);
  }

  counter(
    name: string,
    help: string,
    varying: readonly string[] = [],
    labels = this.labels,
  ): (value: number, more?: LabelSet) => void {
    const counter = new Counter({
      name,
      help,
      labelNames: [...Object.keys(labels), ...varying],
      registers: [this.registry],
    });
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
  ): (value: number, more?: LabelSet) => void {
    const histogram = new Histogram({
      name,
      help,
      buckets: [...buckets],
      labelNames: [...Object.keys(labels), ...varying],
      registers: [this.registry],
    });
    if (varying.length === 0) histogram.zero(labels);
    return (value, more) => histogram.observe(more === undefined ? labels : { ...labels, ...more }, value);
  }

  /** Without quantiles, as Python's client library writes them. */
  summary(
    name: string,
    help: string,
    varying: readonly string[],
    labels = this.labels,
  ): (value: number, more: LabelSet) => void {
    const summary = new Summary({
      name,
      help,
      percentiles: [],
      labelNames: [...Object.keys(labels), ...varying],
      registers: [this.registry],
    });
    return (value, more) => summary.observe({ ...labels, ...more }, value);
  }
}
