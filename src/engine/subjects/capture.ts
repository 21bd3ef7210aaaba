import type { Problem } from "../../core/model/index.js";
import { tileSteps } from "../../core/query/index.js";
import type { ExportOptions, RunAdjustment, RunHeader } from "../../protocol/index.js";
import { withIdleParts } from "../../files/index.js";
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
    private readonly owned: Capture,
    private readonly notices: readonly Problem[],
  ) {
    super();
    const { run } = owned;
    this.answers = runAnswers(run);
    this.tiles = new LiveTiles((signal) => runSteps(tileSteps(run, { isLive: this.isLive }), signal));
  }

  override get capture(): Capture {
    return this.owned;
  }

  override get isLive(): boolean {
    return this.owned.state === "capturing";
  }

  get inputConfig() {
    return this.owned.run.metadata.inputConfig;
  }

  protected describe(): RunHeader {
    return captureHeader(this.owned, this.notices);
  }

  protected settled() {
    return this.owned.run;
  }

  /** While it goes on, what is measured can be switched, and nothing else of its window. */
  override adjust({ windowRule, ...others }: RunAdjustment): void {
    if (windowRule !== undefined && this.isLive) this.owned.measureBy(windowRule);
    super.adjust(windowRule === undefined || this.isLive ? others : { ...others, windowRule });
  }

  override advance(): Promise<boolean> {
    this.owned.followLoad();
    return super.advance();
  }

  protected override refuseWindow(): void {
    if (this.owned.state !== "stopped")
      throw engineError("unusable-settings", "the window of a capture can be changed once it has stopped");
  }

  protected async write(options: ExportOptions, context: ExportMonitor): Promise<Exported> {
    // The final scrapes belong to the artifacts.
    if (this.owned.state === "stopping") await this.owned.stop(context.signal);
    const { nothing } = this.owned;
    if (nothing !== undefined) throw engineError("nothing-captured", nothing.reason, nothing.remedy);
    const { run } = this.owned;
    return this.writeRun(run, { ...options, formats: withIdleParts(run, options.formats) }, context);
  }
}
