import { basename } from "node:path";
import { type Problem, warningOf } from "../../core/model/index.js";
import type { Run } from "../../core/store/index.js";
import { openForViewing, type Detected, type OpenedArtifact, type OpenedFamilies } from "../../files/open/index.js";
import type { Reach } from "../../files/opener.js";
import type { OpenedFile, OpenedSource } from "../../protocol/index.js";
import { UserError } from "../../core/text/errors.js";
import { LargeRun } from "./large-run.js";
import { fileMemory } from "../worker-setup.js";
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

interface Opened {
  readonly subject: Subject;
  readonly file: OpenedFile;
}

/**
 * A file as what it holds: all samples, those of single families on demand, or the statistics that a JSON or CSV
 * artifact stores. Of a run the next of its files is read where one cannot be.
 * @throws UserError of the first file, with what was expected and where; the signal's reason
 */
export async function openSubject(
  { path, instead, within }: OpenedSource,
  host: SubjectHost,
  context: OpenContext,
): Promise<Opened> {
  const reach = within === undefined ? {} : { within };
  if (instead === undefined) return openFile(path, true, [], reach, host, context);
  const failures: UserError[] = [];
  for (const one of [path, ...instead]) {
    try {
      return await openFile(one, false, failures, reach, host, context);
    } catch (error) {
      if (!(error instanceof UserError) || context.signal.aborted) throw error;
      failures.push(error);
    }
  }
  throw failures[0] ?? new UserError(`${path} cannot be read.`);
}

/** @param failures of better files of the run */
async function openFile(
  path: string,
  alone: boolean,
  failures: readonly UserError[],
  reach: Reach,
  host: SubjectHost,
  { signal, onProgress, onReading }: OpenContext,
): Promise<Opened> {
  let detected: Detected | undefined;
  let share = 0;
  let reading: ReadingSubject | undefined;
  const options = {
    ...fileMemory(),
    ...reach,
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
    ...(alone ? { alone } : {}),
    ...(lacks === undefined ? {} : { lacks: lacks.reason }),
    ...(schemaVersion === undefined ? {} : { schemaVersion }),
    ...(exporter === undefined ? {} : { exporter }),
  };
  const unread = failures.map(({ message, remedy }): Problem =>
    warningOf(`${message} ${basename(path)} of the same run is shown.`, remedy),
  );
  return { subject: subjectOf(opened, [...unread, ...opened.notices], file, host, reading), file };
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
