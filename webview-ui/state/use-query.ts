import { useEffect, useMemo } from "preact/hooks";
import { liveQuery, type Ask, type LiveQuery, type Pace } from "./live-query.js";

/**
 * A question for a component's life; `key` names it: another key, another question. `keep` carries the last answer over
 * to the next question, where it is still worth showing.
 */
export function useQuery<T>(key: string, ask: Ask<T>, pace: () => Pace, keep = false) {
  const memory = useMemo<{ last?: T }>(() => ({}), []);
  const query: LiveQuery<T> = useMemo(() => liveQuery(ask, pace(), keep ? memory.last : undefined), [key]);
  useEffect(() => query.dispose, [query]);
  const state = query.state.value;
  if (state.kind === "ready") memory.last = state.value;
  return query;
}
