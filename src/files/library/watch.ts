import { watch } from "node:fs";
import { basename } from "node:path";
import { isArtifact } from "../../core/artifacts/names.js";
import { NOTES_FILE } from "./notes.js";

/** What comes together is one change: a capture writes its files one after the other. */
const TOGETHER_MS = 300;
/** Where the system cannot watch folders, they are looked at this often. */
const LOOK_MS = 5000;

/** Calls back within a second of a change to a folder's runs or notes, until the signal aborts. */
export function watchRuns(folder: string, onChange: () => void, signal: AbortSignal): void {
  let timer: NodeJS.Timeout | undefined;
  const soon = (name: string | null) => {
    if (name !== null && !(isArtifact(basename(name)) || basename(name) === NOTES_FILE)) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      if (!signal.aborted) onChange();
    }, TOGETHER_MS);
  };
  const look = () => {
    const looking = setInterval(() => soon(null), LOOK_MS);
    signal.addEventListener("abort", () => clearInterval(looking), { once: true });
  };
  try {
    watch(folder, { recursive: true, signal }, (_, name) => soon(name)).once("error", look);
  } catch {
    look();
  }
}
