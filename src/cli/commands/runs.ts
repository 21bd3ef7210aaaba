import { resolve } from "node:path";
import { Command, Option, type CommandUnknownOpts } from "@commander-js/extra-typings";
import {
  finishedRuns,
  GROUPINGS,
  libraryTable,
  libraryText,
  tableTexts,
  type LibraryChoice,
  type LibraryRun,
  type NoteEdit,
  type RunNote,
} from "../../core/library/index.js";
import { UserError } from "../../core/text/index.js";
import { plural, pluralOf } from "../../core/text/plural.js";
import { judgedColumns, RunJudge } from "../../engine/judge.js";
import { noteRuns, readLibrary } from "../../files/library/library.js";
import { watchRuns } from "../../files/library/watch.js";
import { interruptOrTimeout } from "../capture/child-process.js";
import { errorLine } from "../exit.js";
import { readFolder } from "../input/memory.js";
import { append, type FlagsOf } from "../options/shared.js";
import { terminalWidth, textTable } from "../print/table.js";
import { note, print } from "../print/terminal.js";

const MOST_NAMED = 5;

/** `runs`: the runs of a folder as a table, and what is noted of them. */
export function runsCommand(): CommandUnknownOpts {
  return options().action(async (folder, flags) => {
    const runs = await read(folder, flags);
    if (flags.run !== undefined) {
      const named = flags.run.map((id) => runNamed(runs, id));
      return noteOf(folder, named, flags);
    }
    print(listText(runs, flags));
    if (flags.follow === true) await follow(folder, flags);
  });
}

type Flags = FlagsOf<typeof options>;

function options() {
  return new Command("runs")
    .summary("the runs of a folder as a table, with notes, tags and stars")
    .description(
      "Lists the runs below a folder, the newest first: what they were, with what, and what came of it. " +
        "With --run it notes something of runs; notes lie beside the runs, in a file that Git merges.",
    )
    .argument("<folder>", "the folder that holds the runs")
    .option("--filter <filter>", `only runs that meet it, such as 'ttft.p99 < 500ms and tags ~ nightly'`)
    .option("--sort <column>", "order by a column, the smallest first; with - before it the largest (default: -time)")
    .option("--columns <list>", "these columns: see docs/library.md", (text) =>
      text.split(",").map((one) => one.trim()),
    )
    .addOption(
      new Option(
        "--group [by]",
        "one line for the repeats of a configuration and load, or for each experiment, with mean ± standard deviation",
      )
        .choices(GROUPINGS)
        .preset(GROUPINGS[0]),
    )
    .option("--all", "also archived runs")
    .addOption(new Option("--json", "print JSON").conflicts(["csv", "markdown", "group"]))
    .addOption(new Option("--csv", "print CSV").conflicts("markdown"))
    .option("--markdown", "print a Markdown table")
    .option("--follow", "list them again whenever a run is added or changes, until Ctrl-C")
    .option("--run <id>", "a run to note something of: its id, or a part that no other has (repeatable)", append)
    .option("--label <text>", "name the run; an empty text takes the name back")
    .option("--note <text>", "a note; an empty text takes it away")
    .option("--tag <tag>", "add a tag (repeatable)", append)
    .option("--untag <tag>", "take a tag away (repeatable)", append)
    .option("--star", "star the run")
    .option("--no-star", "take the star away")
    .option("--archive", "leave the run out of lists")
    .option("--no-archive", "list it again");
}

/** With what is computed only where it is asked for. */
async function read(folder: string, flags: Flags): Promise<readonly LibraryRun[]> {
  const runs = await readFolder("reading runs", (reading) => readLibrary(folder, reading));
  const columns = judgedColumns(choiceOf(flags));
  if (columns.length === 0) return runs;
  const judge = new RunJudge(folder);
  const { signal } = new AbortController();
  await readFolder("computing findings and verdicts", ({ onProgress: onJudged, ...reading }) =>
    judge.judge(runs, columns, {}, { signal, onJudged, ...reading }),
  );
  return judge.known(runs, columns, {});
}

function choiceOf({ filter, sort, columns, group: grouped, all: archived }: Flags): LibraryChoice {
  const chosen = Object.entries({ filter, sort, grouped, archived, columns });
  return Object.fromEntries(chosen.filter(([, value]) => value !== undefined));
}

/** One list after the other: what changes while one is made is in the next. */
async function follow(folder: string, flags: Flags): Promise<void> {
  const over = new AbortController();
  let listed = Promise.resolve();
  const list = () => {
    listed = listed
      .then(async () => print(`\n${listText(await read(folder, flags), flags)}`))
      .catch((error: unknown) => note(errorLine(error)));
  };
  watchRuns(resolve(folder), list, over.signal);
  await interruptOrTimeout(undefined);
  over.abort();
  await listed;
}

function listText(all: readonly LibraryRun[], flags: Flags): string {
  const isExport = [flags.json, flags.csv, flags.markdown].includes(true);
  const finished = finishedRuns(all);
  const table = libraryTable(isExport ? finished : all, choiceOf(flags));
  const { columns, rows } = table;
  if (flags.json === true)
    return JSON.stringify(
      rows.flatMap(({ runs: [run], cells }) =>
        run === undefined
          ? []
          : { id: run.id, files: run.files, ...Object.fromEntries(columns.map((column, i) => [column, cells[i]])) },
      ),
      null,
      2,
    );
  if (flags.csv === true || flags.markdown === true) return libraryText(table, flags.csv === true ? "csv" : "markdown");
  const { heads, cells } = tableTexts(table, false);
  const { text, left } = textTable(
    heads.map((title, i) => ({ title: title.toUpperCase(), wrapFrom: 12, rank: i })),
    cells,
    terminalWidth(),
  );
  const hidden = left.length === 0 ? "" : ` Without room: ${left.join(", ")}.`;
  const runs = finishedRuns(rows.flatMap((row) => row.runs)).length;
  return `${text}\n${pluralOf(runs, finished.length, "run")}.${hidden}`;
}

function runNamed(runs: readonly LibraryRun[], id: string): LibraryRun {
  const exact = runs.find((run) => run.id === id);
  const found = exact === undefined ? runs.filter((run) => run.id.includes(id)) : [exact];
  const [run] = found;
  if (run === undefined) throw new UserError(`There is no run ${id}.`, "runs DIR lists those there are.");
  if (found.length > 1)
    throw new UserError(
      `${found.length} runs have "${id}" in their id: ${found
        .slice(0, MOST_NAMED)
        .map((one) => one.id)
        .join(", ")}${found.length > MOST_NAMED ? ", …" : ""}.`,
    );
  return run;
}

async function noteOf(folder: string, runs: readonly LibraryRun[], flags: Flags): Promise<void> {
  const { label, note: text, tag = [], untag = [], star, archive } = flags;
  if ([label, text, star, archive].every((one) => one === undefined) && tag.length + untag.length === 0)
    throw new UserError("There is nothing to note.", "Give --label, --note, --tag, --untag, --star or --archive.");
  const change = ({ tags = [] }: RunNote): NoteEdit => ({
    ...(label === undefined ? {} : { label }),
    ...(text === undefined ? {} : { note: text }),
    ...(tag.length + untag.length === 0 ? {} : { tags: [...tags, ...tag].filter((one) => !untag.includes(one)) }),
    ...(star === undefined ? {} : { star }),
    ...(archive === undefined ? {} : { archived: archive }),
  });
  const { path, reason } = await noteRuns(folder, runs, change);
  note(`noted ${plural(runs.length, "run")} in ${path}${reason === undefined ? "" : `, because ${reason}`}`);
}
