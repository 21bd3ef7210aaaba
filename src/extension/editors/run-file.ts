import { t } from "@vscode/l10n";
import path from "node:path";
import { UserError } from "../../core/text/user-error.js";
import { ENGINE_ENDED } from "../../engine/client.js";
import type { OpenedFile, OpenedSource, RunEvents } from "../../protocol/index.js";
import type { Problem } from "../../protocol/run-requests.js";
import type { RunEngine, SpawnEngine } from "../engine.js";
import type { RunSource } from "../view/source.js";
import { SharedEngine } from "./shared-engine.js";
import { messageOf } from "../../core/text/error-text.js";

/** A file being read in an engine of its own. */
export interface RunReading {
  readonly engine: RunEngine;
  /** Settles, and never rejects, when all has been read or reading has ended for another reason. */
  readonly over: Promise<void>;
  readonly cancel: () => void;
}

export interface RunFileParts {
  readonly spawnEngine: SpawnEngine;
  /** Reading has begun. */
  onReading(reading: RunReading): void;
  /** All has been read. */
  onRead(file: OpenedFile): void;
  /** What pages show is no more: they start over. */
  onRestart(): void;
  /** The engine has ended without having been asked to. */
  onCrash(error: UserError): void;
  /** The file is read on as it grows, or no longer is. */
  onFollowing(following: boolean): void;
  /** Following has ended by itself: why, and what to do. */
  onNotice(problem: Problem): void;
}

interface Attempt {
  readonly kind: "reading" | "read";
  readonly shared: SharedEngine;
  readonly engine: RunEngine;
  /** Settles, and never rejects, when there is something to ask or the attempt is over. */
  readonly usable: Promise<void>;
  readonly unsubscribe: () => void;
}

type State = Attempt | { readonly kind: "failed"; readonly error: UserError };

/**
 * A run read from a file, anew as often as asked. It answers any number of views; one that asks while the file is read
 * waits.
 */
export class RunFile {
  private state: State;
  private readonly listeners: { readonly [K in keyof RunEvents]: Set<(payload: RunEvents[K]) => void> } = {
    progress: new Set(),
    families: new Set(),
  };
  private following = false;
  /** Settles, and never rejects, when the attempt under way has read all or has ended. */
  private over: Promise<void> = Promise.resolve();

  constructor(
    private opened: OpenedSource,
    private readonly parts: RunFileParts,
  ) {
    this.state = this.begin();
  }

  private get name(): string {
    return path.basename(this.opened.path);
  }

  /** Reads from the beginning, in a new engine. @param source absent: what was read before */
  restart(source = this.opened): void {
    this.release();
    this.opened = source;
    this.state = this.begin();
    this.parts.onRestart();
  }

  /**
   * What one view asks. After a failure it has been reported of, a view's next first question is its Retry.
   */
  source(): RunSource {
    let reported: UserError | undefined;
    return {
      call: async (name, params, signal, onProgress) => {
        if (name === "describe" && this.state.kind === "failed" && this.state.error === reported) this.restart();
        try {
          const { client }: { readonly client: RunSource } = await this.ready();
          return await client.call(name, params, signal, onProgress);
        } finally {
          if (name === "describe") reported = this.state.kind === "failed" ? this.state.error : undefined;
        }
      },
      on: (name, listener) => {
        reported = undefined;
        const listeners = this.listeners[name];
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
  }

  get isFollowed(): boolean {
    return this.following;
  }

  /** Whether it has been appended to since it was read. @throws UserError, with code "replaced" for another file */
  async hasGrown(): Promise<boolean> {
    return (await this.whole()).call("hasGrown", {});
  }

  /** Reads on as it grows, or no longer. @throws UserError when it cannot be followed */
  async follow(on: boolean): Promise<void> {
    await (await this.whole()).call("follow", { on });
  }

  /** The engine that holds the whole run, for one more user. @throws UserError why there is none */
  share(): RunEngine {
    if (this.state.kind === "failed") throw this.state.error;
    if (this.state.kind === "reading")
      throw new UserError(t`${this.name} is still being read`, t("Export it when it has been read."), {
        code: "still-reading",
      });
    return this.state.shared.share();
  }

  dispose(): void {
    for (const listeners of Object.values(this.listeners)) listeners.clear();
    this.release();
    this.state = {
      kind: "failed",
      error: new UserError(t("the editor was closed"), undefined, { code: "disposed" }),
    };
  }

  private begin(): Attempt {
    const shared = new SharedEngine(this.parts.spawnEngine());
    const engine = shared.share();
    const controller = new AbortController();
    let settleUsable: () => void = () => undefined;
    const usable = new Promise<void>((resolve) => (settleUsable = resolve));
    const ends = [
      engine.client.on("notice", (problem) => this.parts.onNotice(problem)),
      engine.client.on("progress", (payload) => {
        // An engine reports once it has something to show, which may be long before the end of the file.
        settleUsable();
        this.setFollowing(payload.header.state === "following");
        for (const listener of this.listeners.progress) listener(payload);
      }),
      engine.client.on("families", (payload) => {
        for (const listener of this.listeners.families) listener(payload);
      }),
    ];
    const unsubscribe = () => {
      for (const end of ends) end();
    };
    const attempt: Attempt = { kind: "reading", shared, engine, usable, unsubscribe };
    let current: State = attempt;
    const fail = (error: UserError) => {
      if (this.state !== current) return;
      this.release();
      this.state = { kind: "failed", error };
      // What was shown up to now has gone with its engine.
      if (shown) this.parts.onRestart();
    };
    let shown = false;
    void usable.then(() => (shown = true));

    const over = engine.client
      .call("open", this.opened, controller.signal)
      .then(
        (file) => {
          if (this.state !== current) return;
          this.state = current = { ...attempt, kind: "read" };
          this.parts.onRead(file);
        },
        async (error: unknown) => {
          // An engine that ended has more to say by itself.
          const ended = error instanceof UserError && error.code === ENGINE_ENDED ? await engine.crashed : undefined;
          if (ended === undefined) fail(this.failure(error, controller.signal.aborted));
        },
      )
      .then(settleUsable);
    void engine.crashed.then((reason) => {
      if (reason === undefined || this.state !== current) return;
      const error = new UserError(
        t`the engine for ${this.name} ended unexpectedly: ${reason}`,
        t("Retry reads the file again; the log (“Server Metrics: Show Log”) may say more."),
        { code: ENGINE_ENDED },
      );
      fail(error);
      settleUsable();
      this.parts.onCrash(error);
    });
    this.over = over;
    this.parts.onReading({ engine, over, cancel: () => controller.abort() });
    return attempt;
  }

  private failure(error: unknown, cancelled: boolean): UserError {
    if (cancelled)
      return new UserError(t`reading ${this.name} was cancelled`, t("Retry reads it from the beginning."), {
        code: "cancelled",
      });
    if (error instanceof UserError) return error;
    return new UserError(t`${this.name} could not be read: ${messageOf(error)}`, undefined, { code: "internal" });
  }

  /** The engine once it has read all. @throws UserError why there is none */
  private async whole(): Promise<RunEngine["client"]> {
    while (this.state.kind === "reading") await this.over;
    if (this.state.kind === "failed") throw this.state.error;
    return this.state.engine.client;
  }

  /** What can be asked, waited for. @throws UserError why there is nothing */
  private async ready(): Promise<RunEngine> {
    for (;;) {
      const { state } = this;
      if (state.kind === "failed") throw state.error;
      await state.usable;
      // Read to its end, replaced or failed in the meantime?
      const now = this.state;
      if (now.kind !== "failed" && now.engine === state.engine) return state.engine;
    }
  }

  private setFollowing(following: boolean): void {
    if (this.following === following) return;
    this.following = following;
    this.parts.onFollowing(following);
  }

  private release(): void {
    if (this.state.kind === "failed") return;
    this.state.unsubscribe();
    this.setFollowing(false);
    void this.state.engine.dispose();
  }
}
