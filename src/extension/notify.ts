import { t } from "@vscode/l10n";
import { isUserError } from "../core/text/errors.js";
import { openSettings } from "./settings/read.js";
import { showError, showInformation, showWarning, type Log } from "./workbench-text.js";
import { isCancelled, words } from "./words.js";

/** A button of a message and what it does. */
export interface MessageAction {
  readonly title: string;
  run(): unknown;
}

type Show = (message: string, ...items: string[]) => Thenable<string | undefined>;

/**
 * Messages for the person, each also in the log. Nobody waits for them; what a button's work fails with is shown too.
 */
export class Notifier {
  constructor(readonly log: Log) {}

  info(message: string, ...actions: readonly MessageAction[]): void {
    this.log.info(message);
    void this.show(showInformation, message, actions);
  }

  warn(message: string, ...actions: readonly MessageAction[]): void {
    this.log.warn(message);
    void this.show(showWarning, message, [...actions, this.showLog()]);
  }

  /** A cancelled request is nobody's failure and is not shown. */
  error(error: unknown, ...actions: readonly MessageAction[]): void {
    if (!isCancelled(error)) void this.errorUntilClosed(error, ...actions);
  }

  /** As `error`; settles when the message has been dismissed or its button has done its work, and never rejects. */
  errorUntilClosed(error: unknown, ...actions: readonly MessageAction[]): Promise<void> {
    const expected = isUserError(error) || !(error instanceof Error);
    // The stack of a mistake of ours belongs in the log, and only there.
    this.log.error(expected ? words(error) : error);
    const all = [...actions];
    if (isUserError(error) && error.setting !== undefined) {
      const { setting } = error;
      all.push({ title: t("Open Settings"), run: () => openSettings(setting) });
    }
    return this.show(showError, words(error), [...all, this.showLog()]);
  }

  /** Runs work nobody waits for; its failure is shown. */
  run(work: PromiseLike<unknown>): void {
    work.then(undefined, (error: unknown) => this.error(error));
  }

  private async show(how: Show, message: string, actions: readonly MessageAction[]): Promise<void> {
    const chosen = await how(message, ...actions.map((action) => action.title));
    try {
      await actions.find((action) => action.title === chosen)?.run();
    } catch (error) {
      this.error(error);
    }
  }

  private showLog(): MessageAction {
    return { title: t("Show Log"), run: () => this.log.show() };
  }
}
