import type { Problem } from "../../core/model/index.js";
import { problemWords } from "../words.js";
import type { Captures } from "./captures.js";
import { discardJournal, saveRun, type WriteParts } from "./write-artifacts.js";

/**
 * The final scrape, then the artifacts; where nothing has answered, none of it is kept. Does nothing when no capture
 * runs.
 */
export async function stopCapture(captures: Captures, parts: WriteParts): Promise<void> {
  if (captures.state.kind !== "capturing") return;
  const { run } = captures.state;
  captures.setState({ kind: "stopping", run });
  let nothing: Problem | null;
  try {
    // The status bar says so. No notification does: the workbench shows three within a moment, and a fourth not at all,
    // which would be what the end of a capture has to tell.
    nothing = await run.engine.client.call("stopCapture", {});
    await run.refresh();
  } finally {
    // The engine holds all scrapes even when the last one failed; a crashed engine has set the state itself.
    if (captures.active === run) captures.setState({ kind: "idle" });
  }
  if (nothing === null) return saveRun(parts, run);
  await discardJournal(run);
  parts.notifier.warn(problemWords(nothing));
}
