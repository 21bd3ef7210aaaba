import { setTimeout } from "node:timers/promises";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { MessageChannel, Worker } from "node:worker_threads";
import type { ArtifactFormat } from "../../core/artifacts/index.js";
import type { Run } from "../../core/store/index.js";
import type { ExportContext, ExportPlan, FormatWriter } from "./artifact-writer.js";
import { runInBackground } from "../background.js";
import { errorOf, type ThreadAnswer, type ThreadRequest } from "./messages.js";

/** How long the run may hold the event loop at a time while it is sent, to threads that start meanwhile. */
const HOLD_MS = 4;
/**
 * Where other threads of this process want all cores, work that rests now and then gets a core as soon as it asks; work
 * that does not waits for theirs in the middle of its turns.
 */
const REST_MS = 1;

/** The bundle of `export-worker.ts`; absent where the sources run, which then write on the one thread there is. */
export function exportBundle(): string | undefined {
  // A CommonJS bundle has no import.meta.url, a module no __dirname.
  const here = typeof __dirname === "string" ? __dirname : dirname(fileURLToPath(import.meta.url));
  const path = join(here, "export.js");
  return existsSync(path) ? path : undefined;
}

/** Writes artifacts on a thread that gets the run as it stands now; sealed cells are shared with it. */
export class ExportThread implements FormatWriter {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();
  private next = 0;
  private ended: Error | undefined;

  constructor(bundle: string, { signal, onProgress }: ExportContext) {
    this.worker = new Worker(bundle, { name: "server-metrics export" });
    this.worker.on("message", (answer: ThreadAnswer) => {
      if (answer.kind === "progress") return onProgress?.(answer.message, answer.fraction);
      const waiting = this.waiting.get(answer.id);
      this.waiting.delete(answer.id);
      if (answer.kind === "done") waiting?.resolve();
      else waiting?.reject(errorOf(answer.error));
    });
    this.worker.once("error", (error) => this.fail(error));
    this.worker.once("exit", () => this.fail(new Error("the thread that writes it ended")));
    const stop = () => void this.close();
    signal?.addEventListener("abort", stop, { once: true });
    this.worker.once("exit", () => signal?.removeEventListener("abort", stop));
  }

  send(request: ThreadRequest): void {
    this.worker.postMessage(request, "port" in request ? [request.port] : []);
  }

  /** Computes a part of the other thread's statistics from now on. */
  help(other: ExportThread): void {
    if (this.ended !== undefined) return;
    const { port1, port2 } = new MessageChannel();
    this.send({ kind: "help", port: port1 });
    other.send({ kind: "helped", port: port2 });
  }

  write(format: ArtifactFormat, path: string): Promise<void> {
    return this.ask((id) => ({ kind: "write", id, format, path }));
  }

  check(format: ArtifactFormat, path: string): Promise<void> {
    return this.ask((id) => ({ kind: "check", id, format, path }));
  }

  writePhase(index: number, path: string): Promise<void> {
    return this.ask((id) => ({ kind: "phase", id, index, path }));
  }

  /** Ends the thread, whatever it does. */
  async close(): Promise<void> {
    await this.worker.terminate();
  }

  private ask(request: (id: number) => ThreadRequest): Promise<void> {
    if (this.ended !== undefined) return Promise.reject(this.ended);
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send(request(id));
    });
  }

  private fail(error: Error): void {
    this.ended ??= error;
    for (const { reject } of this.waiting.values()) reject(this.ended);
    this.waiting.clear();
  }
}

/** Sends a run to threads, step by step: a fleet has tens of thousands of series. @throws the signal's reason */
export async function sendRun(
  run: Run,
  plan: ExportPlan,
  threads: readonly ExportThread[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const { head, series } = run.parts();
  for (const thread of threads) thread.send({ kind: "run", head, plan });
  const sending = function* () {
    for (const part of series) {
      for (const thread of threads) thread.send({ kind: "series", part });
      yield;
    }
  };
  await runInBackground(sending(), {
    holdMs: HOLD_MS,
    rest: () => setTimeout(REST_MS),
    check: () => signal?.throwIfAborted(),
  });
}
