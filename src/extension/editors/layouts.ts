import type { Memento } from "vscode";
import type { ViewLayout } from "../../protocol/index.js";

const KEY = "serverMetrics.fileLayouts";

/** Files whose layouts are kept; the one not saved for longest is forgotten first. */
const LIMIT = 200;

/** By the file's address, the latest saved last. */
type Saved = readonly (readonly [uri: string, layout: ViewLayout])[];

/** The layout a file was left with in this workspace; null when it has none. */
export function loadFileLayout(state: Pick<Memento, "get">, uri: string): ViewLayout | null {
  return state.get<Saved>(KEY, []).find(([saved]) => saved === uri)?.[1] ?? null;
}

export async function saveFileLayout(state: Pick<Memento, "get" | "update">, uri: string, layout: ViewLayout): Promise<null> {
  const others = state.get<Saved>(KEY, []).filter(([saved]) => saved !== uri);
  await state.update(KEY, [...others, [uri, layout]].slice(-LIMIT));
  return null;
}
