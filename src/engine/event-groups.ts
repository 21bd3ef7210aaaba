import type { ServerEventKind } from "../core/model/index.js";
import type { Run } from "../core/store/index.js";
import type { EventsStatus } from "../protocol/index.js";

/** More than these could not be distinguished on a chart. */
const MAX_GROUPS = 300;

const NAMES: { readonly [Kind in ServerEventKind]: string } = {
  request: "requests finished",
  "kv-cache": "KV-cache events",
};

/** The events of servers as a page shows them: those of one kind that lie close together are one. */
export function eventGroups(run: Run): readonly EventsStatus[] {
  const width = Math.max(1, run.newest / MAX_GROUPS);
  const groups = new Map<string, EventsStatus>();
  for (const { kind, time: at, label } of run.serverEvents) {
    const time = run.offset(at);
    const key = `${kind} ${Math.floor(time / width)}`;
    const { count = 0, time: first = time } = groups.get(key) ?? {};
    groups.set(key, {
      kind,
      time: first < time ? first : time,
      count: count + 1,
      label: count === 0 ? label : `${count + 1} ${NAMES[kind]}`,
    });
  }
  return [...groups.values()].sort((a, b) => a.time - b.time);
}
