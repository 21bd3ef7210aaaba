import { t } from "@vscode/l10n";
import { stat } from "node:fs/promises";
import path from "node:path";
import { Disposable, RelativePattern, type CustomDocument, type Uri } from "vscode";
import { UserError, errorCode } from "../../core/text/errors.js";
import type { RunFiles } from "../../files/open/siblings.js";
import type { OpenedFile, OpenedSource, RunHeader } from "../../protocol/index.js";
import type { FileFormat } from "../../core/model/index.js";
import { exportCapture } from "../capture/export.js";
import type { WriteParts } from "../capture/write-artifacts.js";
import type { SpawnEngine } from "../engine.js";
import { SETTINGS } from "../settings/definitions.js";
import { readSetting } from "../settings/read.js";
import { fileUri, filePath } from "../file-uri.js";
import type { RunPanel } from "../view/run-panel.js";
import { endedSource, type RunSource } from "../view/bridge.js";
import { words } from "../words.js";
import { setPanelTitle } from "../workbench-text.js";
import { watchFiles } from "../workbench-files.js";
import { DiskFollower, type DiskStamp } from "./disk-follower.js";
import { RunFile } from "./run-file.js";

export interface DocumentParts {
  readonly spawnEngine: SpawnEngine;
  readonly write: WriteParts;
}

interface OwnedParts extends DocumentParts {
  /** The file is read on as it grows, or no longer is. */
  onFollowing(): void;
  onDispose(): void;
}

/** A run shown in one or more editors, from the best file it has: its engine, and what happens to the file on disk. */
export class RunDocument implements CustomDocument {
  private readonly panels = new Map<RunPanel, () => void>();
  /** The run, by the best file it has. */
  private readonly whole: OpenedSource;
  private readonly file: RunFile | undefined;
  private readonly disk: DiskFollower | undefined;
  private shown: string;
  private heading: string;
  private readonly watcher: Disposable | undefined;
  private disposed = false;

  constructor(
    readonly uri: Uri,
    readonly run: RunFiles,
    private readonly parts: OwnedParts,
  ) {
    const [best = uri.fsPath, ...instead] = run.paths;
    this.whole = { path: best, instead };
    this.shown = best;
    this.heading = run.name;
    if (filePath(uri) === undefined) return;
    // Looked at before it is read: a change while it is read is one.
    this.disk = new DiskFollower({
      stamp: () => stampOf(this.shown),
      onChanged: () => this.notifier.run(this.reportChanged(this.onDisk)),
      onDeleted: () => {
        // Who follows the file hears of it from its engine.
        if (!this.isFollowed)
          this.notifier.info(t`${this.name} has been deleted or moved. Its editor keeps showing what was read.`);
      },
      onTrouble: (error) => this.notifier.log.warn(`${this.shown}: ${words(error)}`),
    });
    this.file = new RunFile(this.whole, {
      spawnEngine: parts.spawnEngine,
      notifier: this.notifier,
      onRead: (file) => this.notifier.run(this.retitle(file)),
      onRestart: () => {
        this.disk?.restart();
        this.restartPanels();
      },
      onFollowing: (following) => {
        // What was read meanwhile is no change.
        if (!following) this.disk?.restart();
        parts.onFollowing();
      },
    });
    const inFolder = new RelativePattern(fileUri(path.dirname(uri.fsPath)), "*");
    this.watcher = watchFiles(inFolder, (changed) => {
      if (changed.fsPath === this.shown) this.disk?.look();
    });
  }

  /** Shows the run in an editor until that is closed. */
  attach(panel: RunPanel, show: (title: string, source: RunSource) => void): void {
    const start = () => show(this.heading, this.source());
    this.panels.set(panel, start);
    const listeners = Disposable.from(
      panel.panel.onDidDispose(() => {
        this.panels.delete(panel);
        listeners.dispose();
      }),
      // Not every file system reports its changes.
      panel.panel.onDidChangeViewState(() => {
        if (panel.panel.visible) this.disk?.look();
      }),
    );
    start();
  }

  /** Reads the file again. */
  reload(): void {
    this.onDisk.restart();
  }

  /** Brings an editor of this run to the front. @returns whether there is one */
  reveal(): boolean {
    const [panel] = this.panels.keys();
    // The focus stays where it is: in the Explorer, in which one goes on to the next file.
    panel?.panel.reveal(undefined, true);
    return panel !== undefined;
  }

  /** Shows one of the run's files alone, or the run again. */
  showFile(file: string | undefined): void {
    const source = file === undefined ? this.whole : { path: file };
    this.shown = source.path;
    this.onDisk.restart(source);
  }

  /** The file that is shown. */
  get shownFile(): string {
    return this.shown;
  }

  /** Whether its new lines are read as they come. */
  get isFollowed(): boolean {
    return this.file?.isFollowed === true;
  }

  /** Reads on as the file grows, or no longer. @throws UserError when it cannot be followed */
  async follow(on: boolean): Promise<void> {
    await this.onDisk.follow(on);
  }

  /** Adds results of a benchmark client. @throws UserError saying why they cannot be added */
  async addClient(paths: readonly string[]): Promise<void> {
    const { client } = this.onDisk.run.engine;
    for (const { severity, reason, remedy } of await client.call("addClient", { paths }))
      if (severity !== "info") this.notifier.info(remedy === undefined ? reason : `${reason} ${remedy}`);
    this.restartPanels();
  }

  /** Undefined where it cannot be read. */
  async header(): Promise<RunHeader | undefined> {
    try {
      const run = this.file?.run;
      await run?.refresh();
      return run?.header;
    } catch {
      return undefined;
    }
  }

  /** Export As… on this run. @throws UserError while there is no run to export */
  async exportAs(): Promise<void> {
    const { run } = this.onDisk;
    await run.refresh();
    const { exportable = [], file } = run.header ?? {};
    if (exportable.length === 0)
      throw this.notExportable(file?.format, file?.siblings.map((sibling) => path.basename(sibling.path)) ?? []);
    await exportCapture(this.parts.write, run, this.uri.fsPath);
  }

  dispose(): void {
    this.disposed = true;
    this.watcher?.dispose();
    this.disk?.dispose();
    this.file?.dispose();
    this.parts.onDispose();
  }

  /** By the run's label, which is known once it has been read. */
  private async retitle({ path: read, format, alone }: OpenedFile): Promise<void> {
    if (read !== this.shown) {
      this.shown = read;
      this.disk?.restart();
    }
    const name = (await this.header())?.label ?? this.run.name;
    this.heading = alone === true ? `${name} (${format.toUpperCase()})` : name;
    for (const panel of this.panels.keys()) setPanelTitle(panel.panel, this.heading);
  }

  private get name(): string {
    return path.basename(this.shown);
  }

  /** @throws UserError where the run is read from no disk */
  private get onDisk(): RunFile {
    if (this.file === undefined) throw notOnDisk(this.uri);
    return this.file;
  }

  private async reportChanged(file: RunFile): Promise<void> {
    if (this.isFollowed) return;
    const choice = readSetting(SETTINGS.followGrowingFiles);
    // What was replaced, or cannot be asked, can only be read anew.
    const grown = choice !== "never" && (await file.hasGrown().catch(() => false));
    if (this.disposed || this.isFollowed) return;
    if (!grown) this.notifier.info(t`${this.name} has changed on disk since it was opened.`, file.reloading);
    else if (choice === "always") await this.follow(true);
    else
      this.notifier.info(t`${this.name} has changed on disk since it was opened: it has grown.`, file.reloading, {
        title: t("Follow"),
        run: () => this.follow(true),
      });
  }

  private get notifier() {
    return this.parts.write.notifier;
  }

  /** Refused before anything is asked. */
  private notExportable(format: FileFormat | undefined, siblings: readonly string[]): UserError {
    if (format === "snapshot")
      return new UserError(
        t`${this.name} holds one scrape, not a run, so it cannot be exported`,
        t("Capture the server, or open the files of a run."),
        { code: "no-samples" },
      );
    return new UserError(
      t`${this.name} holds statistics, not the samples they were computed from, so it cannot be exported`,
      t`Open the JSONL or Parquet file of the same run${siblings.length === 0 ? "" : t`; beside it are ${siblings.join(", ")}`}.`,
      { code: "no-samples" },
    );
  }

  private source(): RunSource {
    if (this.file !== undefined) return this.file.source();
    const { message, remedy } = notOnDisk(this.uri);
    return endedSource(message, remedy ?? "");
  }

  private restartPanels(): void {
    for (const start of this.panels.values()) start();
  }
}

function notOnDisk(uri: Uri): UserError {
  return new UserError(
    t`${path.posix.basename(uri.path)} is not a file on disk (its address begins with ${uri.scheme}:), and runs are read from disk`,
    t("Save a copy to a folder and open that, or show this one as text."),
  );
}

/** Undefined when there is no such file. */
async function stampOf(file: string): Promise<DiskStamp | undefined> {
  try {
    const { mtimeMs, size } = await stat(file);
    return { mtimeMs, bytes: size };
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
