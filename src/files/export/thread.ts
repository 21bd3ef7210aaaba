import { MessageChannel, Worker, type MessagePort } from "node:worker_threads";
import { UserError, messageOf, errorCode } from "../../core/text/errors.js";
import type { RunPart, SeriesPart, Run } from "../../core/store/index.js";
import type { ExportPlan, ExportContext, FormatTask, FormatWriter } from "./artifact-writer.js";
import { setTimeout } from "node:timers/promises";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runInBackground } from "../background.js";

/** What an export's thread is told: the run, in parts, before it is asked anything. */
export type ThreadNote =
  | { readonly kind: "run"; readonly head: RunPart; readonly plan: ExportPlan }
  | { readonly kind: "series"; readonly part: SeriesPart }
  /** Compute units for the thread at the port's other end; or get them computed there. */
  | { readonly kind: "help" | "helped"; readonly port: MessagePort };

/** What it tells. */
export interface ThreadProgress {
  readonly kind: "progress";
  readonly message: string;
  readonly fraction: number | undefined;
}

/** A thread, or a port to one. */
interface Port {
  postMessage(message: unknown): void;
  on<Message>(event: "message", listener: (message: Message) => void): unknown;
}

interface Asked<Question> {
  readonly kind: "asked";
  readonly id: number;
  readonly question: Question;
}

type Answered<Answer> =
  | { readonly kind: "done"; readonly id: number; readonly answer: Answer }
  | { readonly kind: "failed"; readonly id: number; readonly error: PlainError };

/** Asks another thread, which answers by `answerAt`. */
export class Asker<Question, Answer> {
  private readonly waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>();
  private next = 0;
  private ended: Error | undefined;

  constructor(private readonly port: Port) {
    port.on("message", (message: Answered<Answer> | ThreadProgress) => {
      if (message.kind === "progress") return;
      const asked = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.kind === "done") asked?.resolve(message.answer);
      else asked?.reject(errorOf(message.error));
    });
  }

  get hasEnded(): boolean {
    return this.ended !== undefined;
  }

  ask(question: Question): Promise<Answer> {
    if (this.ended !== undefined) return Promise.reject(this.ended);
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.port.postMessage({ kind: "asked", id, question } satisfies Asked<Question>);
    });
  }

  /** No answer will come any more. */
  fail(error: Error): void {
    this.ended ??= error;
    for (const { reject } of this.waiting.values()) reject(this.ended);
    this.waiting.clear();
  }
}

/** Answers an `Asker` at the port's other end. */
export function answerAt<Question, Answer>(port: Port, answer: (question: Question) => Answer | Promise<Answer>): void {
  const reply = (message: Answered<Answer>) => port.postMessage(message);
  const answered = async ({ id, question }: Asked<Question>) => {
    try {
      reply({ kind: "done", id, answer: await answer(question) });
    } catch (error) {
      reply({ kind: "failed", id, error: plainError(error) });
    }
  };
  port.on("message", (message: Asked<Question> | ThreadNote) => {
    if (message.kind === "asked") void answered(message);
  });
}

/** An error as plain data: threads do not share classes. */
interface PlainError {
  readonly isFileError: boolean;
  readonly message: string;
  readonly code: string | undefined;
  readonly remedy: string | undefined;
  readonly system: string | undefined;
}

function plainError(error: unknown): PlainError {
  const message = messageOf(error);
  if (error instanceof UserError)
    return { isFileError: true, message, code: error.code, remedy: error.remedy, system: error.system };
  return { isFileError: false, message, code: errorCode(error), remedy: undefined, system: undefined };
}

function errorOf({ isFileError, message, code, remedy, system }: PlainError): Error {
  if (isFileError) return new UserError(message, remedy, { code, system });
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}

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
