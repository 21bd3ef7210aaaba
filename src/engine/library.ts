import {
  libraryTable,
  libraryText,
  libraryViews,
  noteChange,
  type LibraryChoice,
  type LibraryFormat,
  type LibraryRun,
} from "../core/library/index.js";
import type { LeftOutFile } from "../core/model/index.js";
import { csvLine, safeCsvLine } from "../core/text/csv-line.js";
import { notesPlace } from "../files/library/notes.js";
import { noteRuns, readLibrary } from "../files/library/library.js";
import { watchRuns } from "../files/library/watch.js";
import type { NoteEdit, OfferedColumn, ShownRuns } from "../protocol/library.js";
import { offeredColumns, shownRuns } from "./shown-runs.js";

/** Pages hear of runs that are read this often. */
const TELL_MS = 500;

export interface LibraryHost {
  /** Called before a run is read. */
  readonly onReading: (path: string) => void;
  /** Something else is to be shown. */
  readonly onChange: () => void;
}

/** The runs of a folder, read on as they come and change. */
export class RunLibrary {
  private runs: readonly LibraryRun[] = [];
  /** Settles with the first rows. */
  private readonly first: Promise<void>;
  private share: number | undefined = 0;
  private reading: Promise<void>;
  private isStale = false;
  private readonly closed = new AbortController();

  constructor(
    readonly folder: string,
    private readonly leftOut: readonly LeftOutFile[],
    private readonly host: LibraryHost,
  ) {
    let shown: () => void = () => undefined;
    this.first = new Promise((resolve) => (shown = resolve));
    this.reading = this.read(shown);
    // Who asks is told; nobody else waits.
    this.reading.catch(() => undefined);
    watchRuns(folder, () => this.refresh(), this.closed.signal);
  }

  /** The chosen runs, as far as they are known. @throws UserError */
  async shown(choice: LibraryChoice): Promise<ShownRuns> {
    const runs = await this.known();
    const { reason } = await notesPlace(this.folder);
    return {
      ...shownRuns(this.folder, runs, choice),
      ...(this.share === undefined ? {} : { reading: this.share }),
      ...(reason === undefined ? {} : { notesElsewhere: reason }),
    };
  }

  async columns(): Promise<readonly OfferedColumn[]> {
    return offeredColumns(await this.known());
  }

  /** @throws UserError */
  async note(ids: readonly string[], edit: NoteEdit): Promise<null> {
    const change = noteChange(edit);
    await noteRuns(this.folder, await this.of(ids), () => change);
    const noted = new Set(ids);
    this.runs = this.runs.map((run) =>
      noted.has(run.id)
        ? {
            ...run,
            note: Object.fromEntries(
              Object.entries({ ...run.note, ...change }).filter(([, value]) => value !== undefined),
            ),
          }
        : run,
    );
    this.host.onChange();
    return null;
  }

  async text(choice: LibraryChoice, format: LibraryFormat, csvSafe: boolean): Promise<string> {
    return libraryText(libraryTable(await this.known(), choice), format, csvSafe ? safeCsvLine : csvLine);
  }

  async files(ids: readonly string[]): Promise<readonly (readonly string[])[]> {
    return (await this.of(ids)).map(({ files }) => files);
  }

  async views(): Promise<string> {
    return libraryViews((await this.known()).filter(({ files }) => files.length > 0));
  }

  close(): void {
    this.closed.abort();
  }

  private async known(): Promise<readonly LibraryRun[]> {
    await Promise.race([this.first, this.reading]);
    return this.runs;
  }

  /** In the order of their ids. */
  private async of(ids: readonly string[]): Promise<readonly LibraryRun[]> {
    const runs = new Map((await this.known()).map((run) => [run.id, run]));
    return ids.flatMap((id) => runs.get(id) ?? []);
  }

  /** What changes while the folder is read is read after that. */
  private refresh(): void {
    if (this.isStale) return;
    this.isStale = true;
    const again = () => {
      this.isStale = false;
      if (this.closed.signal.aborted) return undefined;
      return this.read();
    };
    this.reading = this.reading.then(again, again);
    this.reading.catch(() => this.host.onChange());
  }

  private async read(onFirst: () => void = () => undefined): Promise<void> {
    let told = 0;
    const tell = (runs: () => readonly LibraryRun[]) => {
      if (performance.now() - told < TELL_MS) return;
      told = performance.now();
      this.runs = runs();
      this.host.onChange();
    };
    this.runs = await readLibrary(this.folder, {
      leftOut: this.leftOut,
      onReading: this.host.onReading,
      signal: this.closed.signal,
      onFirst: (runs) => {
        this.runs = runs;
        this.share = 0;
        onFirst();
      },
      onProgress: (fraction, known) => {
        this.share = fraction;
        tell(known);
      },
    });
    this.share = undefined;
    this.host.onChange();
  }
}
