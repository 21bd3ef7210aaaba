import { readdir } from "node:fs/promises";
import { describeFileError } from "../../files/index.js";
import { quickestFile } from "../../files/open/siblings.js";
import { formatValue, titleWithName } from "../../core/catalog/index.js";
import {
  MIN_RUNS,
  historyGate,
  historyOf,
  quantityText,
  rowName,
  rowNames,
  sparkline,
  stepText,
  titleOfRow,
  type ComparedRun,
  type Comparison,
  type ComparisonRow,
  type Course,
  type History,
} from "../../core/compare/index.js";
import { commitOf, configuredLabel, type RunStatistics, type WindowRule } from "../../core/model/index.js";
import {
  messageOf,
  bullets,
  documentMarkdown,
  heading,
  table,
  UserError,
  type RichBlock,
  type RichText,
} from "../../core/text/index.js";
import { shownStatistics } from "../../core/query/index.js";
import { complete } from "../../core/stats/index.js";
import { shortLabels } from "../../engine/comparison/labels.js";
import { commitsBetween } from "../../engine/provenance/programs.js";
import { runsBelow } from "../../files/library/scan.js";
import { openFile } from "../input/artifact.js";
import { leftOutForMemory, reportReading } from "../input/memory.js";
import { documentText } from "../print/document.js";
import { note, print } from "../print/terminal.js";

interface Flags {
  readonly json?: true;
  readonly markdown?: true;
  readonly failOn?: "worse";
  readonly window?: WindowRule;
}

/**
 * The course of the guarded metrics over the runs of a folder.
 * @param compare of runs in order of time
 * @returns the exit code
 */
export async function history(
  folder: string,
  flags: Flags,
  compare: (runs: readonly ComparedRun[]) => Comparison,
  isGuarded: (row: ComparisonRow) => boolean,
): Promise<number> {
  const paths = await artifactsIn(folder);
  const read: { readonly path: string; readonly statistics: RunStatistics }[] = [];
  const leftOut = new Map(leftOutForMemory().map(({ path, reason }) => [path, reason]));
  for (const path of paths) {
    const reason = leftOut.get(path);
    if (reason !== undefined) note(`warning: ${path} is left out: ${reason}`);
    const statistics = reason === undefined ? await statisticsOf(path, flags) : undefined;
    if (statistics !== undefined && !read.some((other) => isSame(other.statistics, statistics)))
      read.push({ path, statistics });
  }
  reportReading("");
  read.sort((a, b) => Number(a.statistics.startNs - b.statistics.startNs));
  if (read.length < 2)
    throw new UserError(
      `${folder} holds ${read.length === 0 ? "no run" : "one run only"}: a history needs several, ideally ${MIN_RUNS} or more.`,
      "Give the folder that contains the folders of all runs.",
    );
  const labels = shortLabels(
    read.map(({ path, statistics }) => {
      const label = configuredLabel(statistics.inputConfig);
      return { path, ...(label === undefined ? {} : { label }) };
    }),
  );
  const comparison = compare(
    read.map(({ statistics }, i) => ({ kind: "statistics", label: labels[i] ?? "", statistics })),
  );
  const rows = comparison.rows.filter(isGuarded);
  if (rows.length === 0)
    throw new UserError("the runs share no key metric of a known server.", "Name the metrics with --metrics.");
  const found = historyOf(comparison, rows);
  const gate = historyGate(found);
  const places = [...new Set(found.courses.flatMap(({ steps }) => steps.map(({ at }) => at)))].sort((a, b) => b - a);
  const commits = await Promise.all(
    places.map(async (at) => {
      const [from, to] = [at - 1, at].map((i) => commitOf(read[i]?.statistics.inputConfig ?? {}));
      return { at, commits: await commitsBetween(folder, from, to) };
    }),
  );
  const listed = commits.filter((one) => one.commits.length > 0);
  if (flags.json === true)
    print(`${JSON.stringify({ ...found, commits: listed, gate: { exitCode: gate.exitCode } }, finite, 2)}\n`);
  else print((flags.markdown === true ? documentMarkdown : documentText)(historyDocument(found, comparison, listed)));
  if (flags.failOn === undefined) return 0;
  note(
    gate.exitCode === 3
      ? `Gate not checked: ${found.runs.length} runs, but it takes ${MIN_RUNS} to distinguish a step from run-to-run variation.`
      : gate.worse.length === 0
        ? `Gate passed: none of ${found.courses.length} guarded metrics got worse in its newest step.`
        : `Gate failed: ${gate.worse.map((course) => `${titleWithName(course.family)} ${course.quantity}`).join(", ")} got worse in the newest step.`,
  );
  return gate.exitCode;
}

/** The file of each run below a folder that is read fastest. @throws UserError */
async function artifactsIn(folder: string): Promise<string[]> {
  await readdir(folder).catch((error: unknown) => {
    throw describeFileError(folder, error, "read");
  });
  const runs = await runsBelow(folder);
  return runs.flatMap(({ files }) => quickestFile(files)?.path ?? []).sort();
}

/** Undefined, with a word on standard error, for what is not a run. */
async function statisticsOf(path: string, { window }: Flags): Promise<RunStatistics | undefined> {
  reportReading(path);
  try {
    const opened = await openFile(path, window === undefined ? {} : { window });
    if (opened.kind === "snapshot") return undefined;
    if (opened.kind === "statistics") return opened.statistics;
    const statistics = complete(shownStatistics(opened.run));
    const { label } = opened.run.metadata;
    return label === undefined ? statistics : { ...statistics, inputConfig: { ...statistics.inputConfig, label } };
  } catch (error) {
    note(`warning: ${path} is left out: ${messageOf(error)}`);
    return undefined;
  }
}

function isSame(a: RunStatistics, b: RunStatistics): boolean {
  return a.benchmarkId !== "" && a.benchmarkId === b.benchmarkId && a.startNs === b.startNs;
}

/** What changed comes first, the newest step leading. */
function historyDocument(
  { runs, courses }: History,
  comparison: Comparison,
  commits: readonly { readonly at: number; readonly commits: readonly string[] }[],
): readonly RichBlock[] {
  const rowsById = new Map(comparison.rows.map((row) => [row.id, row]));
  const newest = ({ steps }: Course) => steps.at(-1)?.at ?? -1;
  const rows = [...courses]
    .sort((a, b) => newest(b) - newest(a))
    .map((course) => {
      const { id, quantity, values, steps, unit } = course;
      const last = values.findLast((value) => !Number.isNaN(value)) ?? NaN;
      const texts = steps.map(
        (step) =>
          `${runs[step.at]?.label ?? step.at}: ${stepText(step, formatValue(step.before, unit), formatValue(step.after, unit))}`,
      );
      const row = rowsById.get(id);
      return [
        row === undefined ? course.family : rowNames(titleOfRow(row), rowName(row, comparison)),
        row === undefined ? quantity : quantityText(row),
        sparkline(values, steps),
        formatValue(last, unit),
        texts.join("; ") || "no step",
      ];
    });
  return [
    heading(`History of ${runs.length} runs`),
    table<RichText>(
      ["Metric", "", `${runs[0]?.label ?? ""} … ${runs.at(-1)?.label ?? ""}`, "Newest", "Steps"],
      rows,
      [3],
    ),
    ...commits.flatMap((one) => [heading(`Commits before ${runs[one.at]?.label ?? one.at}`, 3), bullets(one.commits)]),
  ];
}

function finite(_key: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isFinite(value) ? null : value;
}
