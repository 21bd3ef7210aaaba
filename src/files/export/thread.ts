import { setTimeout } from "node:timers/promises";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { ArtifactFormat, ExportedFile } from "../../core/artifacts/index.js";
import type { Run, RunPart, SeriesPart } from "../../core/store/index.js";
import { UserError } from "../../core/text/user-error.js";
import { runInBackground } from "../background.js";
import type { ExportContext, Exported, ExportPlan } from "./write-run.js";

/** What an export's thread is sent: the run, in parts, then that it is to be written; perhaps that it is to stop. */
export type ThreadRequest =
  | { readonly kind: "run"; readonly head: RunPart; readonly plan: ExportPlan }
  | { readonly kind: "series"; readonly part: SeriesPart }
  | { readonly kind: "write" | "cancel" };

/** What it answers: threads do not share classes, so that errors come as plain data. */
export type ThreadAnswer =
  | { readonly kind: "progress"; readonly message: string; readonly fraction: number | undefined }
  | {
      readonly kind: "done";
      readonly written: readonly ExportedFile[];
      readonly failures: readonly (Pick<UserError, "message" | "remedy" | "code" | "system"> & {
        readonly format: ArtifactFormat;
      })[];
    };

/** How long the run may hold the event loop at a time while it is sent, to a thread that starts meanwhile. */
const HOLD_MS = 4;
/**
 * Where other threads of this process want all cores, work that rests now and then gets a core as soon as it asks; work
 * that does not waits for theirs in the middle of its turns.
 */
const REST_MS = 1;

/** The bundle of `worker.ts`; absent where the sources run, which then write on the one thread there is. */
export function exportBundle(): string | undefined {
  // A CommonJS bundle has no import.meta.url, a module no __dirname.
  const here = typeof __dirname === "string" ? __dirname : dirname(fileURLToPath(import.meta.url));
  const path = join(here, "export.js");
  return existsSync(path) ? path : undefined;
}

/**
 * As `writeRun`, on a thread that gets the run as it stands now; sealed cells are shared with it.
 * @throws the signal's reason
 */
export async function writeOnThread(
  bundle: string,
  run: Run,
  plan: ExportPlan,
  { signal, onProgress }: ExportContext,
): Promise<Exported> {
  const worker = new Worker(bundle, { name: "server-metrics export" });
  const send = (request: ThreadRequest): void => worker.postMessage(request);
  // It removes what is temporary before it ends.
  const cancel = () => send({ kind: "cancel" });
  signal?.addEventListener("abort", cancel, { once: true });
  const answered = new Promise<Exported>((resolve, reject) => {
    worker.on("message", (answer: ThreadAnswer) => {
      if (answer.kind === "progress") return onProgress?.(answer.message, answer.fraction);
      const failures = answer.failures.map(({ format, message, remedy, code, system }) => ({
        format,
        error: new UserError(message, remedy, { code, system }),
      }));
      resolve({ written: answer.written, failures });
    });
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("the thread that writes it ended")));
  });
  try {
    const [exported] = await Promise.all([answered, sendRun(run, plan, send, signal)]);
    return exported;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", cancel);
    await worker.terminate();
  }
}

/** Step by step: a fleet has tens of thousands of series. @throws the signal's reason */
async function sendRun(
  run: Run,
  plan: ExportPlan,
  send: (request: ThreadRequest) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { head, series } = run.parts();
  send({ kind: "run", head, plan });
  function* sending(): Generator<void, void> {
    for (const part of series) {
      send({ kind: "series", part });
      yield;
    }
  }
  const rest = () => setTimeout(REST_MS);
  await runInBackground(sending(), { holdMs: HOLD_MS, rest, check: () => signal?.throwIfAborted() });
  send({ kind: "write" });
}
