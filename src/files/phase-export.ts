import { mkdir, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  PHASE_MANIFEST,
  phaseFile,
  phaseManifestText,
  phasePlaces,
  phaseStatisticsText,
} from "../core/artifacts/index.js";
import { familyUnit } from "../core/catalog/index.js";
import { phaseStatistics, runPhases } from "../core/phases/index.js";
import { complete } from "../core/stats/index.js";
import type { Run } from "../core/store/index.js";
import { pendingFile, writeText, type PendingFile } from "./atomic.js";

/**
 * The files of a run's named phases: the manifest and one of statistics each. None where profiling has no named parts.
 * @returns what `writeAll` takes
 */
export function phaseFiles(
  run: Run,
  directory: string,
  sliceSeconds: number,
  signal: AbortSignal | undefined,
): readonly (PendingFile & { readonly write: (temporary: string) => Promise<void> })[] {
  if (!run.hasNamedProfiling) return [];
  const phases = runPhases(run);
  const places = phasePlaces(phases);
  return [
    ...phases.flatMap((phase, i) => {
      const place = places[i];
      if (place === undefined) return [];
      return {
        ...pendingFile(join(directory, phaseFile(phase.name))),
        write: async (temporary: string) => {
          await mkdir(dirname(temporary), { recursive: true });
          const statistics = complete(phaseStatistics(run, phase, { sliceSeconds, order: "seen", unitOf: familyUnit }));
          await writeText(temporary, [phaseStatisticsText(place, statistics)], signal);
        },
      };
    }),
    {
      ...pendingFile(join(directory, PHASE_MANIFEST)),
      write: (temporary) => writeText(temporary, [phaseManifestText(places)], signal),
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
