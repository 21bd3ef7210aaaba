import { noteOf, warningOf, type FileFormat, type Problem } from "../../core/model/index.js";
import { UserError } from "../../core/text/errors.js";
import type { LineProblem } from "../../core/artifacts/index.js";
import { noun, grouped } from "../../core/text/plural.js";

/** What a CSV says otherwise than the other files of its run. */
export const CSV_NUMBERS =
  "Where a series restarted or appeared during the run, its total, count and rate are AIPerf's (last minus first value). JSON and Parquet have the increase.";

/** What no file of a format holds; absent where one holds all of its run. */
export const FORMAT_LIMITS: Readonly<Partial<Record<FileFormat, Problem>>> = {
  json: noteOf(
    "JSON holds statistics and slices, no samples: lines are steps, and the slice length is fixed. Of windows, only the phases that the file holds can be chosen.",
  ),
  csv: noteOf(
    `CSV holds statistics only: no slices, window, configuration or endpoint information, and endpoints by their display name. ${CSV_NUMBERS}`,
  ),
  parquet: noteOf("Parquet holds the window only: the warm-up and failed scrapes are not in it."),
  snapshot: noteOf("A snapshot is one scrape: there are no rates, slices or percentiles over time."),
  "earlier-json": noteOf(
    "AIPerf's earlier layout has one statistic per metric, and neither types nor a window. It is read, never written.",
  ),
  "earlier-csv": noteOf(
    "AIPerf's earlier layout has one statistic per metric, and neither types nor a window. It is read, never written.",
  ),
};

const MAJOR = 1;
const NEWEST_MINOR = 1;

/**
 * What there is to say of a file's schema version: nothing, or that it is a newer minor one.
 * @throws UserError for a newer major version, with its number
 */
export function schemaNotice(path: string, version: string | undefined): Problem | undefined {
  const match = /^(\d+)(?:\.(\d+))?/.exec(version ?? "");
  if (match === null || version === undefined) return undefined;
  const major = Number(match[1]);
  const minor = Number(match[2] ?? 0);
  if (major > MAJOR)
    throw new UserError(
      `${path} has schema version ${version}: this program reads ${MAJOR}.x.`,
      "Update the extension, or export the run in an older schema.",
    );
  if (major < MAJOR || minor <= NEWEST_MINOR) return undefined;
  return noteOf(
    `The file has schema version ${version}, newer than ${MAJOR}.${NEWEST_MINOR}: its new fields are not shown.`,
  );
}

/** Lines that are named by number. */
export const LISTED = 10;

/** Says how many lines were skipped, with the number and reason of the first of them. */
export function skippedNotice(count: number, problems: readonly LineProblem[]): Problem {
  const listed = problems.map(({ line, message }) => `line ${line}: ${message}`).join("; ");
  const more = count > problems.length ? `; and ${count - problems.length} more` : "";
  return warningOf(
    `${count} ${noun(count, "line")} could not be read and ${noun(count, "was", "were")} skipped: ${listed}${more}.`,
  );
}

/**
 * Says how many samples were left out, and of which endpoints.
 * @param dropped samples by endpoint; one at least
 */
export function droppedNotice(dropped: ReadonlyMap<string, number>, limit: number): Problem {
  const all = Array.from(dropped, ([url, count]) => `${grouped(count)} of ${url}`);
  const more = all.length > LISTED ? `; and those of ${all.length - LISTED} more endpoints` : "";
  return warningOf(
    `Samples were left out: ${all.slice(0, LISTED).join("; ")}${more}. An endpoint may have ${grouped(limit)} series in a file. The rest is shown.`,
    "To read them too, give show or export a higher --series-limit.",
  );
}
