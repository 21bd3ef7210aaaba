import { Uri } from "vscode";

/** The path of a file on disk; undefined of what lies elsewhere. In a browser `src/web/file-uri.ts` stands here. */
export const filePath = (uri: Uri): string | undefined => (uri.scheme === "file" ? uri.fsPath : undefined);

/** The address of a path. */
export const fileUri = (file: string): Uri => Uri.file(file);
