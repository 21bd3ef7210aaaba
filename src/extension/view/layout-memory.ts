import type { Memento } from "vscode";

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
