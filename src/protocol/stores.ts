import type { EndpointOptions, Problem } from "../core/model/index.js";

/** A time range of a Prometheus-compatible store. */
export interface StoreQuery {
  /** The store's address as Grafana has it, and what it asks for. */
  readonly store: EndpointOptions;
  readonly selectors: readonly string[];
  /** Milliseconds since the epoch. */
  readonly startMs: number;
  readonly endMs: number;
}

/** What a store holds of a selection, before any sample is read. */
export interface FoundInStore {
  readonly series: number;
  readonly instances: readonly string[];
  readonly families: readonly string[];
  /** About as many; absent where the store would not count them. */
  readonly samples?: number;
  /** The step of totals over the instances. */
  readonly totalsStepMs: number;
}

/** What is asked of stores. Rejects with "store" when one refuses or cannot be reached. */
export interface StoreRequests {
  /**
   * Names of labels, or values of one, to complete a selector. The name "__name__" gives families.
   * `match` narrows them to series of that selector.
   */
  storeLabels: {
    params: { readonly store: EndpointOptions; readonly label?: string; readonly match?: string };
    result: readonly string[];
  };
  /** Whether there may be anything of a selector in each of these stretches of time, by the store's index alone. */
  storedDays: {
    params: {
      readonly store: EndpointOptions;
      readonly selector: string;
      readonly days: readonly { readonly startMs: number; readonly endMs: number }[];
    };
    result: readonly boolean[];
  };
  findStored: { params: StoreQuery; result: FoundInStore };
  /** Reads what is found; the engine then holds it as it holds a saved run. */
  fetchStored: {
    params: StoreQuery & {
      readonly sliceDurationSeconds: number;
      readonly label?: string;
      /** Totals over all instances, made by the store. */
      readonly aggregate?: boolean;
      /** Values every so often, for ranges whose raw samples are gone. */
      readonly stepMs?: number;
    };
    result: { readonly scrapes: number; readonly problems: readonly Problem[] };
  };
}
