import { Counter, Gauge, Histogram, Registry, Summary } from "prom-client";
import type { Observer, Simulation } from "../simulation.js";

export type LabelSet = Readonly<Record<string, string>>;
/** Sets a value, adds or observes one. @param labels those that vary */
type Put = (value: number, labels?: LabelSet) => void;

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

/** A value, or one for each of some series by the labels that vary; undefined: none. */
type Amount = number | readonly (readonly [value: number, labels: LabelSet])[] | undefined;

/**
 * Declares families of a simulated server, each with what it gets as things happen. Labels that vary stand behind a
 * family's name: "requests_total{status,error_type}".
 */
export class Families {
  /** @param labels absent: those of the exporter */
  constructor(
    readonly exporter: MetricsPage,
    readonly simulation: Simulation,
    private readonly prefix: string,
    private readonly labels?: LabelSet,
  ) {}

  /** Others on the same page. */
  others(prefix: string, labels?: LabelSet): Families {
    return new Families(this.exporter, this.simulation, prefix, labels);
  }

  /** @param value asked for before each exposition */
  gauge(family: string, help: string, value: number | (() => Amount) = 0): void {
    const { name, varying } = this.nameOf(family);
    const set = this.exporter.gauge(name, help, varying, this.labels);
    if (typeof value === "function") this.exporter.beforeExposition(() => put(value(), set));
    else if (varying.length === 0) set(value);
  }

  /** @returns adds to it beside that */
  counter(family: string, help: string, on: Observer<Amount> = {}): Put {
    const { name, varying } = this.nameOf(family);
    return this.fed(on, this.exporter.counter(name, help, varying, this.labels));
  }

  /** As `counter`: each amount is observed. */
  histogram(family: string, help: string, bounds: readonly number[], on: Observer<Amount> = {}): Put {
    const { name, varying } = this.nameOf(family);
    return this.fed(on, this.exporter.histogram(name, help, bounds, varying, this.labels));
  }

  /** A summary of what ended requests have. */
  summary(family: string, help: string, on: Observer<Amount>): void {
    const { name, varying } = this.nameOf(family);
    this.fed(on, this.exporter.summary(name, help, varying, this.labels));
  }

  private fed(on: Observer<Amount>, add: Put): Put {
    this.simulation.observe(on, (amount) => put(amount, add));
    return add;
  }

  private nameOf(family: string): { readonly name: string; readonly varying: readonly string[] } {
    const [name = "", labels] = family.split(/[{}]/);
    return { name: this.prefix + name, varying: labels?.split(",") ?? [] };
  }
}

function put(amount: Amount, to: Put): void {
  if (typeof amount === "number") to(amount);
  else for (const [value, labels] of amount ?? []) to(value, labels);
}
