import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { Memento } from "vscode";
import {
  deleteJournal,
  hiddenJournalName,
  journalName,
  listJournals,
  type JournalFile,
} from "../../files/journal/files.js";
import { t } from "@vscode/l10n";
import type { Notifier } from "../notify.js";
import type { EngineRun } from "../engine.js";
import type { OutputFolders } from "./output-folder.js";

const ELSEWHERE = "serverMetrics.journalFolders";

/** The journals of this workspace, those of this window's runs among them. */
export class Journals {
  private readonly inUse = new Set<string>();

  /** @param memory keeps the folders that journals were moved to */
  constructor(
    private readonly folder: string,
    private readonly memory: Pick<Memento, "get" | "update">,
  ) {}

  /** The file of a capture that begins now; in use until released. The folder exists afterwards. */
  async create(): Promise<string> {
    await mkdir(this.folder, { recursive: true });
    const file = path.join(this.folder, journalName());
    this.inUse.add(file);
    return file;
  }

  /** As `create`, for a journal that moves to another folder, where `abandoned` then looks too. */
  async createIn(folder: string): Promise<string> {
    const known = this.elsewhere();
    if (!known.includes(folder)) await this.memory.update(ELSEWHERE, [...known, folder]);
    const file = path.join(folder, hiddenJournalName());
    this.inUse.add(file);
    return file;
  }

  /** A run of this window is being rebuilt from it. */
  use(file: string): void {
    this.inUse.add(file);
  }

  /** Its run is no more: from now on it counts as left behind, if it still exists. */
  release(file: string): void {
    this.inUse.delete(file);
  }

  /** @throws UserError when another window is writing it */
  async remove(file: string): Promise<void> {
    await deleteJournal(file);
    this.inUse.delete(file);
  }

  /** Those that no run of this or another living window belongs to, newest first. */
  async abandoned(): Promise<readonly JournalFile[]> {
    const lists = await Promise.all([this.folder, ...this.elsewhere()].map(listJournals));
    return lists
      .flat()
      .filter(({ path: file, ownerPid }) => !this.inUse.has(file) && ownerPid === undefined)
      .sort((a, b) => b.modifiedMs - a.modifiedMs);
  }

  private elsewhere(): readonly string[] {
    return this.memory.get<readonly string[]>(ELSEWHERE) ?? [];
  }
}

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
