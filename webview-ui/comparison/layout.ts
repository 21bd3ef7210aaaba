import { isFields, fieldsOf } from "../../src/core/text/index.js";
import type { Verdict, ComparisonPageState, RunId } from "../../src/protocol/comparison.js";
import { flag, list, oneOf, shape, soundPart, text, type Passed, type ShapeOf } from "../../src/protocol/guards.js";
import { columnWidths } from "../../src/protocol/view-requests.js";
import { effect, signal, type ReadonlySignal } from "@preact/signals";
import type { HostApi } from "../channel.js";
import type { ComparisonStore } from "./store.js";

const tab = oneOf("differences", "charts", "matching");
export type ComparisonTab = Passed<typeof tab>;

/** Where the time axes of the runs meet. */
const alignment = oneOf("profiling", "first-request", "wall-clock");
export type Alignment = Passed<typeof alignment>;

const arrangement = oneOf("overlaid", "side-by-side");
export type Arrangement = Passed<typeof arrangement>;

/** What a chart of histograms shows; others have lines only. */
const mode = oneOf("lines", "distribution", "heatmap");
export type ComparedChartMode = Passed<typeof mode>;

/** Of a histogram's lines, the one that is drawn of each run. */
export const CHART_QUANTITIES = ["p50", "p90", "p99", "avg"] as const;
export type ChartQuantity = (typeof CHART_QUANTITIES)[number];

/** What differs, most decided first; the order of chips and words everywhere. */
export const VERDICTS = [
  "worse",
  "better",
  "differs",
  "no-evidence",
  "cannot-tell",
  "same",
] as const satisfies readonly Verdict[];
export const DIFFERING: readonly Verdict[] = ["worse", "better", "differs"];

/** Which rows the table shows; "" for all servers or types. */
const filter = { verdicts: list(oneOf(...VERDICTS)), server: text, type: text, text };
export type DifferenceFilter = ShapeOf<typeof filter>;

/** By "metric", "labels", "quantity", "baseline", or a column of a candidate: "0/share". */
const sorting = shape({ key: text, descending: flag });

/** One chart: the series behind one row. */
const chartOf = { rowId: text };
const look = { mode, quantity: oneOf(...CHART_QUANTITIES) };
export type ComparedChart = ShapeOf<typeof chartOf & typeof look>;

/** `widths`: what columns of the table were given by hand, pixels by the column's key. */
const parts = { tab, arrangement, alignment, widths: columnWidths };
export interface ComparisonLayout extends ShapeOf<typeof parts> {
  readonly filter: DifferenceFilter;
  /** Null: by effect. */
  readonly sorting: Passed<typeof sorting> | null;
  /** Null: those of the largest differences. */
  readonly charts: readonly ComparedChart[] | null;
}

export const NO_FILTER: DifferenceFilter = { verdicts: DIFFERING, server: "", type: "", text: "" };
export const DEFAULT_LAYOUT: ComparisonLayout = {
  tab: "differences",
  filter: NO_FILTER,
  sorting: null,
  charts: null,
  arrangement: "overlaid",
  alignment: "profiling",
  widths: {},
};

/** What may be sound of a saved layout; null, for a default, is as good as absent. */
const savedLayout = shape({}, { ...parts, filter: shape({}, filter), sorting, charts: list(shape(chartOf, look)) });

/** Reads what an earlier version of the view, or another program, may have left; undefined when it is no layout. */
export function parseLayout(value: unknown): ComparisonLayout | undefined {
  if (!isFields(value)) return undefined;
  const { filter, charts, ...rest } = soundPart(savedLayout, value) ?? {};
  return {
    ...DEFAULT_LAYOUT,
    ...rest,
    filter: { ...NO_FILTER, ...filter },
    charts: charts?.map((chart) => ({ mode: "lines", quantity: "p99", ...chart })) ?? null,
  };
}

export interface ComparisonLayoutStore {
  readonly layout: ReadonlySignal<ComparisonLayout>;
  change(changes: Partial<ComparisonLayout>): void;
}

/** How long changes gather before they are saved. */
const SAVE_DELAY_MS = 500;

interface PageState extends ComparisonPageState {
  readonly layout: ComparisonLayout;
  readonly colors: Readonly<Record<RunId, number>>;
}

/** What `makeRunColors` begins with when the page is made anew. */
export function rememberedColors(api: Pick<HostApi, "getState">): unknown {
  return fieldsOf(api.getState())["colors"];
}

/**
 * The webview's own memory first (it is there at once), then the host's, then the default. Keeps what is compared
 * there, too.
 */
export function createComparisonLayout(
  { client, state, colors }: Pick<ComparisonStore, "client" | "state" | "colors">,
  api: HostApi,
): ComparisonLayoutStore {
  const own = parseLayout(fieldsOf(api.getState())["layout"]);
  const layout = signal<ComparisonLayout>(own ?? DEFAULT_LAYOUT);
  let saved = JSON.stringify(layout.peek());
  let touched = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  if (own === undefined) {
    client.call("loadComparisonLayout", {}).then(
      (text) => {
        const found = parseLayout(parseJson(text));
        // What the user did meanwhile counts more than what was saved.
        if (found === undefined || touched) return;
        saved = JSON.stringify(found);
        // A comparison that is opened begins with what differs; one that is only drawn anew stays where it was.
        layout.value = { ...found, tab: DEFAULT_LAYOUT.tab };
      },
      // Without it the default is shown: nothing is lost.
      () => undefined,
    );
  }

  effect(() => {
    const runs = state.value?.runs;
    if (runs === undefined) return;
    const kept: PageState = { sources: runs.map(({ source }) => source), layout: layout.value, colors: colors.kept() };
    api.setState(kept);
  });
  effect(() => {
    const text = JSON.stringify(layout.value);
    if (text === saved) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      saved = text;
      // The webview keeps its own copy when the host cannot save.
      client.call("saveComparisonLayout", { layout: text }).catch(() => undefined);
    }, SAVE_DELAY_MS);
  });
  return {
    layout,
    change(changes) {
      touched = true;
      layout.value = { ...layout.peek(), ...changes };
    },
  };
}

function parseJson(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
