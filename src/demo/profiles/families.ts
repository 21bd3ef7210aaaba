import type { MetricsPage, LabelSet, Put } from "../exporter.js";
import type { Observer, Simulation } from "../simulation.js";

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
