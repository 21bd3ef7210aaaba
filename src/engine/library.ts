import {
  finishedRuns,
  libraryTable,
  libraryText,
  libraryViews,
  editedNote,
  type JudgedColumn,
  type LibraryChoice,
  type LibraryFormat,
  type LibraryRun,
  type RunNote,
} from "../core/library/index.js";
import type { LeftOutFile } from "../core/model/index.js";
import type { SweepRuns } from "../core/sweep/index.js";
import { csvLine, safeCsvLine } from "../core/text/csv-line.js";
import { notesPlace } from "../files/library/notes.js";
import { noteRuns, readLibrary, type LibraryOptions } from "../files/library/library.js";
import { watchRuns } from "../files/library/watch.js";
import type { NoteEdit, OfferedColumn, ShownHistory, ShownRuns } from "../protocol/library.js";
import type { ReportedRuns } from "../protocol/index.js";
import { reportedRuns } from "./report/reported-runs.js";
import { libraryParquet } from "../files/library/table-parquet.js";
import { runHistory } from "./run-history.js";
import { judgedColumns, RunJudge, starredRun, type Judging } from "./judge.js";
import { fileMemory } from "./worker-setup.js";
import { offeredColumns, shownRuns, shownSweep } from "../protocol/shown-runs.js";

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
  /** What was noted since the folder was last begun to be read. */
  private readonly noted = new Map<string, RunNote>();
  private readonly kept: NonNullable<LibraryOptions["kept"]> = new Map();
  /** Why notes are not written beside the runs; asked as often as the folder is read. */
  private notesElsewhere: string | undefined;
  private share: number | undefined = 0;
  private reading: Promise<void> = Promise.resolve();
  private isStale = false;
  private readonly closed = new AbortController();
  private readonly judge: RunJudge;
  /** As last asked. */
  private by: Judging = {};
  private judged: Promise<void> = Promise.resolve();
  /** Under way; its share once there is something to do. */
  private judging: { share?: number } | undefined;
  /** Up to when changes that come one after the other are told together. */
  private toldUntil = 0;

  constructor(
    readonly folder: string,
    private readonly leftOut: readonly LeftOutFile[],
    private readonly host: LibraryHost,
  ) {
    this.judge = new RunJudge(folder);
    this.first = new Promise((resolve, reject) => {
      this.reading = this.read(resolve);
      this.reading.then(resolve, reject);
    });
    // The first rows do not wait for it; what came meanwhile is read then.
    const follow = () => {
      if (this.closed.signal.aborted) return;
      watchRuns(folder, () => this.refresh(), this.closed.signal);
      this.refresh();
    };
    // Who asks is told of a failure.
    this.reading.then(follow, follow);
    this.first.catch(() => undefined);
  }

  /** The chosen runs, as far as they are known. @throws UserError */
  async shown(choice: LibraryChoice, by: Judging = {}): Promise<ShownRuns> {
    const judged = judgedColumns(choice);
    this.by = by;
    const runs = await this.judgedFor(judged);
    if (judged.length > 0) this.judgeRuns(judged);
    const { notesElsewhere: reason } = this;
    return {
      ...shownRuns(this.folder, runs, choice),
      ...(this.share === undefined ? {} : { reading: this.share }),
      ...(this.judging?.share === undefined ? {} : { judging: this.judging.share }),
      hints: hintsFor(judged, runs, by),
      ...(reason === undefined ? {} : { notesElsewhere: reason }),
    };
  }

  async columns(): Promise<readonly OfferedColumn[]> {
    return offeredColumns(await this.known());
  }

  /** @throws UserError */
  async note(ids: readonly string[], edit: NoteEdit): Promise<null> {
    const runs = await this.of(ids);
    await noteRuns(this.folder, runs, () => edit);
    for (const { id, note } of runs) this.noted.set(id, editedNote(note, edit));
    this.show(this.runs);
    this.refresh();
    this.host.onChange();
    return null;
  }

  async history(choice: LibraryChoice): Promise<ShownHistory> {
    return runHistory(this.folder, finishedRuns(await this.judgedFor(judgedColumns(choice))), choice);
  }

  async swept(choice: LibraryChoice): Promise<SweepRuns> {
    return shownSweep(await this.judgedFor(judgedColumns(choice)), choice);
  }

  async text(choice: LibraryChoice, format: LibraryFormat, csvSafe: boolean): Promise<string | Uint8Array> {
    const table = libraryTable(finishedRuns(await this.judgedFor(judgedColumns(choice))), choice);
    return format === "parquet" ? libraryParquet(table) : libraryText(table, format, csvSafe ? safeCsvLine : csvLine);
  }

  async files(ids: readonly string[]): Promise<readonly (readonly string[])[]> {
    return (await this.of(ids)).map(({ files }) => files);
  }

  /** All runs, once they are read. @throws UserError */
  async reported(): Promise<ReportedRuns> {
    await this.reading;
    return reportedRuns(this.folder, finishedRuns(this.runs));
  }

  async views(): Promise<string> {
    return libraryViews((await this.known()).filter(({ files }) => files.length > 0));
  }

  /** Settles once nothing is written any more. */
  async close(): Promise<void> {
    this.closed.abort();
    await Promise.allSettled([this.reading, this.judged]);
  }

  /** With what is known of these columns by now. */
  private async judgedFor(columns: readonly JudgedColumn[]): Promise<readonly LibraryRun[]> {
    const runs = await this.known();
    return columns.length === 0 ? runs : this.judge.known(runs, columns, this.by);
  }

  private async known(): Promise<readonly LibraryRun[]> {
    // A folder that was not there may be there now.
    await this.first.catch(() => this.reading);
    return this.runs;
  }

  /** In the order of their ids. */
  private async of(ids: readonly string[]): Promise<readonly LibraryRun[]> {
    const runs = new Map((await this.known()).map((run) => [run.id, run]));
    return ids.flatMap((id) => runs.get(id) ?? []);
  }

  /** In the background; who asks meanwhile gets what is there. */
  private judgeRuns(columns: readonly JudgedColumn[]): void {
    if (this.judging !== undefined || this.share !== undefined) return;
    const judging: { share?: number } = {};
    const { runs } = this;
    this.judging = judging;
    const work = this.judge.judge(runs, columns, this.by, {
      signal: this.closed.signal,
      onJudged: (share) => {
        judging.share = share;
        this.tellSoon();
      },
      onReading: this.host.onReading,
      leftOut: this.leftOut,
    });
    this.judged = work
      .catch(() => undefined)
      .finally(() => {
        this.judging = undefined;
        // What came meanwhile is judged once it is asked for.
        if (judging.share !== undefined || runs !== this.runs) this.host.onChange();
      });
  }

  /** Changes that come one after the other are told a few times a second. */
  private tellSoon(): void {
    if (performance.now() < this.toldUntil) return;
    this.toldUntil = performance.now() + TELL_MS;
    this.host.onChange();
  }

  /** What changes while the folder is read is read after that. */
  private refresh(): void {
    if (this.isStale) return;
    this.isStale = true;
    const again = async () => {
      this.isStale = false;
      if (!this.closed.signal.aborted) await this.read();
    };
    this.reading = this.reading.then(again, again);
    this.reading.catch(() => this.host.onChange());
  }

  private async read(onFirst: () => void = () => undefined): Promise<void> {
    this.noted.clear();
    this.notesElsewhere = (await notesPlace(this.folder)).reason;
    const runs = await readLibrary(this.folder, {
      kept: this.kept,
      leftOut: this.leftOut,
      ...fileMemory(),
      onReading: this.host.onReading,
      signal: this.closed.signal,
      onProgress: (fraction, known) => {
        this.share = fraction;
        if (fraction === 0 || performance.now() >= this.toldUntil) this.show(known());
        if (fraction === 0) onFirst();
        else this.tellSoon();
      },
    });
    this.show(runs);
    this.share = undefined;
    this.host.onChange();
  }

  private show(runs: readonly LibraryRun[]): void {
    const { noted } = this;
    this.runs = noted.size === 0 ? runs : runs.map((run) => ({ ...run, note: noted.get(run.id) ?? run.note }));
  }
}

function hintsFor(columns: readonly JudgedColumn[], runs: readonly LibraryRun[], by: Judging): readonly string[] {
  return [
    ...(columns.includes("verdict") && starredRun(runs) === undefined
      ? ["Star one run, and only one: the others are compared with it."]
      : []),
    ...(columns.includes("slo") && (by.objectives ?? []).length === 0
      ? ["Set objectives in the setting serverMetrics.slo: their attainment is shown then."]
      : []),
  ];
}
