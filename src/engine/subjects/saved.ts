import { warningOf, type Problem } from "../../core/model/index.js";
import { describeError, type OpenedFile, type RunHeader } from "../../protocol/index.js";
import { worstFirst, type GrowingRun } from "../../files/open/index.js";
import type { ClientResult } from "../../core/client/index.js";
import { pendingTiles, runPlans, tileSteps, type SliceEstimates, type Tile } from "../../core/query/index.js";
import type { Run } from "../../core/store/index.js";
import { offerLoad } from "../../core/window/index.js";
import { runAnswers } from "../answers.js";
import { engineError } from "../engine-error.js";
import { savedHeader } from "../header.js";
import { LiveTiles } from "../capture/live-tiles.js";
import { runSteps } from "../stepper.js";
import { Subject, type SubjectHost } from "./subject.js";

/** A file that is being followed. */
interface Following {
  readonly growing: GrowingRun;
  readonly controller: AbortController;
  /** Under way. */
  reading?: Promise<boolean> | undefined;
}

interface SavedContent {
  readonly run: Run;
  readonly problems: readonly Problem[];
  /** Absent of a run that was recovered from its journal. */
  readonly file?: OpenedFile;
  /** Of a file that may be appended to. */
  readonly growing?: GrowingRun;
  /** Results of the load generator in it. */
  readonly clients?: readonly ClientResult[];
}

/** From so many series on, reading the tiles takes longer than a view should be empty. */
const MANY_SERIES = 1000;

/** A run that has been read whole, and is read on while it is followed. */
export class SavedSubject extends Subject {
  readonly answers;
  readonly tiles;
  private following: Following | undefined;
  private ending: Promise<void> | undefined;
  /** What was asked for last. */
  private wanted = false;

  /** @param shown while it was read: its tiles stand until they are read anew */
  constructor(
    private content: SavedContent,
    private readonly host: SubjectHost,
    shown: { readonly tiles?: readonly Tile[]; readonly estimates?: SliceEstimates } = {},
  ) {
    const { run } = content;
    super(run);
    this.offerLoad();
    this.answers = runAnswers(run, shown.estimates);
    const isSlow = shown.tiles === undefined && run.store.seriesCount >= MANY_SERIES;
    this.tiles = new LiveTiles(
      (signal, onSome) => {
        const showSome = (some: readonly Tile[]) => onSome([...some, ...this.tiles.latest.slice(some.length)]);
        return runSteps(tileSteps(run, { isLive: this.isLive, onSome: showSome }), signal);
      },
      shown.tiles ?? (isSlow ? pendingTiles(runPlans(run)) : []),
      () => {
        if (isSlow) host.push();
      },
    );
    if (isSlow) host.beside(() => this.tiles.readNow());
  }

  get file(): OpenedFile | undefined {
    return this.content.file;
  }

  override get isLive(): boolean {
    return this.following !== undefined;
  }

  override async advance(): Promise<boolean> {
    const { following } = this;
    if (following === undefined) return true;
    try {
      return await this.readMore(following);
    } catch (error) {
      // Given up meanwhile.
      if (this.following !== following) return false;
      const { message, remedy } = describeError(error);
      this.host.notice(warningOf(`The file is no longer followed. ${message}`, remedy));
      await this.unfollow();
      await this.host.changed();
      return false;
    }
  }

  async hasGrown(): Promise<boolean> {
    return (await this.content.growing?.hasGrown()) ?? false;
  }

  /** @throws UserError "not-followable", or when the file is not what was read, and nothing has begun */
  override async follow(): Promise<boolean> {
    this.wanted = true;
    // A reading that was given up has to end before another may begin.
    if (this.ending !== undefined) await this.ending;
    if (!this.wanted) return false;
    const { growing } = this.content;
    if (growing === undefined) return super.follow();
    const before = this.following;
    const following = (this.following ??= { growing, controller: new AbortController() });
    // Where it ends is not known while the run goes on.
    if (growing.run.windowRule === "all") growing.run.offerLoad(undefined);
    try {
      await this.readMore(following);
    } catch (error) {
      // It was stopped meanwhile.
      if (this.following !== following) return false;
      this.following = undefined;
      throw error;
    }
    return before === undefined && this.following === following;
  }

  /** @returns whether it was followed */
  async unfollow(): Promise<boolean> {
    const { following } = this;
    this.wanted = false;
    if (following === undefined) return false;
    this.following = undefined;
    this.ending = this.end(following);
    await this.ending;
    this.offerLoad();
    return true;
  }

  /** Takes what has come; joins a reading under way. @returns whether there were scrapes in it @throws UserError */
  private readMore(following: Following): Promise<boolean> {
    const { growing, controller } = following;
    const read = async () => {
      const { grown, notices } = await growing.readMore({ signal: controller.signal });
      this.note(growing, notices);
      return grown;
    };
    return (following.reading ??= read().finally(() => (following.reading = undefined)));
  }

  /** The run is at rest again. */
  private async end({ growing, controller, reading }: Following): Promise<void> {
    controller.abort();
    // The error has gone to whoever asked for it.
    await reading?.catch(() => false);
    growing.run.endWithLastScrape();
    this.note(growing, growing.notices);
  }

  /** @param notices of the whole file */
  private note({ bytes }: GrowingRun, notices: readonly Problem[]): void {
    const { file } = this.content;
    const read = file === undefined ? {} : { file: { ...file, bytes } };
    this.content = { ...this.content, ...read, problems: worstFirst(notices) };
  }

  /** A run that was saved with all of it measured keeps that; its load can be chosen. */
  private offerLoad(): void {
    const { run, clients } = this.content;
    if (run.load === undefined) offerLoad(run, clients === undefined ? undefined : { clients });
  }

  protected describe(): RunHeader {
    const { run, problems, file } = this.content;
    return savedHeader(run, problems, file, this.following === undefined ? "opened" : "following");
  }

  protected override refuseWindow(): void {
    if (this.following !== undefined)
      throw engineError(
        "unusable-settings",
        "the window cannot be changed while the file is being followed",
        "Stop following it.",
      );
  }
}
