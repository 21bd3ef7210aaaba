import { pendingTiles, runPlans, SliceEstimates, tileSteps } from "../../core/query/index.js";
import type { Run } from "../../core/store/index.js";
import type { OpenedFile, RunHeader } from "../../protocol/index.js";
import { runAnswers } from "../answers.js";
import { engineError } from "../engine-error.js";
import { readingHeader } from "../header.js";
import { LiveTiles } from "../capture/live-tiles.js";
import { runSteps } from "../stepper.js";
import { Subject, type SubjectHost } from "./subject.js";

/** A file's run from its first scrapes on, until all of it has been read. */
export class ReadingSubject extends Subject {
  readonly answers;
  readonly tiles;
  /** Of its series, which keep their ids in the run that takes its place. */
  readonly estimates = new SliceEstimates();

  /** @param share of the file that has been read, 0 to 1 */
  constructor(
    protected override readonly run: Run,
    readonly file: OpenedFile,
    private readonly share: () => number,
    private readonly host: Pick<SubjectHost, "beside">,
  ) {
    super(run);
    this.answers = runAnswers(run, this.estimates);
    // The run is shown before its tiles are.
    this.tiles = new LiveTiles((signal) => runSteps(tileSteps(run), signal), pendingTiles(runPlans(run)));
  }

  override get isLive(): boolean {
    return true;
  }

  /** Beside reading they take their time; what is there so far is shown meanwhile. */
  override readTiles(): Promise<void> {
    this.host.beside(() => this.tiles.readIfDue());
    return Promise.resolve();
  }

  override follow(): Promise<never> {
    throw engineError("still-reading", "the file is still being read", "Follow it when it has been read.");
  }

  protected describe(): RunHeader {
    return readingHeader(this.run, this.file, this.share());
  }

  protected override settled(): never {
    throw engineError("still-reading", "the file is still being read", "Wait until it has been read.");
  }
}
