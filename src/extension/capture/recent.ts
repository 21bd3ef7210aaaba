import type { Memento } from "vscode";
import { MEMORY_KEYS } from "../command-ids.js";

import { endpointName, type ChosenEndpoint } from "./endpoint-items.js";

/** Sets that are remembered. */
const LIMIT = 5;

/** Endpoints that were captured together in this workspace, the latest set first. */
export function recentSets(memory: Pick<Memento, "get">): readonly (readonly ChosenEndpoint[])[] {
  return memory.get<readonly (readonly ChosenEndpoint[])[]>(MEMORY_KEYS.endpoints, []);
}

/** Remembers what the user typed or discovered; what the settings name needs no memory. */
export async function rememberSet(
  memory: Pick<Memento, "get" | "update">,
  endpoints: readonly ChosenEndpoint[],
): Promise<void> {
  const own = endpoints.filter(({ origin }) => origin === "typed" || origin === "discovered");
  if (own.length === 0) return;
  const isOwn = (set: readonly ChosenEndpoint[]) =>
    set.length === own.length &&
    own.every(({ url }) => set.some((other) => endpointName(other.url) === endpointName(url)));
  const others = recentSets(memory).filter((set) => !isOwn(set));
  await memory.update(MEMORY_KEYS.endpoints, [own, ...others].slice(0, LIMIT));
}
