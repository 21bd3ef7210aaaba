import type { ReadonlySignal, Signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { IdentifiedComparison } from "../../src/protocol/comparison.js";
import type { ComparedChecks } from "./charts/assertions.js";
import type { ComparisonLayoutStore } from "./layout.js";
import type { ComparisonStore } from "./store.js";

export interface ComparisonContext {
  readonly store: ComparisonStore;
  readonly layout: ComparisonLayoutStore;
  readonly assertions: ReadonlySignal<ComparedChecks>;
  /** The chart (by its row) that was asked for last: it is brought into sight. */
  readonly shown: Signal<string | undefined>;
}

const Context = createContext<ComparisonContext | undefined>(undefined);
export const ComparisonProvider = Context.Provider;

/** What was compared, within what is shown of a result only. */
export function useCompared(): IdentifiedComparison {
  const comparison = useComparison().store.comparison.value;
  if (comparison === undefined) throw new Error("useCompared without a result");
  return comparison;
}

export function useComparison(): ComparisonContext {
  const context = useContext(Context);
  if (context === undefined) throw new Error("useComparison outside of the comparison view");
  return context;
}
