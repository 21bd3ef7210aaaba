import { parentPort, type MessagePort } from "node:worker_threads";
import { complete } from "../../core/stats/index.js";
import { Run, type RunPart, type SeriesPart } from "../../core/store/index.js";
import { ArtifactWriter, type ExportPlan } from "./artifact-writer.js";
import {
  errorOf,
  plainError,
  type ThreadAnswer,
  type ThreadRequest,
  type UnitAnswer,
  type UnitQuestion,
} from "./messages.js";
import { UnitComputer, type UnitHelper, type UnitTexts } from "./statistics-pass.js";

let received: { readonly head: RunPart; readonly plan: ExportPlan; readonly parts: SeriesPart[] } | undefined;
let tools: { readonly writer: ArtifactWriter; readonly computer: UnitComputer } | undefined;

const answer = (message: ThreadAnswer) => parentPort?.postMessage(message);

/** Put together when something is asked for: the parts have all come by then. */
function exportTools(): NonNullable<typeof tools> {
  if (tools === undefined) {
    if (received === undefined) throw new Error("a format was asked for before the run came");
    const { head, plan, parts } = received;
    received = undefined;
    const run = Run.of(head, parts);
    const writer = new ArtifactWriter(run, plan, {
      onProgress: (message, fraction) => answer({ kind: "progress", message, fraction }),
    });
    tools = { writer, computer: new UnitComputer(run, plan) };
  }
  return tools;
}

async function work(request: Extract<ThreadRequest, { kind: "write" | "check" | "phase" }>): Promise<void> {
  const { id, path } = request;
  try {
    const { writer } = exportTools();
    if (request.kind === "phase") await writer.writePhase(request.index, path);
    else await writer[request.kind](request.format, path);
    answer({ kind: "done", id });
  } catch (error) {
    answer({ kind: "failed", id, error: plainError(error) });
  }
}

/** Computes what the other thread asks for. */
function help(port: MessagePort): void {
  port.on("message", ({ id, unit }: UnitQuestion) => {
    const reply = (message: UnitAnswer, transferred: readonly ArrayBuffer[] = []) =>
      port.postMessage(message, transferred);
    try {
      const texts = complete(exportTools().computer.compute(unit));
      reply({ id, kind: "computed", texts }, [texts.json.buffer]);
    } catch (error) {
      reply({ id, kind: "failed", error: plainError(error) });
    }
  });
}

/** Asks the other thread. */
function helperAt(port: MessagePort): UnitHelper {
  const waiting = new Map<number, { resolve: (texts: UnitTexts) => void; reject: (error: Error) => void }>();
  let next = 0;
  port.on("message", (message: UnitAnswer) => {
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.kind === "computed") asked?.resolve(message.texts);
    else asked?.reject(errorOf(message.error));
  });
  port.once("close", () => {
    for (const { reject } of waiting.values()) reject(new Error("the thread that helps ended"));
  });
  return {
    compute: (unit) =>
      new Promise((resolve, reject) => {
        const id = next++;
        waiting.set(id, { resolve, reject });
        port.postMessage({ id, unit } satisfies UnitQuestion);
      }),
  };
}

parentPort?.on("message", (request: ThreadRequest) => {
  switch (request.kind) {
    case "run":
      received = { head: request.head, plan: request.plan, parts: [] };
      return;
    case "series":
      received?.parts.push(request.part);
      return;
    case "write":
    case "check":
    case "phase":
      void work(request);
      return;
    case "help":
      help(request.port);
      return;
    case "helped":
      exportTools().writer.helper = helperAt(request.port);
  }
});
