import { computed, effect, signal, type ReadonlySignal } from "@preact/signals";
import { fieldsOf } from "../../src/core/text/index.js";
import { list, soundPart, text } from "../../src/protocol/guards.js";
import { RUN_REQUESTS, type ChartQuery, type ViewLayout } from "../../src/protocol/index.js";
import type { HostApi } from "../channel.js";
import { overviewFamilies, overviewQuery } from "../overview/concepts.js";
import { isMany, manyQuery, wholeRunQuery } from "./chart-query.js";
import {
  EMPTY_LAYOUT,
  defaultLayout,
  fromSaved,
  layoutActions,
  orderedCharts,
  toSaved,
  parseSavedLayout,
  type Layout,
  type LayoutActions,
} from "./layout.js";
import { isLive, ofEndpoints, type Remembered, type RunStore } from "./run-store.js";

export interface LayoutStore extends LayoutActions {
  readonly layout: ReadonlySignal<Layout>;
  /** A saved layout was found, or there was something to make the default one of. */
  readonly ready: ReadonlySignal<boolean>;
}

/** How long changes gather before they are saved. */
const SAVE_DELAY_MS = 500;

/** What the run's store can begin with. */
export function remembered(api: Pick<HostApi, "getState">): Remembered {
  const { colors, queries } = fieldsOf(api.getState());
  return {
    colors: soundPart(list(text), colors) ?? [],
    queries: soundPart(list(RUN_REQUESTS.chart), queries) ?? [],
  };
}

/** What of a run a layout is made of. */
type LaidOut = Pick<
  RunStore,
  "client" | "header" | "families" | "familyByName" | "tiles" | "colors" | "only" | "viewport" | "follows"
>;

/**
 * The webview's own memory first (it is there at once), then the host's where that is later or the only one, then the
 * key tiles' charts.
 */
export function createLayoutStore(run: LaidOut, api: Pick<HostApi, "getState" | "setState">): LayoutStore {
  const layout = signal<Layout>(EMPTY_LAYOUT);
  const ready = signal(false);
  /** What the user did before there was a layout: done to it when it comes. */
  const waiting: ((layout: Layout) => Layout)[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let saved = "";
  let kept = "";
  let changedAt = 0;

  const current = (of = layout.peek(), zoom = run.viewport.peek()): ViewLayout =>
    zoom === undefined ? toSaved(of) : { ...toSaved(of), zoom: { from: zoom.from, to: zoom.to } };

  const begin = (first: Layout, at = 0) => {
    saved = JSON.stringify(current(first));
    changedAt = waiting.length === 0 ? at : Date.now();
    layout.value = waiting.reduce((made, change) => change(made), first);
    ready.value = true;
    scheduleSave();
  };

  /** What the charts in sight will ask first when the webview is created anew. */
  const queriesOf = ({ tab, charts, pinned }: Layout): readonly ChartQuery[] => {
    const families = run.familyByName.value;
    const known = orderedCharts({ charts, pinned }).flatMap((chart) => {
      const family = families.get(chart.family);
      return family === undefined ? [] : [{ chart, family }];
    });
    if (tab === "overview") {
      const charted = known.map(({ family }) => family);
      return overviewFamilies(run.families.value, charted).map(overviewQuery);
    }
    const shown = run.only.value?.urls ?? run.header.peek()?.endpoints ?? [];
    return known.flatMap(({ chart, family }) => {
      if (tab !== "charts" || chart.mode !== undefined) return [];
      const query = wholeRunQuery(chart, family);
      return [isMany(chart, family, shown) ? manyQuery(query, family.type) : query];
    });
  };
  const queries = computed(() =>
    queriesOf(layout.value).map((query) => ({ ...query, ...ofEndpoints(run.only.value) })),
  );

  /** In the webview's own memory, which is there at once when it is created anew. */
  const keep = (now: Layout) => {
    const state = {
      layout: { ...toSaved(now), changedAt },
      colors: run.colors.keys(),
      queries: queries.value,
    };
    const next = JSON.stringify(state);
    if (next !== kept) api.setState(state);
    kept = next;
  };

  const scheduleSave = () => {
    if (JSON.stringify(current()) === saved) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      const latest = current();
      saved = JSON.stringify(latest);
      // Nothing is lost when the host cannot save: the webview keeps its own copy.
      run.client.call("saveLayout", { ...latest, changedAt }).catch(() => undefined);
    }, SAVE_DELAY_MS);
  };

  const own = parseSavedLayout(fieldsOf(api.getState())["layout"]);
  const answered = signal(own !== undefined);
  if (own !== undefined) begin(fromSaved(own), own.changedAt);
  run.client.call("loadLayout", {}).then(
    (value) => {
      const found = parseSavedLayout(value);
      // What the user did meanwhile is later than all that was saved.
      if (found !== undefined && (own === undefined || (found.changedAt ?? 0) > changedAt))
        begin(fromSaved(found), found.changedAt);
      if (found?.zoom !== undefined && run.viewport.peek() === undefined) {
        saved = JSON.stringify(current(layout.peek(), found.zoom));
        run.viewport.value = found.zoom;
      }
      answered.value = true;
    },
    () => {
      answered.value = true;
    },
  );

  // A capture's description comes before its first scrape: the default waits until there is something to draw.
  effect(() => {
    const families = run.families.value;
    const tiles = run.tiles.value;
    if (!answered.value || ready.value) return;
    const format = run.header.value?.file?.format;
    if (families.some((family) => family.seriesCount > 0)) begin(defaultLayout(tiles, families, format));
  });

  const actions = layoutActions((change) => {
    const before = layout.peek();
    const after = change(before);
    if (JSON.stringify(toSaved(before)) !== JSON.stringify(toSaved(after))) changedAt = Date.now();
    layout.value = after;
    if (ready.peek()) scheduleSave();
    else waiting.push(change);
  });

  followSlices(run, layout, ready, (sliceSeconds) => actions.set({ sliceSeconds }));

  effect(() => {
    const { only: to } = layout.value;
    const urls = (run.header.value?.endpoints ?? [])
      .filter(({ url, servers }) => to !== undefined && (url === to || servers.includes(to)))
      .map(({ url }) => url);
    // What was remembered of another run may be none of this one's endpoints.
    const only = to === undefined || urls.length === 0 ? undefined : { to, urls };
    if (JSON.stringify(only) !== JSON.stringify(run.only.peek())) run.only.value = only;
  });

  // A stretch that follows a run moves every second: it is kept when the run is over.
  const moving = computed(() => run.header.value !== undefined && isLive(run.header.value) && run.follows.value);
  effect(() => {
    const zoom = run.viewport.value;
    if (ready.value && (zoom === undefined || !moving.value)) scheduleSave();
  });

  effect(() => {
    // Colours are given as charts are drawn: what is new is kept with the run's next progress.
    void run.header.value;
    if (ready.value && run.families.value.length > 0) keep(layout.value);
  });

  run.client.on("showInChart", ({ family, ...wanted }) => actions.show(family, wanted));

  return { layout, ready, ...actions };
}

/**
 * Cuts a saved run into slices of the length that was chosen for it last, and notes a length that is chosen now. A
 * capture keeps its own.
 * @returns what ends that
 */
export function followSlices(
  run: Pick<RunStore, "client" | "header">,
  layout: ReadonlySignal<Layout>,
  ready: ReadonlySignal<boolean>,
  choose: (seconds: number | undefined) => void,
): void {
  /** The length that the run has, as far as it is known; undefined until the one remembered has been asked for. */
  let known: number | undefined;
  let applying = false;
  effect(() => {
    const header = run.header.value;
    if (!ready.value || header?.state !== "opened" || !header.adjustable) return;
    if (applying) return;
    const now = header.sliceDurationSeconds;
    const wanted = layout.peek().sliceSeconds;
    if (known === undefined) {
      known = now;
      if (wanted === undefined || wanted === now) return;
      known = wanted;
      applying = true;
      const settled = () => {
        applying = false;
      };
      run.client.call("adjust", { sliceSeconds: wanted }).then(settled, () => {
        // The run cannot be cut so any more: it is shown as recorded, and that is what is remembered.
        settled();
        known = now;
        choose(undefined);
      });
    } else if (now !== known) {
      known = now;
      choose(now);
    }
  });
}
