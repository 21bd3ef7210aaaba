import { Uri } from "vscode";
import { artifactFiles } from "./arguments.js";
import { filePath } from "../file-uri.js";

/** The files that a row of the Artifacts tree, or a file of the Explorer, stands for; none for anything else. */
export function selectedFiles(argument: unknown): readonly string[] {
  if (!(argument instanceof Uri)) return artifactFiles(argument);
  const file = filePath(argument);
  return file === undefined ? [] : [file];
}
