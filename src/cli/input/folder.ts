import type { LibraryOptions } from "../../files/library/library.js";
import { withProgress } from "../print/terminal.js";
import { leftOutForMemory, reportReading } from "./memory.js";

interface FolderReading extends Pick<LibraryOptions, "onReading" | "leftOut"> {
  readonly onProgress: (fraction: number) => void;
}

/** Reads the runs of a folder: with a progress line, and without the files that processes before this one ended for. */
export async function readFolder<T>(doing: string, read: (reading: FolderReading) => Promise<T>): Promise<T> {
  const leftOut = leftOutForMemory();
  const found = await withProgress(doing, (onProgress) => read({ onProgress, onReading: reportReading, leftOut }));
  reportReading("");
  return found;
}
