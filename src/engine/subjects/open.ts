import type { Problem } from "../../core/model/index.js";
import type { Run } from "../../core/store/index.js";
import { openForViewing, type Detected, type OpenedArtifact, type OpenedFamilies } from "../../files/open/index.js";
import type { OpenedFile } from "../../protocol/index.js";
import { LargeRun } from "./large-run.js";
import { fileMemory } from "../worker-memory.js";
import { LargeSubject } from "./large.js";
import { ReadingSubject } from "./reading.js";
import { SavedSubject } from "./saved.js";
import { StatisticsSubject } from "./statistics.js";
import type { Subject, SubjectHost } from "./subject.js";

export interface OpenContext {
  readonly signal: AbortSignal;
  readonly onProgress: (message: string, fraction: number) => void;
  /** The first samples are there: what is shown until the file has been read. */
  readonly onReading: (subject: ReadingSubject) => void;
}

/**
 * A file as what it holds: all samples, those of single families on demand, or the statistics that a JSON or CSV
 * artifact stores.
 * @throws UserError with what was expected and where; the signal's reason
 */
export async function openSubject(
  path: string,
  host: SubjectHost,
  { signal, onProgress, onReading }: OpenContext,
): Promise<{ readonly subject: Subject; readonly file: OpenedFile }> {
  let detected: Detected | undefined;
  let share = 0;
  let reading: ReadingSubject | undefined;
  const options = {
    ...fileMemory(),
    signal,
    onProgress: (fraction: number) => {
      share = fraction;
      onProgress("Reading", fraction);
    },
    onFirstSamples: (run: Run) => {
      if (detected === undefined) return;
      reading = new ReadingSubject(run, { path, ...detected, siblings: [] }, () => share, host);
      onReading(reading);
    },
  };
  const opened = await openForViewing(path, options, (found) => (detected = found));
  const { format, bytes, siblings, lacks, schemaVersion, exporter } = opened;
  // What the format lacks is said beside the files that have it.
  const file: OpenedFile = {
    path,
    format,
    bytes,
    siblings,
    ...(lacks === undefined ? {} : { lacks: lacks.reason }),
    ...(schemaVersion === undefined ? {} : { schemaVersion }),
    ...(exporter === undefined ? {} : { exporter }),
  };
  return { subject: subjectOf(opened, opened.notices, file, host, reading), file };
}

function subjectOf(
  opened: OpenedArtifact | OpenedFamilies,
  problems: readonly Problem[],
  file: OpenedFile,
  host: SubjectHost,
  reading: ReadingSubject | undefined,
): Subject {
  switch (opened.kind) {
    case "statistics":
      return new StatisticsSubject(opened, problems, file);
    case "families":
      return new LargeSubject(new LargeRun(opened.families, opened.clients ?? []), problems, file, host);
    case "samples":
    case "snapshot": {
      const growing = opened.kind === "samples" ? opened.growing : undefined;
      const { clients } = opened;
      const shown = reading === undefined ? {} : { tiles: reading.tiles.latest, estimates: reading.estimates };
      return new SavedSubject(
        {
          run: opened.run,
          problems,
          file,
          ...(growing === undefined ? {} : { growing }),
          ...(clients === undefined ? {} : { clients }),
        },
        host,
        shown,
      );
    }
  }
}
