import { fieldsOf, isList } from "../../core/text/index.js";
import type { CaptureNode } from "./capture-model.js";

/** Reads what VS Code passes to a command from the Capture tree; undefined when it was called without a row. */
export function captureNode(argument: unknown): CaptureNode | undefined {
  return isCaptureNode(argument) ? argument : undefined;
}

function isCaptureNode(argument: unknown): argument is CaptureNode {
  const { kind, url } = fieldsOf(argument);
  return url !== undefined && (kind === "endpoint" || kind === "group" || kind === "family" || kind === "series");
}

/** The files that a row of the Artifacts tree stands for; none for anything else. */
export function artifactFiles(argument: unknown): readonly string[] {
  const { files } = fieldsOf(fieldsOf(argument)["run"]);
  const rows = isList(files) ? files.map((file) => ({ file })) : [argument];
  return rows.flatMap((row) => artifactPath(row) ?? []);
}

/** The file or folder of a row of the Artifacts tree. */
export function artifactPath(argument: unknown): string | undefined {
  const { file, run } = fieldsOf(argument);
  const { path = fieldsOf(run)["directory"] } = fieldsOf(file);
  return typeof path === "string" ? path : undefined;
}
