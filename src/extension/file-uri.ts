import { Uri } from "vscode";

/** The path of a file on disk; undefined of what lies elsewhere. In a browser `src/web/file-uri.ts` stands here. */
export function filePath(uri: Uri): string | undefined {
  return uri.scheme === "file" ? uri.fsPath : undefined;
}

/** The address of a path. */
export function fileUri(file: string): Uri {
  return Uri.file(file);
}
