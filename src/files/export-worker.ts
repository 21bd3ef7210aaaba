import { parentPort } from "node:worker_threads";
import { Run, type RunPart, type SeriesPart } from "../core/store/index.js";
import { ArtifactWriter, type ExportPlan } from "./artifact-writer.js";
import { plainError, type ThreadAnswer, type ThreadRequest } from "./export-messages.js";

let given: { readonly head: RunPart; readonly plan: ExportPlan; readonly parts: SeriesPart[] } | undefined;
let writer: ArtifactWriter | undefined;

const answer = (message: ThreadAnswer) => parentPort?.postMessage(message);

/** Put together when the first format is asked for: the parts have all come by then. */
function whole(): ArtifactWriter {
  if (writer === undefined) {
    if (given === undefined) throw new Error("a format was asked for before the run came");
    const { head, plan, parts } = given;
    given = undefined;
    writer = new ArtifactWriter(Run.of(head, parts), plan, {
      onProgress: (message, fraction) => answer({ kind: "progress", message, fraction }),
    });
  }
  return writer;
}

async function work({ kind, id, format, path }: Extract<ThreadRequest, { kind: "write" | "check" }>): Promise<void> {
  try {
    await whole()[kind](format, path);
    answer({ kind: "done", id });
  } catch (error) {
    answer({ kind: "failed", id, error: plainError(error) });
  }
}

parentPort?.on("message", (request: ThreadRequest) => {
  switch (request.kind) {
    case "run":
      given = { head: request.head, plan: request.plan, parts: [] };
      return;
    case "series":
      given?.parts.push(request.part);
      return;
    case "write":
    case "check":
      void work(request);
  }
});
