import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { journalName, listJournals, type JournalFile } from "../../files/journal.js";

/**
 * A capture that lives writes its journal every second, if only its failures. One not written for this long has been
 * left behind, even where a process of its owner's number runs: after a restart numbers are given out anew.
 */
const LEFT_BEHIND_MS = 10 * 60_000;

/** The journals of this workspace, those of this window's runs among them. */
export class Journals {
  private readonly inUse = new Set<string>();

  constructor(private readonly folder: string) {}

  /** The file of a capture that begins now; in use until released. The folder exists afterwards. */
  async create(): Promise<string> {
    await mkdir(this.folder, { recursive: true });
    const file = path.join(this.folder, journalName(new Date().toISOString().replace(/[:.]/g, "-")));
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

  async remove(file: string): Promise<void> {
    await rm(file, { force: true });
    this.inUse.delete(file);
  }

  /** Those that no run of this or another living window belongs to, newest first. */
  async abandoned(): Promise<readonly JournalFile[]> {
    const journals = await listJournals(this.folder);
    return journals.filter(({ path: file, ownerPid, modifiedMs }) => {
      if (this.inUse.has(file)) return false;
      return ownerPid === undefined || ownerPid === process.pid || Date.now() - modifiedMs > LEFT_BEHIND_MS;
    });
  }
}
