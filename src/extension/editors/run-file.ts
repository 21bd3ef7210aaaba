import { t } from "@vscode/l10n";
import type { Disposable } from "vscode";
import path from "node:path";
import { UserError, messageOf } from "../../core/text/errors.js";
import { ENGINE_ENDED } from "../../engine/client.js";
import type { OpenedFile, OpenedSource } from "../../protocol/index.js";
import { EngineRun, type RunEngine, type SpawnEngine } from "../engine.js";
import type { Notifier } from "../notify.js";
import { withEngineProgress } from "../progress.js";
import type { RunSource } from "../view/bridge.js";
import { problemWords, words } from "../words.js";

export interface RunFileParts {
  readonly spawnEngine: SpawnEngine;
  readonly notifier: Notifier;
  /** All has been read. */
  onRead(file: OpenedFile): void;
  /** It is read anew, or what pages show is no more: they start over. */
  onRestart(): void;
  /** The file is read on as it grows, or no longer is. */
  onFollowing(following: boolean): void;
}

interface Attempt {
  readonly run: EngineRun;
  /** Keeps the engine while the file is shown. */
  readonly hold: Disposable;
  /** Settles, and never rejects, when there is something to ask or the attempt is over. */
  readonly usable: Promise<void>;
  /** Settles, and never rejects, when all has been read or reading has ended for another reason. */
  readonly over: Promise<void>;
  isRead: boolean;
  /** Why there is nothing to ask, or no longer. */
  failure: UserError | undefined;
}

/**
 * A run read from a file, anew as often as asked. It answers any number of views; one that asks while the file is read
 * waits.
 */
export class RunFile {
  private attempt: Attempt;
  private following = false;
  private disposed = false;
  /** Reads it from the beginning. */
  readonly reloading = { title: t("Reload"), run: () => this.restart() };

  constructor(
    private opened: OpenedSource,
    private readonly parts: RunFileParts,
  ) {
    this.attempt = this.begin();
  }

  private get name(): string {
    return path.basename(this.opened.path);
  }

  /** Reads from the beginning, in a new engine. @param source absent: what was read before */
  restart(source = this.opened): void {
    // A message's button may be pressed late.
    if (this.disposed) return;
    this.release();
    this.opened = source;
    this.attempt = this.begin();
    this.parts.onRestart();
  }

  /**
   * What one view asks of the attempt under way. After a failure it has been reported of, a view's next first question
   * is its Retry.
   */
  source(): RunSource {
    const { attempt } = this;
    const { client }: { readonly client: RunSource } = attempt.run.engine;
    let isReported = false;
    return {
      call: async (name, params, signal, onProgress) => {
        if (name === "describe" && isReported && attempt === this.attempt) {
          this.restart();
          return this.source().call(name, params, signal, onProgress);
        }
        await attempt.usable;
        if (attempt.failure === undefined) return client.call(name, params, signal, onProgress);
        if (name === "describe") isReported = true;
        throw attempt.failure;
      },
      on: (name, listener) => {
        isReported = false;
        return client.on(name, listener);
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

  /** The whole run. @throws UserError why there is none */
  get run(): EngineRun {
    const { run, isRead, failure } = this.attempt;
    if (failure !== undefined) throw failure;
    if (isRead) return run;
    throw new UserError(t`${this.name} is still being read`, t("Export it when it has been read."), {
      code: "still-reading",
    });
  }

  dispose(): void {
    this.disposed = true;
    this.attempt.failure ??= new UserError(t("the editor was closed"), undefined, { code: "disposed" });
    this.release();
  }

  private begin(): Attempt {
    const run = new EngineRun(this.parts.spawnEngine());
    const { client, crashed } = run.engine;
    // An engine reports once it has something to show, which may be long before the end of the file.
    const shown = new Promise<void>((resolve) => client.on("progress", () => resolve()));
    const task = { title: t`Opening ${this.name}`, request: "open" } as const;
    const opening = withEngineProgress(client, task, (signal) => client.call("open", this.opened, signal));
    const over = opening.then(
      (file) => {
        if (this.attempt !== attempt) return;
        attempt.isRead = true;
        this.parts.onRead(file);
      },
      async (error: unknown) => {
        // An engine that ended has more to say by itself.
        const ended = error instanceof UserError && error.code === ENGINE_ENDED ? await crashed : undefined;
        if (ended === undefined) this.fail(attempt, this.failure(error));
      },
    );
    const attempt: Attempt = {
      run,
      hold: run.hold(),
      usable: Promise.race([shown, over]),
      over,
      isRead: false,
      failure: undefined,
    };
    client.on("progress", ({ header }) => {
      if (this.attempt === attempt) this.setFollowing(header.state === "following");
    });
    client.on("notice", (problem) => {
      if (this.attempt === attempt) this.parts.notifier.warn(problemWords(problem), this.reloading);
    });
    void crashed.then((reason) => {
      if (reason === undefined || this.attempt !== attempt) return;
      const error = new UserError(
        t`the engine for ${this.name} ended unexpectedly: ${reason}`,
        t("Retry reads the file again; the log (“Server Metrics: Show Log”) may say more."),
        { code: ENGINE_ENDED },
      );
      this.fail(attempt, error);
      this.parts.notifier.log.error(words(error));
    });
    return attempt;
  }

  private fail(attempt: Attempt, error: UserError): void {
    if (this.attempt !== attempt || attempt.failure !== undefined) return;
    attempt.failure = error;
    this.release();
    // What was shown up to now has gone with its engine.
    if (attempt.run.header !== undefined || attempt.isRead) this.parts.onRestart();
  }

  private failure(error: unknown): UserError {
    if (error instanceof UserError && error.code === "cancelled")
      return new UserError(t`reading ${this.name} was cancelled`, t("Retry reads it from the beginning."), {
        code: "cancelled",
      });
    if (error instanceof UserError) return error;
    return new UserError(t`${this.name} could not be read: ${messageOf(error)}`, undefined, { code: "internal" });
  }

  /** The engine once it has read all. @throws UserError why there is none */
  private async whole(): Promise<RunEngine["client"]> {
    const { attempt } = this;
    await attempt.over;
    return attempt === this.attempt ? this.run.engine.client : this.whole();
  }

  private setFollowing(following: boolean): void {
    if (this.following === following) return;
    this.following = following;
    this.parts.onFollowing(following);
  }

  private release(): void {
    this.setFollowing(false);
    this.attempt.hold.dispose();
  }
}
