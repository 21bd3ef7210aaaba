import type { ConceptId } from "../../catalog/index.js";
import type { Labels, MetricType, SeriesId } from "../../model/index.js";

/** A fact of the model's or server's configuration, shown once in the header. */
export interface StaticFact {
  readonly name: string;
  readonly value: string;
  readonly endpointUrl: string;
}

/** What tree and tables show of a family. */
export interface FamilySummary {
  readonly name: string;
  /** The catalogue's title ("Requests running"), else the name in words ("My App | Queue Depth"). */
  readonly displayName: string;
  /** The catalogue's title; absent for a family that it does not list. */
  readonly title?: string;
  /** What it means and what to watch for, where the catalogue knows. */
  readonly hint?: string;
  /** The server computes it over time of its own: how. */
  readonly computed?: string;
  /** An average that its server calls a counter: files that keep how counters rose do not hold its values. */
  readonly countedAverage?: true;
  readonly type: MetricType;
  readonly unit?: string;
  readonly description: string;
  /** Catalogue group: "Latency", "Queue and batch", … ; "Other" when unknown. */
  readonly group: string;
  readonly server?: string;
  /** At least one, of a family whose samples have not been read yet. */
  readonly seriesCount: number;
  readonly isInfo: boolean;
  /** Known to the catalogue as a key metric. */
  readonly isKey: boolean;
  /** The concept that it tells best of its server's families that the run has. */
  readonly concept?: ConceptId;
  readonly direction: "up" | "down" | "neutral";
}

export interface SeriesSummary {
  readonly id: SeriesId;
  readonly endpointUrl: string;
  readonly labels: Labels;
  /** Gauge: last value. Counter: last value. Histogram: observations so far. NaN when none. */
  readonly last: number;
}

/** How many series of a family carry one value of one label. */
export interface LabelCount {
  readonly family: string;
  readonly label: string;
  readonly value: string;
  readonly seriesCount: number;
}

/** A member of a configuration. */
export type ConfigNode = { readonly key: string } & (
  | { readonly kind: "object" | "list"; readonly children: readonly ConfigNode[] }
  /** A literal is a number, true, false or null. */
  | { readonly kind: "text" | "literal"; readonly text: string }
);
