import { join } from "node:path";
import { UserError } from "../../core/text/errors.js";
import {
  artifactName,
  EXPORT_FORMATS,
  writeCsv,
  writeJson,
  type ArtifactFormat,
  type ExportedFile,
  type ExportOptions,
} from "../../core/artifacts/index.js";
import { type Problem, noteOf } from "../../core/model/index.js";
import type { Run } from "../../core/store/index.js";
import { pendingFile, writeFiles } from "../atomic.js";
import { writePieces } from "../export/output-file.js";
import type { ExportContext } from "../export/artifact-writer.js";
import { exportArtifacts, exported, refuseOwnFile } from "../export/export.js";
import { makeFolder } from "../folders.js";
import { writePacked } from "../packed.js";
import { VERSION } from "../version.js";
import type { OpenedArtifact } from "./types.js";

/** Formats that an opened artifact can be written in: samples give all, stored statistics only their like. */
export function convertibleTo(opened: OpenedArtifact): readonly ArtifactFormat[] {
  switch (opened.kind) {
    case "samples":
      return EXPORT_FORMATS;
    case "statistics":
      return opened.format === "json" ? ["csv", "json"] : [];
    case "snapshot":
      return [];
  }
}

/**
 * Writes an opened artifact in other formats: each of them that can be written, on cancel none. The file that was
 * opened is never written to.
 * @throws UserError when its content cannot give a format, or a file would take its place; the signal's reason
 */
export async function convertArtifact(
  opened: OpenedArtifact,
  options: ExportOptions,
  context: ExportContext = {},
): Promise<readonly ExportedFile[]> {
  const possible = convertibleTo(opened);
  const impossible = options.formats.filter((format) => !possible.includes(format));
  if (impossible.length > 0)
    throw new UserError(
      `${opened.path} cannot be written as ${impossible.join(", ")}: ${WHY[opened.kind]}`,
      remedyOf(possible),
      { code: "export-failed" },
    );
  await refuseOwnFile(opened.path, options);
  if (opened.kind === "samples") return exportArtifacts(opened.run, options, context);
  if (options.startNs !== undefined || options.endNs !== undefined || options.sliceDurationSeconds !== undefined)
    throw new UserError(
      `${opened.path} holds statistics, no samples: its window and slice length cannot be changed.`,
      "Use the Parquet or JSONL file of the same run.",
      { code: "export-failed" },
    );
  return opened.kind === "statistics" ? writeStatistics(opened, options, context) : [];
}

/**
 * What files written of a run lack, though it has it: JSONL has samples only, and Parquet says more of a run than
 * those; CSV has no marks.
 */
export function lossesOf(
  { fileStatistics, marks }: Pick<Run, "fileStatistics" | "marks">,
  formats: readonly ArtifactFormat[],
): readonly Problem[] {
  return [
    ...samplesOnly(fileStatistics, formats),
    ...(marks.length > 0 && formats.every(isUnmarked) ? [NO_MARKS] : []),
  ];
}

const NO_MARKS: Problem = noteOf(
  "The run's marks are in none of these files.",
  "Export JSON, JSONL or Parquet to keep them.",
);

function isUnmarked(format: ArtifactFormat): boolean {
  return format === "csv" || format === "openmetrics";
}

function samplesOnly(fileStatistics: Run["fileStatistics"], formats: readonly ArtifactFormat[]): readonly Problem[] {
  if (fileStatistics === undefined || !formats.includes("jsonl")) return [];
  const series = fileStatistics.gaps.size;
  const missing =
    series === 0 ? "" : ` It does not tell how many samples of ${series} series were no numbers (\`gaps\`).`;
  return [
    {
      severity: series === 0 ? "info" : "warning",
      reason: `The JSONL holds the window's samples without the capture's latencies and fetches.${missing}`,
      remedy: "The capture's own JSONL, or the Parquet file, has all of it.",
    },
  ];
}

const WHY: Record<OpenedArtifact["kind"], string> = {
  samples: "there is no writer for it.",
  statistics: "it holds statistics, no samples.",
  snapshot: "it is a snapshot of one scrape, not a run.",
};

function remedyOf(possible: readonly ArtifactFormat[]): string {
  return possible.length > 0
    ? `It can be written as ${possible.join(", ")}; the Parquet or JSONL file of the same run gives all formats.`
    : "The Parquet or JSONL file of the same run gives all formats.";
}

async function writeStatistics(
  { statistics }: OpenedArtifact & { kind: "statistics" },
  { directory, prefix, formats, compression, csvSafe }: ExportOptions,
  { signal }: ExportContext,
): Promise<readonly ExportedFile[]> {
  await makeFolder(directory);
  const files = formats.map((format) => ({
    format,
    ...pendingFile(join(directory, artifactName(format, prefix, compression))),
  }));
  const about = { version: VERSION };
  const outcomes = await writeFiles(
    files.map(({ format, ...file }) => ({
      ...file,
      write: (temporary) =>
        writePacked(
          temporary,
          compression,
          (path) =>
            writePieces(
              path,
              format === "json" ? writeJson(statistics, about) : writeCsv(statistics, about, csvSafe),
              signal,
            ),
          signal,
        ),
    })),
    signal,
  );
  return exported(files, outcomes);
}
