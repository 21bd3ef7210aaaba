import type { Direction } from "../core/catalog/index.js";
import { DEFAULT_THRESHOLD, directionOf, stepsOf, stepText } from "../core/compare/index.js";
import {
  cellOf,
  cellText,
  KEY_FIGURES,
  libraryTable,
  statisticOf,
  type LibraryChoice,
  type LibraryRun,
} from "../core/library/index.js";
import type { MetricType } from "../core/model/index.js";
import { getOrInsert } from "../core/math/index.js";
import type { HistoryStep, ShownHistory } from "../protocol/library.js";
import { shownColumn } from "../protocol/shown-runs.js";
import { commitsBetween } from "./provenance/programs.js";

/** What a family is by a statistic of it. */
const TYPES: Readonly<Record<string, MetricType>> = { total: "counter", rate: "counter", avg: "gauge", max: "gauge" };

/**
 * The course of each metric shown over the runs shown, the oldest first: where it changed for good, as `compare
 * --history` finds it, and the commits since the run before.
 * @throws UserError as `libraryTable`
 */
export async function runHistory(
  folder: string,
  all: readonly LibraryRun[],
  { sort: _, grouped: __, ...choice }: LibraryChoice,
): Promise<ShownHistory> {
  const { columns, rows } = libraryTable(all, { ...choice, sort: "time" });
  const runs = rows.flatMap((row) => row.runs);
  const courses = columns.flatMap((column) => {
    const direction = directionOfColumn(column);
    if (direction === undefined) return [];
    const values = runs.map((run) => cellOf(run, column)).map((cell) => (typeof cell === "number" ? cell : NaN));
    return [{ column, values, steps: stepsOf(values, DEFAULT_THRESHOLD, direction) }];
  });
  const commits = new Map<number, Promise<HistoryStep["commits"]>>();
  const commitsAt = (at: number) =>
    getOrInsert(commits, at, () => {
      const [from, to] = [at - 1, at].map((i) => runs[i]?.about?.provenance["git.commit"]);
      return commitsBetween(folder, from, to);
    });
  return {
    runs: runs.map((run) => ({ id: run.id, time: Number(cellOf(run, "time") ?? NaN) })),
    courses: await Promise.all(
      courses.map(async ({ column, values, steps }) => ({
        column: shownColumn(column),
        values,
        steps: await Promise.all(
          steps.map(async (step): Promise<HistoryStep> => {
            const { at, before, after, verdict } = step;
            const text = stepText(step, cellText(before, column), cellText(after, column));
            return { at, before, after, verdict, text, commits: await commitsAt(at) };
          }),
        ),
      })),
    ),
  };
}

/** Which way a column is better; undefined of what was set, not measured. */
function directionOfColumn(column: string): Direction | undefined {
  if (KEY_FIGURES.includes(column)) {
    if (/concurrency|rate$/.test(column)) return undefined;
    return /requests|tokens/.test(column) ? "up" : "down";
  }
  const found = statisticOf(column);
  return found === undefined ? undefined : directionOf(found.family, TYPES[found.statistic] ?? "histogram", {});
}
