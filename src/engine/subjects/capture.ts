import type { Problem } from "../../core/model/index.js";
import { tileSteps } from "../../core/query/index.js";
import type { ExportOptions, RunAdjustment, RunHeader } from "../../protocol/index.js";
import { runAnswers } from "../answers.js";
import type { Capture } from "../capture/capture.js";
import { engineError } from "../engine-error.js";
import { captureHeader } from "../header.js";
import { LiveTiles } from "../capture/live-tiles.js";
import { runSteps } from "../stepper.js";
import { Subject, type ExportMonitor, type Exported } from "./subject.js";

/** A capture, running or stopped. */
export class CaptureSubject extends Subject {
  readonly answers;
  readonly tiles;
  readonly file = undefined;

  /** @param notices of the run as a whole, as they come */
  constructor(
    readonly capture: Capture,
    private readonly notices: readonly Problem[],
  ) {
    const { run } = capture;
    super(run);
    this.answers = runAnswers(run);
    this.tiles = new LiveTiles((signal) => runSteps(tileSteps(run, { isLive: this.isLive }), signal));
  }

  override get isLive(): boolean {
    return this.capture.state === "capturing";
  }

  protected describe(): RunHeader {
    return captureHeader(this.capture, this.notices);
  }

  /** While it goes on, what is measured can be switched, and nothing else of its window. */
  override adjust({ windowRule, ...others }: RunAdjustment): void {
    if (windowRule !== undefined && this.isLive) this.capture.measureBy(windowRule);
    super.adjust(windowRule === undefined || this.isLive ? others : { ...others, windowRule });
  }

  override advance(): Promise<boolean> {
    this.capture.followLoad();
    return super.advance();
  }

  protected override refuseWindow(): void {
    if (this.capture.state !== "stopped")
      throw engineError("unusable-settings", "the window of a capture can be changed once it has stopped");
  }

  protected override async write(options: ExportOptions, context: ExportMonitor): Promise<Exported> {
    // The final scrapes belong to the artifacts.
    if (this.capture.state === "stopping") await this.capture.stop(context.signal);
    const { nothing } = this.capture;
    if (nothing !== undefined) throw engineError("nothing-captured", nothing.reason, nothing.remedy);
    return super.write(options, context);
  }
}
