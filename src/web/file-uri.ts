import path from "node:path";
import { Uri, workspace } from "vscode";

/** Folders outside of the workspace in which files were opened, by their paths. */
const elsewhere = new Map<string, Uri>();

/** In place of `src/extension/file-uri.ts`: in a browser files may lie on any file system of the workbench. */
export function filePath(uri: Uri): string | undefined {
  if (workspace.fs.isWritableFileSystem(uri.scheme) === undefined) return undefined;
  if (workspace.getWorkspaceFolder(uri) === undefined) elsewhere.set(path.dirname(uri.path), uri);
  return uri.path;
}

/** The address of a path that `filePath` gave, or of one beside it. */
export function fileUri(file: string): Uri {
  const folders = workspace.workspaceFolders?.map(({ uri }) => uri) ?? [];
  const within = folders.find((uri) => file === uri.path || file.startsWith(`${uri.path.replace(/\/$/, "")}/`));
  const known = elsewhere.get(path.dirname(file)) ?? elsewhere.get(file) ?? within ?? folders[0] ?? Uri.file(file);
  return known.with({ path: file });
}
