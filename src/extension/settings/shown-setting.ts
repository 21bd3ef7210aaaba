import { Disposable, EventEmitter } from "vscode";
import type { Notifier } from "../notify.js";
import { onSettings, readSetting } from "./read.js";
import type { Setting } from "./setting.js";

/**
 * A setting as views show it, and when it changes. What cannot be read is said once, and the default stands in until it
 * has been corrected.
 */
export class ShownSetting<T extends object> implements Disposable {
  private value: T | undefined;
  private readonly changed = new EventEmitter<T>();
  private readonly subscriptions: Disposable;
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly setting: Setting<T>,
    private readonly notifier: Notifier,
  ) {
    this.subscriptions = Disposable.from(
      this.changed,
      onSettings([setting], () => {
        this.value = this.read();
        this.changed.fire(this.value);
      }),
    );
  }

  get current(): T {
    return (this.value ??= this.read());
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  private read(): T {
    try {
      return readSetting(this.setting);
    } catch (error) {
      this.notifier.error(error);
      return this.setting.default;
    }
  }
}
