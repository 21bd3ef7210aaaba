import { mkdir } from "node:fs/promises";
import path from "node:path";
import { deleteJournal, journalName, listJournals, type JournalFile } from "../../files/journal/files.js";

/** The journals of this workspace, those of this window's runs among them. */
export class Journals {
  private readonly inUse = new Set<string>();

  constructor(private readonly folder: string) {}

  /** The file of a capture that begins now; in use until released. The folder exists afterwards. */
  async create(): Promise<string> {
    await mkdir(this.folder, { recursive: true });
    const file = path.join(this.folder, journalName());
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

  /** @throws FileError when another window is writing it */
  async remove(file: string): Promise<void> {
    await deleteJournal(file);
    this.inUse.delete(file);
  }

  /** Those that no run of this or another living window belongs to, newest first. */
  async abandoned(): Promise<readonly JournalFile[]> {
    const journals = await listJournals(this.folder);
    return journals.filter(({ path: file, ownerPid }) => !this.inUse.has(file) && ownerPid === undefined);
  }
}
