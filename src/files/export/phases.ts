import { mkdir, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  packedName,
  PHASE_MANIFEST,
  phaseFile,
  phaseManifestText,
  phasePlaces,
  type Compression,
} from "../../core/artifacts/index.js";
import { runPhases } from "../../core/window/index.js";
import type { Run } from "../../core/store/index.js";
import type { FormatWriter } from "./artifact-writer.js";
import { pendingFile, type PendingFile } from "../atomic.js";
import { writePieces } from "./output-file.js";
import { writePacked } from "../packed.js";

/** A file of an export: who writes it, and how. */
type PhaseFile = PendingFile & { readonly lane: number; readonly write: (temporary: string) => Promise<void> };

/**
 * The files of a run's named phases: the manifest and one of statistics each. None where profiling has no named parts.
 * @param lane of the writer, among those of the export
 * @returns what `writeFiles` takes
 */
export function phaseFiles(
  run: Run,
  directory: string,
  compression: Compression | undefined,
  { writer, lane }: { readonly writer: FormatWriter; readonly lane: number },
): readonly PhaseFile[] {
  if (!run.hasNamedProfiling) return [];
  const phases = runPhases(run);
  const file = (name: string) => pendingFile(join(directory, packedName(name, compression)));
  return [
    ...phases.map(({ name }, index) => ({
      ...file(phaseFile(name)),
      lane,
      write: async (temporary: string) => {
        await mkdir(dirname(temporary), { recursive: true });
        await writer.work({ kind: "phase", index, path: temporary });
      },
    })),
    {
      ...file(PHASE_MANIFEST),
      lane,
      write: (temporary) => {
        const text = phaseManifestText(phasePlaces(phases));
        return writePacked(temporary, compression, (path) => writePieces(path, [text]));
      },
    },
  ];
}

/** Removes the folders that were made for phases whose files were not written. */
export async function removeEmptyPhaseFolders(run: Run, directory: string): Promise<void> {
  if (!run.hasNamedProfiling) return;
  // One that holds something refuses.
  const folders = [...run.phases.map(({ name }) => dirname(phaseFile(name))), "phases"];
  for (const folder of folders) await rmdir(join(directory, folder)).catch(() => undefined);
}
