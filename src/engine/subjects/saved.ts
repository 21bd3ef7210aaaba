import type { Problem } from "../../core/model/index.js";
import { tileSteps, type SliceEstimates, type Tile } from "../../core/query/index.js";
import type { Run } from "../../core/store/index.js";
import type { GrowingRun } from "../../files/open/index.js";
import { describeError, type ExportOptions, type OpenedFile, type RunHeader } from "../../protocol/index.js";
import { runAnswers } from "../answers.js";
import { engineError } from "../described.js";
import { Following } from "../following.js";
import { savedHeader } from "../header.js";
import { LiveTiles } from "../live-tiles.js";
import { runSteps } from "../stepper.js";
import { Subject, type ExportContext, type Exported, type SubjectHost } from "./subject.js";

export interface SavedContent {
  readonly run: Run;
  readonly problems: readonly Problem[];
  /** Absent of a run that was recovered from its journal. */
  readonly file?: OpenedFile;
  /** Of a file that may be appended to. */
  readonly growing?: GrowingRun;
}

/** A run that has been read whole, and is read on while it is followed. */
export class SavedSubject extends Subject {
  readonly answers;
  readonly tiles;
  private following: Following | undefined;

  /** @param shown while it was read: its tiles stand until they are read anew */
  constructor(
    private content: SavedContent,
    private readonly host: SubjectHost,
    shown: { readonly tiles?: readonly Tile[]; readonly estimates?: SliceEstimates } = {},
  ) {
    super();
    const { run } = content;
    this.answers = runAnswers(run, shown.estimates);
    this.tiles = new LiveTiles((signal) => runSteps(tileSteps(run), signal), shown.tiles);
  }

  get file(): OpenedFile | undefined {
    return this.content.file;
  }

  override get goesOn(): boolean {
    return this.following !== undefined;
  }

  get inputConfig() {
    return this.content.run.metadata.inputConfig;
  }

  override async advance(): Promise<boolean> {
    const { following } = this;
    if (following === undefined) return true;
    try {
      return await following.read();
    } catch (error) {
      // Given up meanwhile.
      if (this.following !== following) return false;
      const { message, remedy } = describeError(error);
      this.host.notice({
        severity: "warning",
        reason: `The file is no longer followed. ${message}`,
        ...(remedy === undefined ? {} : { remedy }),
      });
      await this.unfollow();
      await this.host.changed();
      return false;
    }
  }

  override async hasGrown(): Promise<boolean> {
    return (await this.content.growing?.hasGrown()) ?? false;
  }

  /** @throws RequestError "not-followable"; FileError when the file is not what was read, and nothing has begun */
  override async follow(): Promise<boolean> {
    if (this.following !== undefined) return false;
    const { growing, file } = this.content;
    if (growing === undefined || file === undefined) return super.follow();
    const following = new Following(growing, file);
    await following.read();
    // Asked for twice at once.
    if (this.following !== undefined) return false;
    this.following = following;
    return true;
  }

  override async unfollow(): Promise<boolean> {
    const { following } = this;
    if (following === undefined) return false;
    this.following = undefined;
    this.content = { ...this.content, problems: await following.end(), file: following.file };
    return true;
  }

  protected describe(): RunHeader {
    const { run, problems, file } = this.content;
    return this.following === undefined
      ? savedHeader(run, problems, file)
      : savedHeader(run, this.following.problems, this.following.file, "following");
  }

  protected settled(): Run {
    return this.content.run;
  }

  protected override refuseWindow(): void {
    if (this.following !== undefined)
      throw engineError(
        "unusable-settings",
        "the window of a file that is followed can be changed once it no longer is",
        "Stop following it.",
      );
  }

  protected write(options: ExportOptions, context: ExportContext): Promise<Exported> {
    return this.writeRun(this.content.run, options, context);
  }
}
