import { t } from "@vscode/l10n";
import { commands, env, type Disposable } from "vscode";
import { spawnWorker } from "../../engine/client.js";
import { CONTEXT_KEYS } from "../command-ids.js";
import type { Notifier } from "../notify.js";
import { SETTINGS } from "../settings/definitions.js";
import { openSettings, readSetting } from "../settings/read.js";
import type { DemoEvents, DemoRequests } from "./protocol.js";

interface Running {
  readonly thread: ReturnType<typeof spawnWorker<DemoRequests, DemoEvents>>;
  readonly url: Promise<string>;
}

/**
 * The demo server of this window. It runs in a worker thread of its own: its simulation and the capture's engine do not
 * slow each other, and it ends with the extension host.
 */
export class DemoServerThread implements Disposable {
  private running: Running | undefined;

  constructor(
    private readonly workerPath: string,
    private readonly notifier: Notifier,
  ) {}

  /** URL of its metrics; starts it unless it runs. @throws UserError when it cannot listen. */
  async ensureStarted(): Promise<string> {
    const { url } = (this.running ??= this.spawn());
    return url;
  }

  async start(): Promise<void> {
    const already = this.running !== undefined;
    const url = await this.ensureStarted();
    this.notifier.info(
      already ? t`The demo server is already running: ${url}` : t`The demo server is running: ${url}`,
      {
        title: t("Start Capture"),
        run: () => commands.executeCommand("serverMetrics.startCapture", { urls: [url] }),
      },
      { title: t("Copy URL"), run: () => env.clipboard.writeText(url) },
    );
  }

  /** Writes the demo run, in a thread of its own. @throws UserError when it cannot be written */
  async record(file: string): Promise<void> {
    const thread = spawnWorker<DemoRequests, DemoEvents>(this.workerPath, "server-metrics demo run", {});
    try {
      await thread.client.call("record", { file });
    } finally {
      await thread.dispose();
    }
  }

  stop(): void {
    if (this.running === undefined) return;
    this.dispose();
    this.notifier.info(t("The demo server has been stopped."));
  }

  dispose(): void {
    const before = this.running;
    this.running = undefined;
    this.setContext();
    void before?.thread.dispose();
  }

  private spawn(): Running {
    const params = {
      port: readSetting(SETTINGS.demoPort),
      profile: readSetting(SETTINGS.demoProfile),
      seed: readSetting(SETTINGS.demoSeed),
    };
    const thread = spawnWorker<DemoRequests, DemoEvents>(this.workerPath, "server-metrics demo server", {});
    void thread.crashed.then(() => {
      if (this.running?.thread !== thread) return;
      this.running = undefined;
      this.setContext();
    });
    const url = thread.client.call("start", params).then(
      (started) => {
        this.notifier.log.info(
          `The demo server (${params.profile}, seed ${params.seed}) is listening at ${started.url}`,
        );
        this.setContext();
        return started.url;
      },
      (error: unknown) => {
        this.notifier.error(error, { title: t("Change Port"), run: () => openSettings(SETTINGS.demoPort.key) });
        this.dispose();
        throw error;
      },
    );
    return { thread, url };
  }

  private setContext(): void {
    void commands.executeCommand("setContext", CONTEXT_KEYS.demoRunning, this.running !== undefined);
  }
}
