import { randomUUID } from "node:crypto";
import { appendFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { folderOf, type ExperimentDefinition, type RunRecord } from "../core/experiment/index.js";
import { errorCode, isFields, parseJson, UserError } from "../core/text/index.js";
import { describeFileError, makeFolder, newFolder } from "../files/index.js";
import { textOf } from "../files/bytes.js";
import { liesBelow, type Reach } from "../files/opener.js";
import { EXPERIMENT_JOURNAL, EXPERIMENT_LOCK, runnerOf } from "../files/experiment-folder.js";
import { ownerText, thisOwner } from "../files/owner.js";

/*
 * The state of an experiment: an append-only file of JSON lines. The first tells the experiment, another each plan with
 * which it went on; all others are runs that were made. A line that was cut off is none.
 */

const LIMIT = 256 * 1024 ** 2;

/** What a journal holds. */
export interface Recorded {
  /** Of the experiment's processes. */
  readonly token: string;
  /** With which it went on last. */
  readonly definition: ExperimentDefinition;
  readonly runs: readonly RunRecord[];
}

/** Reads an experiment's journal. @returns undefined where nothing is recorded yet @throws UserError */
export async function readJournal(out: string, reach: Reach = {}): Promise<Recorded | undefined> {
  const path = join(out, EXPERIMENT_JOURNAL);
  const text = await textOf(path, LIMIT, reach).catch((error: unknown) => {
    if (error instanceof UserError && error.system === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const lines = text.split("\n").flatMap((line) => {
    try {
      const parsed = parseJson(line);
      return isFields(parsed) ? [parsed] : [];
    } catch {
      return [];
    }
  });
  // Its experiment was killed before the first line was whole.
  if (lines.length === 0) return undefined;
  const plans = lines.flatMap((line) => (isPlan(line) ? [line] : []));
  const [first] = plans;
  const last = plans.at(-1);
  if (first === undefined || last === undefined)
    throw new UserError(`${path} is no journal of an experiment.`, "Choose another --out.");
  let runs: RunRecord[] = [];
  for (const line of lines)
    if (isPlan(line)) runs = without(runs, line.replaced);
    else if (isRun(line)) runs.push(line.run);
  return { token: first.token, definition: last.definition, runs };
}

/** Lines are read as they were written: nobody else writes this file. */
function isPlan(line: object): line is Plan {
  return "token" in line && "definition" in line;
}

interface Plan {
  readonly token: string;
  readonly definition: ExperimentDefinition;
  /** Folders of the runs of before that are no runs of this plan. */
  readonly replaced?: readonly string[];
}

function without(runs: readonly RunRecord[], folders: readonly string[] = []): RunRecord[] {
  return runs.filter(({ step }) => !folders.includes(folderOf(step)));
}

function isRun(line: object): line is { readonly run: RunRecord } {
  return "run" in line;
}

/** The journal of an experiment that runs. One process at a time has it. */
export class Journal {
  private constructor(
    private readonly out: string,
    /** What is there of before. */
    readonly before: Recorded | undefined,
  ) {}

  /** Takes the journal of a folder, which may have none yet. @throws UserError when another process runs it */
  static async take(out: string): Promise<Journal> {
    await makeFolder(out);
    await lock(out);
    try {
      return new Journal(out, await readJournal(out));
    } catch (error) {
      await rm(join(out, EXPERIMENT_LOCK), { force: true });
      throw error;
    }
  }

  /** Begins an experiment, or goes on with the one there. @param replaced folders of its runs @throws UserError */
  async begin(definition: ExperimentDefinition, replaced: readonly string[] = []): Promise<Recorded> {
    const { token = randomUUID(), runs = [] } = this.before ?? {};
    if (JSON.stringify(this.before?.definition) !== JSON.stringify(definition)) {
      const plan: Plan = { token, definition, ...(replaced.length === 0 ? {} : { replaced }) };
      await this.append({ ...plan, time: new Date().toISOString() });
      for (const folder of replaced.map((name) => join(this.out, name)))
        // A journal may have come from elsewhere.
        if (liesBelow(this.out, folder)) await rm(folder, { recursive: true, force: true });
    }
    return { token, definition, runs: without(runs, replaced) };
  }

  /** Moves the experiment there out of the way, and begins another. @returns where it is @throws UserError */
  async beginAnew(definition: ExperimentDefinition): Promise<Recorded & { readonly aside?: string }> {
    const aside = this.before === undefined ? undefined : await newFolder(this.out, "earlier");
    for (const name of aside === undefined ? [] : [EXPERIMENT_JOURNAL, "runs"])
      await rename(join(this.out, name), join(aside ?? "", name)).catch((error: unknown) => {
        if (errorCode(error) !== "ENOENT") throw describeFileError(join(this.out, name), error, "write");
      });
    const recorded = await new Journal(this.out, undefined).begin(definition);
    return { ...recorded, ...(aside === undefined ? {} : { aside }) };
  }

  /** Keeps a run; it is on the disk when this settles. @throws UserError */
  async add(run: RunRecord): Promise<void> {
    await this.append({ run, time: new Date().toISOString() });
  }

  async close(): Promise<void> {
    await rm(join(this.out, EXPERIMENT_LOCK), { force: true });
  }

  /** What was cut off before stays a line of its own. */
  private async append(line: object): Promise<void> {
    const path = join(this.out, EXPERIMENT_JOURNAL);
    await appendFile(path, `\n${JSON.stringify(line)}\n`, { flush: true }).catch((error: unknown) => {
      throw describeFileError(path, error, "write");
    });
  }
}

async function lock(out: string): Promise<void> {
  const path = join(out, EXPERIMENT_LOCK);
  const runner = await runnerOf(out);
  if (runner?.state === "alive")
    throw new UserError(
      `process ${runner.pid} runs the experiment in ${out}.`,
      "Wait for it, or choose another --out.",
      {
        code: "in-use",
      },
    );
  if (runner?.state === "unknown")
    throw new UserError(
      `the experiment in ${out} may be running on another machine or in another container.`,
      `If it is not, delete ${path}.`,
      { code: "in-use" },
    );
  if (runner !== undefined) await rm(path, { force: true });
  await writeFile(path, ownerText(thisOwner()), { flag: runner === undefined ? "w" : "wx" }).catch((error: unknown) => {
    throw describeFileError(path, error, "write");
  });
}
