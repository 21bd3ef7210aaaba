import { mkdir, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  packedName,
  PHASE_MANIFEST,
  phaseFile,
  phaseManifestText,
  phasePlaces,
  phaseStatisticsText,
  type Compression,
} from "../core/artifacts/index.js";
import { familyUnit } from "../core/catalog/index.js";
import { phaseStatistics, runPhases } from "../core/phases/index.js";
import { complete } from "../core/stats/index.js";
import type { Run } from "../core/store/index.js";
import { pendingFile, type PendingFile } from "./atomic.js";
import { writePieces } from "./output-file.js";
import { writePacked } from "./packed.js";

interface PhaseFileOptions {
  readonly directory: string;
  readonly sliceSeconds: number;
  readonly compression: Compression | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * The files of a run's named phases: the manifest and one of statistics each. None where profiling has no named parts.
 * @returns what `writeAll` takes
 */
export function phaseFiles(
  run: Run,
  { directory, sliceSeconds, compression, signal }: PhaseFileOptions,
): readonly (PendingFile & { readonly write: (temporary: string) => Promise<void> })[] {
  if (!run.hasNamedProfiling) return [];
  const phases = runPhases(run);
  const places = phasePlaces(phases);
  return [
    ...phases.flatMap((phase, i) => {
      const place = places[i];
      if (place === undefined) return [];
      return {
        ...pendingFile(join(directory, packedName(phaseFile(phase.name), compression))),
        write: async (temporary: string) => {
          await mkdir(dirname(temporary), { recursive: true });
          const statistics = complete(phaseStatistics(run, phase, { sliceSeconds, order: "seen", unitOf: familyUnit }));
          const text = [phaseStatisticsText(place, statistics)];
          await writePacked(temporary, compression, (path) => writePieces(path, text, signal), signal);
        },
      };
    }),
    {
      ...pendingFile(join(directory, packedName(PHASE_MANIFEST, compression))),
      write: (temporary) =>
        writePacked(temporary, compression, (path) => writePieces(path, [phaseManifestText(places)], signal), signal),
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
