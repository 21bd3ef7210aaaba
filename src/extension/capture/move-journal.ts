import { t } from "@vscode/l10n";
import type { Notifier } from "../notify.js";
import type { EngineRun } from "./engine-run.js";
import type { Journals } from "./journals.js";
import type { OutputFolders } from "./output-folder.js";

export interface MoveJournalParts {
  readonly folders: Pick<OutputFolders, "choose">;
  readonly journals: Journals;
  readonly notifier: Notifier;
  /** Whoever reads the journal finds it elsewhere now. */
  onMoved(): void;
}

export const MOVE_JOURNAL = t("Choose Another Folder…");

/**
 * Asks for a folder and lets the run's journal go on there, with all that it holds. What fails is shown, with another
 * choice; the journal then stays where it was.
 */
export async function moveJournal(parts: MoveJournalParts, run: EngineRun): Promise<void> {
  if (run.journalPath === undefined) {
    parts.notifier.info(t("The capture has been saved and no longer needs a journal."));
    return;
  }
  const folder = await parts.folders.choose(t("Folder for the Journal"), t("Keep the Journal Here"));
  if (folder === undefined) return;
  const before = run.journalPath;
  const path = await parts.journals.createIn(folder);
  try {
    await run.engine.client.call("moveJournal", { path });
  } catch (error) {
    parts.journals.release(path);
    parts.notifier.error(error, { title: MOVE_JOURNAL, run: () => moveJournal(parts, run) });
    return;
  }
  if (before !== undefined) parts.journals.release(before);
  run.journalPath = path;
  run.onDidEnd(() => parts.journals.release(path));
  parts.notifier.log.info(`The journal continues in ${path}`);
  parts.onMoved();
}
