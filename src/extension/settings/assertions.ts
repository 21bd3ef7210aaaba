import { Disposable, EventEmitter, workspace } from "vscode";
import type { Assertion } from "../../protocol/index.js";
import type { Notifier } from "../notify.js";
import { SETTINGS } from "./definitions.js";
import { readSetting } from "./read.js";

/**
 * The assertions of the settings, as views show them. What cannot be read is said once, and none are shown until it has
 * been corrected.
 */
export class ShownAssertions implements Disposable {
  private list: readonly Assertion[] | undefined;
  private readonly changed = new EventEmitter<readonly Assertion[]>();
  private readonly subscriptions: Disposable;
  readonly onDidChange = this.changed.event;

  constructor(private readonly notifier: Notifier) {
    this.subscriptions = Disposable.from(
      this.changed,
      workspace.onDidChangeConfiguration((event) => {
        if (!event.affectsConfiguration(SETTINGS.assertions.key)) return;
        this.list = this.read();
        this.changed.fire(this.list);
      }),
    );
  }

  get current(): readonly Assertion[] {
    return (this.list ??= this.read());
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  private read(): readonly Assertion[] {
    try {
      return readSetting(SETTINGS.assertions);
    } catch (error) {
      this.notifier.error(error);
      return [];
    }
  }
}
