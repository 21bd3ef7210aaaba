import type { Captures } from "./captures.js";
import type { EngineRun } from "./engine-run.js";
import { saveRun, type WriteParts } from "./write-artifacts.js";

export interface ShowParts extends WriteParts {
  readonly captures: Captures;
  showRun(run: EngineRun): void;
}

/** Shows a run that was read from elsewhere, and writes its artifacts. A running capture keeps the view. */
export async function showAndSave(parts: ShowParts, run: EngineRun): Promise<void> {
  const hold = run.hold();
  try {
    if (parts.captures.active === undefined) {
      parts.captures.setLatest(run);
      parts.showRun(run);
    }
    await saveRun(parts, run);
  } finally {
    hold.dispose();
  }
}
