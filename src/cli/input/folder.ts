import type { LibraryOptions } from "../../files/library/library.js";
import { startProgress } from "../print/terminal.js";
import { leftOutForMemory, reportReading } from "./memory.js";

interface FolderReading extends Pick<LibraryOptions, "onReading" | "leftOut"> {
  readonly onProgress: (fraction: number) => void;
}

/** Reads the runs of a folder: with a progress line, and without the files that processes before this one ended for. */
export async function readFolder<T>(doing: string, read: (reading: FolderReading) => Promise<T>): Promise<T> {
  const progress = startProgress();
  const found = await read({
    onProgress: (fraction) => progress.update(fraction, doing),
    onReading: reportReading,
    leftOut: leftOutForMemory(),
  }).finally(() => progress.done());
  reportReading("");
  return found;
}
