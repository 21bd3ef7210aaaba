import type { Memento } from "vscode";
import type { ViewLayout } from "../../protocol/index.js";

const KEY = "serverMetrics.layout";

/** The view's layout of this workspace: the charts a user has chosen serve the next run too. */
export function loadLayout(state: Memento): ViewLayout | null {
  return state.get<ViewLayout>(KEY) ?? null;
}

/** Keeps the live view's layout in this workspace. */
export async function saveLayout(state: Memento, layout: ViewLayout): Promise<null> {
  await state.update(KEY, layout);
  return null;
}
