import { basename } from "node:path";
import * as z from "zod";
import { isArtifact } from "../../core/artifacts/index.js";
import { finishedRuns, libraryTable, type CellValue, type LibraryRun } from "../../core/library/index.js";
import { isoTextOfMs } from "../../core/model/index.js";
import { withList } from "../answer.js";
import { defineTool } from "../tool.js";
import { readLibrary, runsUnderWay } from "../../files/library/library.js";
import { foundBelow } from "../../files/library/scan.js";
import { foreignName, OFFSET, oneOrMany } from "../words.js";

const MAX_COLUMNS = 20;

interface Chosen {
  readonly filter: string | undefined;
  readonly sort: string | undefined;
  readonly columns: readonly string[] | undefined;
}

/** What one look at the folder gives: rows of runs, and what is under way. */
interface Listed {
  readonly items: readonly object[];
  readonly underWay: readonly LibraryRun[];
}

/** The runs as their files are named. */
async function foundIn(folder: string, isNamed: (run: { readonly id: string }) => boolean): Promise<Listed> {
  const found = await foundBelow(folder);
  return {
    items: found.runs.filter(isNamed).map(({ id, files, modified }) => ({
      id,
      formats: [...new Set(files.map(({ format }) => format))],
      modified: isoTextOfMs(modified),
    })),
    underWay: await runsUnderWay(folder, found, { within: folder }),
  };
}

/** Rows of the library: those that meet the filter, in order, with what they have in the columns. */
async function rowsOf(
  folder: string,
  isNamed: (run: LibraryRun) => boolean,
  { filter, sort, columns: chosen }: Chosen,
): Promise<Listed> {
  const all = await readLibrary(folder, { reach: { within: folder } });
  // Other tools take runs with artifacts.
  const isFound = (run: LibraryRun) => isNamed(run) && run.files.every((file) => isArtifact(basename(file)));
  const { columns, rows } = libraryTable(finishedRuns(all).filter(isFound), {
    archived: true,
    ...(filter === undefined ? {} : { filter }),
    ...(sort === undefined ? {} : { sort }),
    ...(chosen === undefined ? {} : { columns: chosen }),
  });
  return {
    items: rows.map(({ runs: [run], cells }) => ({
      id: run?.id,
      ...Object.fromEntries(columns.map((column, i) => [foreignName(column), shownCell(cells[i], column)])),
    })),
    underWay: all.filter(({ running }) => running !== undefined),
  };
}

function shownCell(cell: CellValue, column: string): string | number | undefined {
  if (typeof cell === "number") return column === "time" ? isoTextOfMs(cell) : Number(cell.toPrecision(6));
  return cell === undefined ? undefined : foreignName(cell);
}

export const listRuns = defineTool({
  name: "list_runs",
  title: "List runs",
  description:
    "Lists the captured runs below the folder, the newest first, with their ids. Every other tool takes such an id. " +
    "`capturing` has this server's own captures, `under_way` experiments that run and captures of other processes. " +
    "Start here, then call describe_run. With filter, sort or columns it also reads what the runs were and measured: " +
    "label, tags, note, server, version, model, load, requests, tokens, ttft, itl, latency (also .p50, .p90, .p99), commit.",
  input: z.strictObject({
    contains: z.string().min(1).optional().describe("Only runs whose id contains this text"),
    filter: z
      .string()
      .min(1)
      .optional()
      .describe('Only runs that meet it, such as "ttft.p99 < 500ms and tags ~ nightly and concurrency = 8"'),
    sort: z.string().min(1).optional().describe("Column to sort by, with - before it the largest first"),
    columns: oneOrMany(z.array(z.string().min(1)).max(MAX_COLUMNS))
      .optional()
      .describe('Columns, settings by their path, or "FAMILY STATISTIC", such as "vllm:num_requests_running avg"'),
    offset: OFFSET,
  }),
  answer: async ({ contains, filter, sort, columns, offset = 0 }, { runs: { folder }, captures }) => {
    const isNamed = ({ id }: { readonly id: string }) => contains === undefined || id.includes(contains);
    const isPlain = filter === undefined && sort === undefined && columns === undefined;
    const { items, underWay: all } = isPlain
      ? await foundIn(folder.path, isNamed)
      : await rowsOf(folder.path, isNamed, { filter, sort, columns });
    const underWay = all.filter(isNamed).map(({ id, running: state }) => ({ id, state }));
    const running = captures.running().map(({ id, urls, seconds }) => ({ id, endpoints: urls, seconds }));
    return withList(
      {
        folder: folder.path,
        ...(underWay.length === 0 ? {} : { under_way: underWay }),
        ...(running.length === 0 ? {} : { capturing: running }),
        ...(items.length + underWay.length + running.length === 0
          ? { note: "No runs found. start_capture makes one; or start this server for another folder." }
          : {}),
      },
      "runs",
      items,
      { offset },
    );
  },
});
