import type { CaptureNode } from "./capture-model.js";

/** Reads what VS Code passes to a command from the Capture tree; undefined when it was called without a row. */
export function captureNode(argument: unknown): CaptureNode | undefined {
  if (typeof argument !== "object" || argument === null || !("kind" in argument) || !("url" in argument))
    return undefined;
  const { kind } = argument;
  return kind === "endpoint" || kind === "group" || kind === "family" || kind === "series"
    ? (argument as CaptureNode)
    : undefined;
}

/** The files that a row of the Artifacts tree stands for; none for anything else. */
export function artifactFiles(argument: unknown): readonly string[] {
  if (typeof argument !== "object" || argument === null) return [];
  if (
    "run" in argument &&
    typeof argument.run === "object" &&
    argument.run !== null &&
    "files" in argument.run &&
    Array.isArray(argument.run.files)
  )
    return argument.run.files.flatMap((file: unknown) => artifactPath({ file }) ?? []);
  const file = artifactPath(argument);
  return file === undefined ? [] : [file];
}

/** The file or folder of a row of the Artifacts tree. */
export function artifactPath(argument: unknown): string | undefined {
  if (typeof argument !== "object" || argument === null) return undefined;
  if ("file" in argument && typeof argument.file === "object" && argument.file !== null && "path" in argument.file)
    return typeof argument.file.path === "string" ? argument.file.path : undefined;
  if ("run" in argument && typeof argument.run === "object" && argument.run !== null && "directory" in argument.run)
    return typeof argument.run.directory === "string" ? argument.run.directory : undefined;
  return undefined;
}
