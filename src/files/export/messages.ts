import type { MessagePort } from "node:worker_threads";
import { UserError, messageOf, errorCode } from "../../core/text/errors.js";
import type { RunPart, SeriesPart } from "../../core/store/index.js";
import type { ExportPlan } from "./artifact-writer.js";

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
