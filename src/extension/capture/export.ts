import { t } from "@vscode/l10n";
import path from "node:path";
import { OPTION_RANGES } from "../../core/model/index.js";
import { UserError } from "../../core/text/errors.js";
import { artifactName, isPrefix, PREFIX_RULE } from "../../core/artifacts/names.js";
import { runFolderName } from "../../files/folders.js";
import { ARTIFACT_FORMATS, type ArtifactFormat } from "../../protocol/index.js";
import { SETTINGS } from "../settings/definitions.js";
import { readSetting } from "../settings/read.js";
import { askText, pickMany, pickOne, type PickRow } from "../workbench-text.js";
import { exportFolder } from "./export-folder.js";
import type { EngineRun } from "../engine.js";
import { mayReplace, writeArtifacts, type WriteParts } from "./write-artifacts.js";

const ABOUT: { readonly [F in ArtifactFormat]: string } = {
  json: t("statistics and timeslices of every series"),
  csv: t("statistics as tables, for a spreadsheet"),
  parquet: t("every sample, for DuckDB, pandas, Polars"),
  openmetrics: t("every sample as OpenMetrics text, from which promtool builds blocks"),
  jsonl: t("every scrape, lossless: the capture can be rebuilt from it"),
};

const TITLE = t("Export As");
const SLICES = OPTION_RANGES.sliceDuration;

/**
 * Formats, prefix, slice length and folder, then the artifacts. Does nothing when given up on the way.
 * @param opened the file that the run was read from
 */
export async function exportCapture(parts: WriteParts, run: EngineRun | undefined, opened?: string): Promise<void> {
  if (run === undefined)
    throw new UserError(
      t("There is no capture to export."),
      t("Start a capture first; saved runs are in the Artifacts view."),
    );
  const hold = run.hold();
  try {
    const possible = run.header?.exportable ?? ARTIFACT_FORMATS;
    const formats = await askFormats(possible);
    if (formats === undefined) return;
    const prefix = await askText({
      title: TITLE,
      prompt: t(
        "A prefix for the file names, such as batch-64: batch-64_server_metrics.json. Empty for server_metrics_export.json.",
      ),
      value: readSetting(SETTINGS.prefix),
      placeholder: t("Optional"),
      validate: (text) => (isPrefix(text) ? undefined : t`A file name may have ${PREFIX_RULE}`),
    });
    if (prefix.kind !== "value") return;
    // Stored statistics keep the slices that they have.
    const slices = possible.length < ARTIFACT_FORMATS.length ? {} : await askSlices(run);
    if (slices === undefined) return;
    const name = prefix.value.trim();
    const names = formats.map((format) => artifactName(format, name));
    const own =
      opened === undefined
        ? captureFolder(parts, run)
        : { label: t("Beside the opened file"), path: path.dirname(opened) };
    const usual = own === undefined ? undefined : { ...own, path: await exportFolder(own.path, names) };
    const directory = await askFolder(parts, usual);
    if (directory === undefined || !(await mayReplace(directory, names))) return;
    await writeArtifacts(parts, run, { directory, formats, ...slices, ...(name === "" ? {} : { prefix: name }) });
  } finally {
    hold.dispose();
  }
}

async function askSlices(run: EngineRun): Promise<{ readonly sliceDurationSeconds: number } | undefined> {
  const slice = await askText({
    title: TITLE,
    prompt: t("Length of a timeslice in seconds."),
    value: String(run.header?.sliceDurationSeconds ?? readSetting(SETTINGS.sliceDuration)),
    validate: (text) =>
      parseSlice(text) === undefined ? t`Type a number of seconds from ${SLICES.min} to ${SLICES.max}.` : undefined,
  });
  const sliceDurationSeconds = slice.kind === "value" ? parseSlice(slice.value) : undefined;
  return sliceDurationSeconds === undefined ? undefined : { sliceDurationSeconds };
}

function parseSlice(text: string): number | undefined {
  const seconds = text.trim() === "" ? NaN : Number(text);
  return seconds >= SLICES.min && seconds <= SLICES.max ? seconds : undefined;
}

async function askFormats(possible: readonly ArtifactFormat[]): Promise<readonly ArtifactFormat[] | undefined> {
  const usual = readSetting(SETTINGS.formats);
  const items: (PickRow & { readonly format: ArtifactFormat })[] = possible.map((format) => ({
    label: format.toUpperCase(),
    description: ABOUT[format],
    picked: usual.includes(format) || possible.length < ARTIFACT_FORMATS.length,
    format,
  }));
  const picked = await pickMany(items, {
    title: TITLE,
    placeHolder: t("Choose the formats to write"),
  });
  return picked === undefined || picked.length === 0 ? undefined : picked.map((item) => item.format);
}

interface Folder {
  readonly label: string;
  readonly path: string;
}

/** Undefined when no folder has ever been chosen. */
function captureFolder(parts: WriteParts, run: EngineRun): Folder | undefined {
  const base = parts.folders.base();
  const usual =
    run.directory ?? (base === undefined ? undefined : path.join(base, runFolderName(run.startedAt, run.label)));
  return usual === undefined ? undefined : { label: t("The run's own folder"), path: usual };
}

async function askFolder(parts: WriteParts, usual: Folder | undefined): Promise<string | undefined> {
  if (usual === undefined) return parts.folders.choose(t("Folder for the Artifacts"));
  const here = { icon: "folder", label: usual.label, description: path.basename(usual.path), detail: usual.path };
  const other = { icon: "folder-opened", label: t("Another folder…") };
  const picked = await pickOne([here, other], {
    title: TITLE,
    placeHolder: t("Where to write"),
  });
  if (picked === undefined) return undefined;
  return picked.icon === here.icon ? usual.path : parts.folders.choose(t("Folder for the Artifacts"));
}
