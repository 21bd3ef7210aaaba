/* node:worker_threads where there is no Node: a worker of the browser, whose files the extension host reads for it. */
import { Uri, workspace } from "vscode";
import { threadPort } from "../../engine/port.js";
import { ChannelServer } from "../../protocol/channel.js";
import type { DiskRequests } from "../disk.js";
import { workspaceDisk } from "../workspace-disk.js";

type Listener = (value: never) => void;

interface WorkerOptions {
  readonly name: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const parentPort = null;

export class Worker {
  private readonly listeners = new Map<string, Set<Listener>>();
  private readonly started: Promise<BrowserWorker>;
  private isOver = false;

  /** @param bundle the address of its script */
  constructor(bundle: string, options: WorkerOptions) {
    this.started = this.start(Uri.parse(bundle), options);
    this.started.catch((error: unknown) => this.emit("error", error));
    new ChannelServer<DiskRequests, Record<never, never>>(threadPort(this as never), workspaceDisk);
  }

  postMessage(message: unknown, transfer: readonly ArrayBuffer[] = []): void {
    void this.started.then(
      (worker) => worker.postMessage(message, transfer),
      () => undefined,
    );
  }

  on(event: string, listener: Listener): void {
    const all = this.listeners.get(event) ?? new Set();
    this.listeners.set(event, all.add(listener));
  }

  once(event: string, listener: Listener): void {
    this.on(event, listener);
  }

  off(event: string, listener: Listener): void {
    this.listeners.get(event)?.delete(listener);
  }

  async terminate(): Promise<void> {
    if (this.isOver) return;
    this.isOver = true;
    const worker = await this.started.catch(() => undefined);
    worker?.terminate();
    this.emit("exit", 0);
  }

  /** A script of another origin cannot be started, so it is read and started from memory. */
  private async start(bundle: Uri, { name, env }: WorkerOptions): Promise<BrowserWorker> {
    const script = await workspace.fs.readFile(bundle);
    const url = URL.createObjectURL(new Blob([`self.environment=${JSON.stringify(env)};`, script]));
    const worker = new self.Worker(url, { name });
    worker.onmessage = ({ data }) => this.emit("message", data);
    worker.onerror = ({ message = "it could not be started" }) => {
      this.emit("error", new Error(message));
      void this.terminate();
    };
    return worker;
  }

  private emit(event: string, value: unknown): void {
    for (const listener of [...(this.listeners.get(event) ?? [])]) listener(value as never);
  }
}
