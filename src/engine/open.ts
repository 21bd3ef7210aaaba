import { StoredRun } from "../core/query/index.js";
import type { Problem } from "../core/model/index.js";
import type { Run } from "../core/store/index.js";
import { openArtifact, type GrowingRun } from "../files/open/index.js";
import type { OpenedFile } from "../protocol/index.js";

export interface OpenContext {
  readonly signal: AbortSignal;
  readonly onProgress: (message: string, fraction: number) => void;
}

/** A file's content: all samples, or the statistics that a JSON or CSV artifact stores. */
export type OpenedContent =
  | { readonly kind: "saved"; readonly run: Run; readonly problems: readonly Problem[]; readonly file: OpenedFile; readonly growing?: GrowingRun }
  | { readonly kind: "statistics"; readonly stored: StoredRun; readonly problems: readonly Problem[]; readonly file: OpenedFile };

/** @throws FileError with what was expected and where; the signal's reason */
export async function openFile(path: string, { signal, onProgress }: OpenContext): Promise<OpenedContent> {
  const opened = await openArtifact(path, { signal, onProgress: (fraction) => onProgress("Reading", fraction) });
  const { format, bytes, siblings, notices: problems } = opened;
  const file: OpenedFile = { path, format, bytes, siblings };
  if (opened.kind === "statistics") return { kind: opened.kind, stored: new StoredRun(opened.statistics), problems, file };
  const growing = opened.kind === "samples" ? opened.growing : undefined;
  return { kind: "saved", run: opened.run, problems, file, ...(growing === undefined ? {} : { growing }) };
}
