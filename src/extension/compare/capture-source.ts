import { t } from "@vscode/l10n";
import { readdir } from "node:fs/promises";
import path from "node:path";
import type { ComparedSource } from "../../protocol/comparison.js";
import type { Captures } from "../capture/captures.js";
import type { EngineRun } from "../engine.js";
import { isArtifact } from "../../core/artifacts/names.js";
import { namedRuns } from "../tree/artifact-files.js";

/** The captures of this window as something to compare. */
export class CaptureSources {
  /** By the journals that were given out. Of a run that has ended only its folder is kept, if it was written. */
  private readonly given = new Map<string, Pick<EngineRun, "journalPath" | "directory">>();

  constructor(private readonly captures: Captures) {}

  /**
   * The journal of one that runs, the artifacts of one that was written, else the journal it is kept in. Undefined
   * without one.
   */
  async current(): Promise<ComparedSource | undefined> {
    const { active, latest } = this.captures;
    if (latest === undefined) return undefined;
    const { journalPath, startedAt } = latest;
    const label =
      latest.label ?? t`capture of ${startedAt.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}`;
    const written = active === latest ? undefined : await writtenBy(latest);
    if (written !== undefined) return { path: written, label };
    if (journalPath === undefined) return undefined;
    this.watch(journalPath, latest);
    return { path: journalPath, label, ...(active === latest ? { live: true } : {}) };
  }

  /** The artifact or other journal that has taken the place of a journal; undefined while the journal is there. */
  async successorOf(journal: string): Promise<string | undefined> {
    const run = this.given.get(journal);
    if (run === undefined || run.journalPath === journal) return undefined;
    if (run.journalPath === undefined) return writtenBy(run);
    this.given.set(run.journalPath, run);
    return run.journalPath;
  }

  private watch(journal: string, run: EngineRun): void {
    if (this.given.has(journal)) return;
    this.given.set(journal, run);
    run.onDidEnd(() => {
      const { journalPath, directory } = run;
      for (const [name, one] of this.given) {
        if (one !== run) continue;
        if (journalPath === undefined && directory !== undefined) this.given.set(name, { journalPath, directory });
        else this.given.delete(name);
      }
    });
  }
}

/** The richest file that a run was written to. */
async function writtenBy({ directory }: Pick<EngineRun, "directory">): Promise<string | undefined> {
  if (directory === undefined) return undefined;
  const names = await readdir(directory).catch(() => []);
  const files = names.filter(isArtifact).map((name) => ({ path: path.join(directory, name), modified: 0, bytes: 0 }));
  return namedRuns({ directory, modified: 0, files })[0]?.files[0]?.path;
}
