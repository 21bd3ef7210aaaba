import { commands, Disposable, EventEmitter } from "vscode";
import { CONTEXT_KEYS } from "../command-ids.js";
import type { EngineRun } from "../engine.js";

/** What the one capture of this window is doing. */
export type CaptureState =
  | { readonly kind: "idle" }
  /** Endpoints are being tested. */
  | { readonly kind: "preparing" }
  | { readonly kind: "capturing"; readonly run: EngineRun }
  | { readonly kind: "stopping"; readonly run: EngineRun };

/** The capture in progress and the latest run, which stays open for views and exports until the next capture begins. */
export class Captures implements Disposable {
  private current: CaptureState = { kind: "idle" };
  private attached: { readonly run: EngineRun; readonly hold: Disposable; readonly listeners: Disposable } | undefined;
  private readonly changed = new EventEmitter<void>();
  private readonly contexts = new Map<string, unknown>();
  /** State, latest run, or what is known of it. */
  readonly onDidChange = this.changed.event;

  get state(): CaptureState {
    return this.current;
  }

  /** The run views and exports are about, running or stopped. */
  get latest(): EngineRun | undefined {
    return this.attached?.run;
  }

  /** The run being captured. */
  get active(): EngineRun | undefined {
    return this.current.kind === "capturing" || this.current.kind === "stopping" ? this.current.run : undefined;
  }

  setState(state: CaptureState): void {
    this.current = state;
    this.report();
  }

  /** Makes `run` the latest; the one before is let go. */
  setLatest(run: EngineRun): void {
    const before = this.attached;
    this.attached = {
      run,
      hold: run.hold(),
      listeners: Disposable.from(
        run.onDidChange(() => this.report()),
        run.onDidEnd(() => this.forget(run)),
      ),
    };
    before?.listeners.dispose();
    before?.hold.dispose();
    this.report();
  }

  dispose(): void {
    this.attached?.listeners.dispose();
    this.changed.dispose();
  }

  private forget(run: EngineRun): void {
    if (this.attached?.run === run) {
      this.attached.listeners.dispose();
      this.attached = undefined;
    }
    if (this.active === run) this.current = { kind: "idle" };
    this.report();
  }

  private report(): void {
    this.setContext(CONTEXT_KEYS.busy, this.current.kind !== "idle");
    this.setContext(CONTEXT_KEYS.capturing, this.current.kind === "capturing");
    this.setContext(
      CONTEXT_KEYS.warmup,
      this.current.kind === "capturing" && this.current.run.header?.phase === "warmup",
    );
    this.setContext(CONTEXT_KEYS.hasRun, this.latest !== undefined);
    this.setContext(CONTEXT_KEYS.canExport, this.latest !== undefined && this.active === undefined);
    this.changed.fire();
  }

  private setContext(key: string, value: unknown): void {
    if (this.contexts.get(key) === value) return;
    this.contexts.set(key, value);
    void commands.executeCommand("setContext", key, value);
  }
}
