import { commands } from "vscode";
import { EDITOR_TYPES } from "../command-ids.js";
import { fileUri } from "../file-uri.js";

/** Shows a file as a run, whatever its name; one that cannot be read says so in its editor. */
export async function openRunFile(path: string): Promise<void> {
  await commands.executeCommand("vscode.openWith", fileUri(path), EDITOR_TYPES.run, { preview: false });
}
