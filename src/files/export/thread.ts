import { setTimeout } from "node:timers/promises";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { MessageChannel, Worker } from "node:worker_threads";
import type { Run } from "../../core/store/index.js";
import type { ExportContext, ExportPlan, FormatTask, FormatWriter } from "./artifact-writer.js";
import { runInBackground } from "../background.js";
import { Asker, type ThreadNote, type ThreadProgress } from "./messages.js";

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
  private readonly asker: Asker<FormatTask, void>;

  constructor(bundle: string, { signal, onProgress }: ExportContext) {
    this.worker = new Worker(bundle, { name: "server-metrics export" });
    this.asker = new Asker(this.worker);
    this.worker.on("message", (answer: ThreadProgress | { readonly kind: "done" | "failed" }) => {
      if (answer.kind === "progress") onProgress?.(answer.message, answer.fraction);
    });
    this.worker.once("error", (error) => this.asker.fail(error));
    this.worker.once("exit", () => this.asker.fail(new Error("the thread that writes it ended")));
    const stop = () => void this.close();
    signal?.addEventListener("abort", stop, { once: true });
    this.worker.once("exit", () => signal?.removeEventListener("abort", stop));
  }

  tell(note: ThreadNote): void {
    this.worker.postMessage(note, "port" in note ? [note.port] : []);
  }

  work(task: FormatTask): Promise<void> {
    return this.asker.ask(task);
  }

  /** Computes a part of the other thread's statistics from now on. */
  help(other: ExportThread): void {
    if (this.asker.hasEnded) return;
    const { port1, port2 } = new MessageChannel();
    this.tell({ kind: "help", port: port1 });
    other.tell({ kind: "helped", port: port2 });
  }

  /** Ends the thread, whatever it does. */
  async close(): Promise<void> {
    await this.worker.terminate();
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
  for (const thread of threads) thread.tell({ kind: "run", head, plan });
  const sending = function* () {
    for (const part of series) {
      for (const thread of threads) thread.tell({ kind: "series", part });
      yield;
    }
  };
  await runInBackground(sending(), {
    holdMs: HOLD_MS,
    rest: () => setTimeout(REST_MS),
    check: () => signal?.throwIfAborted(),
  });
}
