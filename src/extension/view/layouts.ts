import type { Memento } from "vscode";
import type { ViewLayout } from "../../protocol/index.js";

const KEY = "serverMetrics.layout";

/** The layout of the latest capture of this workspace: what the next one begins with. */
export function loadLayout(state: Pick<Memento, "get">): ViewLayout | null {
  return state.get<ViewLayout>(KEY) ?? null;
}

/** Keeps a capture's layout for the next one, whose times are others. */
export async function saveLayout(state: Pick<Memento, "update">, { zoom: _, ...layout }: ViewLayout): Promise<void> {
  await state.update(KEY, layout);
}

/** By what the layout belongs to, the latest saved last. */
type Saved<Layout> = readonly (readonly [id: string, layout: Layout])[];

/** Layouts of many things under one key of a memento; beyond the limit the one not saved for longest is forgotten. */
export class LayoutMemory<Layout> {
  constructor(
    private readonly key: string,
    private readonly limit: number,
  ) {}

  /** Null when it has none. */
  load(state: Pick<Memento, "get">, id: string): Layout | null {
    return state.get<Saved<Layout>>(this.key, []).find(([saved]) => saved === id)?.[1] ?? null;
  }

  async save(state: Pick<Memento, "get" | "update">, id: string, layout: Layout): Promise<void> {
    const others = state.get<Saved<Layout>>(this.key, []).filter(([saved]) => saved !== id);
    await state.update(this.key, [...others, [id, layout]].slice(-this.limit));
  }
}

interface KeptLayout {
  readonly layout: ViewLayout;
  /** What the run was read from: elsewhere its series have other ids. */
  readonly source: string;
}

const runs = new LayoutMemory<KeptLayout>("serverMetrics.runLayouts", 200);

/**
 * The layout that a run was left with in this workspace, live or saved; null when it has none.
 * @param id its benchmark id, or what else tells it from others
 * @param source a file, or "capture"
 */
export function loadRunLayout(state: Pick<Memento, "get">, id: string, source: string): ViewLayout | null {
  const kept = runs.load(state, id);
  if (kept === null || kept.source === source) return kept?.layout ?? null;
  const { charts } = kept.layout;
  const whole = charts.map(({ series: _, ...chart }) => chart);
  const texts = whole.map((chart) => JSON.stringify(chart));
  return { ...kept.layout, charts: whole.filter((_, i) => texts.indexOf(texts[i] ?? "") === i) };
}

/** Keeps a run's layout in this workspace; those of the oldest runs beyond 200 go. */
export function saveRunLayout(
  state: Pick<Memento, "get" | "update">,
  id: string,
  source: string,
  layout: ViewLayout,
): Promise<void> {
  return runs.save(state, id, { layout, source });
}
