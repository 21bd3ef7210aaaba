import { signal, type Signal } from "@preact/signals";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  ChannelClient,
  ChannelServer,
  type Handlers,
  type RunHeader,
  type Tile,
  type ViewEvents,
  type ViewLayout,
  type ViewRequests,
} from "../../../../src/protocol/index.js";
import { makeColorBook } from "../../../../webview-ui/state/color-book.js";
import { createLayoutStore, type LayoutStore } from "../../../../webview-ui/state/layout-store.js";
import type { Narrowing, Viewport } from "../../../../webview-ui/state/run-store.js";
import { familySummary } from "../../../support/family-summary.js";
import { pipe } from "../../../support/pipe.js";
import { runHeader } from "../../../support/run-header.js";

type Asked = Pick<ViewRequests, "loadLayout" | "saveLayout">;

/** A page that is begun anew, with what the webview and the host remember of its last life. */
function page(
  own: ViewLayout | undefined,
  host: ViewLayout | null,
  header?: RunHeader,
): { store: LayoutStore; kept: () => unknown; saved: ViewLayout[]; viewport: Signal<Viewport | undefined> } {
  const [hostEnd, viewEnd] = pipe();
  const saved: ViewLayout[] = [];
  const handlers: Handlers<Asked> = {
    loadLayout: () => Promise.resolve(host),
    saveLayout: (layout) => {
      saved.push(layout);
      return Promise.resolve(null);
    },
  };
  new ChannelServer<Asked, ViewEvents>(hostEnd, handlers);
  let state: unknown = own === undefined ? undefined : { layout: own };
  const families = ["a", "b", "c"].map((name) => familySummary(name));
  const viewport = signal<Viewport | undefined>(undefined);
  const store = createLayoutStore(
    {
      client: new ChannelClient<ViewRequests, ViewEvents>(viewEnd),
      header: signal(header),
      families: signal(families),
      familyByName: signal(new Map(families.map((one) => [one.name, one]))),
      tiles: signal<readonly Tile[]>([]),
      colors: makeColorBook(),
      only: signal<Narrowing | undefined>(undefined),
      viewport,
      follows: signal(true),
    },
    {
      getState: () => state,
      setState: (next) => {
        state = next;
      },
    },
  );
  return { store, kept: () => state, saved, viewport };
}

const charted = (store: LayoutStore): string[] => store.layout.value.charts.map((chart) => chart.family);
const layoutOf = (name: string, changedAt?: number): ViewLayout => ({
  charts: [{ family: name }],
  tab: "charts",
  ...(changedAt === undefined ? {} : { changedAt }),
});

describe("the layout of a page that is begun anew", () => {
  beforeEach(() => vi.useFakeTimers({ now: 5000 }));
  afterEach(() => vi.useRealTimers());
  const settled = () => vi.advanceTimersByTimeAsync(0);

  it("is the webview's own, at once", async () => {
    const { store } = page(layoutOf("a", 2000), layoutOf("b", 1000));
    expect(charted(store)).toEqual(["a"]);
    await settled();
    expect(charted(store)).toEqual(["a"]);
  });

  it("is the host's where that was changed later: a workbench in a browser writes a webview's own down seconds late", async () => {
    const { store, saved } = page(layoutOf("a", 1000), layoutOf("b", 2000));
    await settled();
    expect(charted(store)).toEqual(["b"]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(saved).toEqual([]);
  });

  it("is what the user has made of it meanwhile, whatever the host remembers", async () => {
    const { store, kept, saved } = page(layoutOf("a", 1000), layoutOf("b", 2000));
    store.show("c");
    await settled();
    expect(charted(store)).toEqual(["a", "c"]);
    await vi.advanceTimersByTimeAsync(1000);
    const changed = { charts: [{ family: "a" }, { family: "c" }], tab: "charts", changedAt: 5000 };
    expect(saved).toEqual([changed]);
    expect(kept()).toMatchObject({ layout: changed });
  });

  it("is the host's where the webview has none, with what the user did before it came", async () => {
    const { store } = page(undefined, layoutOf("b", 2000));
    store.show("c");
    await settled();
    expect(charted(store)).toEqual(["b", "c"]);
  });

  it("is the statistics of a CSV, which has nothing to chart, until another tab is chosen", async () => {
    const csv = runHeader({ state: "opened", file: { path: "a.csv", format: "csv", bytes: 1, siblings: [] } });
    const { store } = page(undefined, null, csv);
    await settled();
    expect(store.layout.value.tab).toBe("statistics");
    const { store: chosen } = page(undefined, layoutOf("a", 1000), csv);
    await settled();
    expect(chosen.layout.value.tab).toBe("charts");
  });

  it("asks first what is in sight: of the overview its charts, of the chosen ones those", async () => {
    const asked = (tab: string) => {
      const { kept } = page({ ...layoutOf("b"), tab }, null);
      return (kept() as { queries: { family: string }[] }).queries.map((query) => query.family);
    };
    await settled();
    expect(["overview", "charts", "statistics"].map(asked)).toEqual([["b"], ["b"], []]);
  });

  it("has the zoom that the run was left with, and keeps the one that it is left with now", async () => {
    const { viewport, saved } = page(layoutOf("a", 2000), { ...layoutOf("a", 2000), zoom: { from: 5, to: 9 } });
    await settled();
    expect(viewport.value).toEqual({ from: 5, to: 9 });
    await vi.advanceTimersByTimeAsync(1000);
    expect(saved).toEqual([]);
    viewport.value = { from: 6, to: 8 };
    await vi.advanceTimersByTimeAsync(1000);
    viewport.value = undefined;
    await vi.advanceTimersByTimeAsync(1000);
    expect(saved.map(({ zoom }) => zoom)).toEqual([{ from: 6, to: 8 }, undefined]);
  });

  it("does not save a zoom that follows a capture at every scrape", async () => {
    const live = runHeader({ state: "capturing" });
    const { viewport, saved } = page(layoutOf("a", 2000), layoutOf("a", 2000), live);
    await settled();
    for (let to = 9; to < 12; to++) {
      viewport.value = { from: to - 5, to };
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(saved).toEqual([]);
  });

  it("shows what there is where nothing is remembered", async () => {
    const { store } = page(undefined, null);
    await settled();
    expect(charted(store)).toEqual(["a", "b", "c"]);
  });
});
