import { readdirSync } from "node:fs";
import path from "node:path";

/** The project's folder. */
export const ROOT = path.resolve(import.meta.dirname, "../..");

const GENERATED = new Set(["node_modules", "dist", "out", ".cache", ".git"]);
const BINARY = /\.(png|gif|ico|jpe?g|ttf|woff2?|wasm|gz|parquet|arrow|vsix|tgz)$/;

/** The text files below a folder of the project, as paths below the project's own. */
export function* textFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(path.join(ROOT, folder), { withFileTypes: true })) {
    const file = path.posix.join(folder, entry.name);
    // In a linked working tree .git is a file.
    if (GENERATED.has(entry.name)) continue;
    if (entry.isDirectory()) yield* textFiles(file);
    else if (entry.isFile() && !BINARY.test(entry.name)) yield file;
  }
}
