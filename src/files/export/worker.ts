import { parentPort } from "node:worker_threads";
import { complete } from "../../core/stats/index.js";
import { Run, type RunPart, type SeriesPart } from "../../core/store/index.js";
import { ArtifactWriter, type ExportPlan, type FormatTask } from "./artifact-writer.js";
import { answerAt, Asker, type ThreadNote, type ThreadProgress } from "./thread.js";
import { UnitComputer, type Unit, type UnitTexts } from "./statistics-pass.js";

let received: { readonly head: RunPart; readonly plan: ExportPlan; readonly parts: SeriesPart[] } | undefined;
let tools: { readonly writer: ArtifactWriter; readonly computer: UnitComputer } | undefined;

/** Put together when something is asked for: the parts have all come by then. */
function exportTools(): NonNullable<typeof tools> {
  if (tools === undefined) {
    if (received === undefined) throw new Error("a format was asked for before the run came");
    const { head, plan, parts } = received;
    received = undefined;
    const run = Run.of(head, parts);
    const writer = new ArtifactWriter(run, plan, {
      onProgress: (message, fraction) =>
        parentPort?.postMessage({ kind: "progress", message, fraction } satisfies ThreadProgress),
    });
    tools = { writer, computer: new UnitComputer(run, plan) };
  }
  return tools;
}

if (parentPort !== null) answerAt(parentPort, (task: FormatTask) => exportTools().writer.work(task));

parentPort?.on("message", (note: ThreadNote | { readonly kind: "asked" }) => {
  switch (note.kind) {
    case "asked":
      return;
    case "run":
      received = { head: note.head, plan: note.plan, parts: [] };
      return;
    case "series":
      received?.parts.push(note.part);
      return;
    case "help":
      answerAt(note.port, (unit: Unit) => complete(exportTools().computer.compute(unit)));
      return;
    case "helped": {
      const helper = new Asker<Unit, UnitTexts>(note.port);
      note.port.once("close", () => helper.fail(new Error("the thread that helps ended")));
      exportTools().writer.helper = helper;
    }
  }
});
