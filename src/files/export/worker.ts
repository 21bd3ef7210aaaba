import { parentPort } from "node:worker_threads";
import { Run, type RunPart, type SeriesPart } from "../../core/store/index.js";
import type { ThreadAnswer, ThreadRequest } from "./thread.js";
import { writeRun, type ExportPlan } from "./write-run.js";

const stop = new AbortController();
const parts: SeriesPart[] = [];
let received: { readonly head: RunPart; readonly plan: ExportPlan } | undefined;

const answer = (message: ThreadAnswer) => parentPort?.postMessage(message);

/** What it throws ends the thread, which its owner hears. */
async function write(): Promise<void> {
  if (received === undefined) throw new Error("a run is to be written before it came");
  const run = Run.of(received.head, parts.splice(0));
  const { written, failures } = await writeRun(run, received.plan, {
    signal: stop.signal,
    onProgress: (message, fraction) => answer({ kind: "progress", message, fraction }),
  });
  answer({
    kind: "done",
    written,
    failures: failures.map(({ format, error: { message, remedy, code, system } }) => ({
      format,
      message,
      remedy,
      code,
      system,
    })),
  });
}

parentPort?.on("message", (request: ThreadRequest) => {
  switch (request.kind) {
    case "run":
      received = request;
      return;
    case "series":
      parts.push(request.part);
      return;
    case "write":
      void write();
      return;
    case "cancel":
      stop.abort();
  }
});
