import type { Problem } from "../core/model/index.js";
import type { OpenedFile } from "../protocol/index.js";
import { worstFirst, type GrowingRun } from "../files/open/index.js";

/** A file that is read on as it grows. */
export class Following {
  private readonly controller = new AbortController();
  private reading: Promise<boolean> | undefined;

  /** @param said what there is to say of the file until it has been read on */
  constructor(
    private readonly growing: GrowingRun,
    private readonly opened: OpenedFile,
    private said: readonly Problem[],
  ) {}

  /** As far as it has been read. */
  get file(): OpenedFile {
    return { ...this.opened, bytes: this.growing.bytes };
  }

  /** Of the whole file, the worst first. */
  get problems(): readonly Problem[] {
    return this.said;
  }

  /**
   * Takes what has come; joins a reading under way.
   * @returns whether there were scrapes in it
   * @throws UserError when the file is gone or another one
   */
  read(): Promise<boolean> {
    return (this.reading ??= this.readMore().finally(() => (this.reading = undefined)));
  }

  /** The run is at rest again. @returns what is to be said of it */
  async end(): Promise<readonly Problem[]> {
    this.controller.abort();
    // The error has gone to whoever asked for it.
    await this.reading?.catch(() => false);
    this.growing.run.endWithLastScrape();
    return worstFirst(this.growing.notices);
  }

  private async readMore(): Promise<boolean> {
    const { grown, notices } = await this.growing.readMore({ signal: this.controller.signal });
    this.said = worstFirst(notices);
    return grown;
  }
}
