import { join } from "node:path";
import { textOf } from "./bytes.js";
import type { Reach } from "./opener.js";
import { OWNER_PATTERN, ownerText, processState, thisOwner } from "./owner.js";

/** In the folder of an experiment: what was planned and made. */
export const EXPERIMENT_JOURNAL = "experiment.jsonl";
/** There while a process runs the experiment. */
export const EXPERIMENT_LOCK = ".experiment.lock";

/**
 * The process that has an experiment's journal, and what became of it: "unknown" on another machine or in another
 * container. Undefined where none has.
 */
export async function runnerOf(
  out: string,
  reach: Reach = {},
): Promise<{ readonly pid: string; readonly state: ReturnType<typeof processState> } | undefined> {
  const text = await textOf(join(out, EXPERIMENT_LOCK), 1000, reach).catch(() => "");
  const [, pid, start, place] = new RegExp(`^${OWNER_PATTERN}$`).exec(text) ?? [];
  if (pid === undefined || start === undefined || place === undefined) return undefined;
  const isOwn = text === ownerText(thisOwner());
  return { pid, state: isOwn ? "alive" : processState({ pid: Number(pid), start, place }) };
}
