import type { Memento } from "vscode";
import type { ViewLayout } from "../../protocol/index.js";
import { LayoutMemory } from "../view/layout-memory.js";

const files = new LayoutMemory<ViewLayout>("serverMetrics.fileLayouts", 200);

/** The layout a file was left with in this workspace; null when it has none. */
export function loadFileLayout(state: Pick<Memento, "get">, uri: string): ViewLayout | null {
  return files.load(state, uri);
}

/** Keeps a file's layout in this workspace; those of the oldest files beyond 200 go. */
export function saveFileLayout(state: Pick<Memento, "get" | "update">, uri: string, layout: ViewLayout): Promise<null> {
  return files.save(state, uri, layout);
}
