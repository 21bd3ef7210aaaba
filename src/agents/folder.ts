import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { UserError } from "../core/text/user-error.js";
import { isArtifact, parseArtifactName } from "../core/artifacts/index.js";
import { makeFolder } from "../files/folder.js";
import { liesBelow } from "../files/opener.js";

const DEEPEST = 12;
/** Files looked at below one folder at the most. */
const MAX_FILES = 20_000;

export interface RunFile {
  /** Absolute. */
  readonly path: string;
  /** By its name; "" of a file that is named otherwise. */
  readonly format: string;
}

/** A run that lies below the folder. */
export interface FoundRun {
  /** Path below the folder without extension, with "/": stays the same whatever formats are written. */
  readonly id: string;
  readonly files: readonly RunFile[];
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

export interface RootOptions {
  readonly inside?: string;
  readonly make?: boolean;
}

/** A folder of runs. Nothing outside of it is read, not even through a link, and of what is inside only its runs. */
export class RunFolder {
  private constructor(
    /** Without links: `Reach.within` of all that is read. */
    readonly path: string,
  ) {}

  /**
   * @param options.inside a folder that it must really lie in, such as the editor's: a link of a repository may lead
   * anywhere
   * @param options.make whether it is made where there is none
   * @throws UserError when there is no such folder, or it lies outside, or when it cannot be made
   */
  static async at(path: string, { inside, make = false }: RootOptions = {}): Promise<RunFolder> {
    const whole = resolve(path);
    const base = inside === undefined ? undefined : await realpath(inside).catch(() => inside);
    const isOutside = (real: string) => base !== undefined && !isIn(base, real);
    // Nothing is made behind a link either.
    if (!isOutside(await nearestReal(whole)) && make) await makeFolder(whole);
    const real = await realpath(whole).catch(() => undefined);
    if (isOutside(real ?? (await nearestReal(whole))))
      throw new UserError(
        `${path} lies outside ${inside ?? ""}: nothing in it is read.`,
        "The user can name that folder in the user's own settings (serverMetrics.outputFolder).",
      );
    if (real === undefined || !(await stat(real)).isDirectory())
      throw new UserError(`${path} is not a folder.`, "Name the folder that holds the runs.");
    return new RunFolder(real);
  }

  /** The newest first. */
  async runs(): Promise<readonly FoundRun[]> {
    const paths: string[] = [];
    const walk = async (directory: string, depth: number): Promise<void> => {
      const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
      for (const entry of entries) {
        if (!isListed(entry.name) || paths.length >= MAX_FILES) continue;
        const path = join(directory, entry.name);
        if (entry.isDirectory() && depth < DEEPEST) await walk(path, depth + 1);
        else if (entry.isFile() && isArtifact(entry.name)) paths.push(path);
      }
    };
    await walk(this.path, 0);
    return this.grouped(paths);
  }

  /**
   * The run of an id; also of a file's path, or of a folder that holds one run. What `runs` does not list is none.
   * @throws UserError for what is not there or lies outside
   */
  async find(id: string): Promise<FoundRun> {
    const path = id.includes("\0") ? undefined : resolve(this.path, id);
    if (path === undefined || !isIn(this.path, path)) throw this.outside(id);
    const inFolder = await this.runsIn(path);
    const runs =
      inFolder.length > 0
        ? inFolder
        : (await this.runsIn(dirname(path))).flatMap((run) => {
            if (run.id === this.idOf(path)) return [run];
            const files = run.files.filter((file) => file.path === path);
            return files.length === 0 ? [] : [{ ...run, id: this.idOf(path), files }];
          });
    const [run] = runs;
    if (run === undefined) throw await this.noRun(id, path);
    if (runs.length > 1)
      throw new UserError(`${id} holds ${runs.length} runs.`, `Name one: ${runs.map((one) => one.id).join(", ")}.`);
    return run;
  }

  private async noRun(id: string, path: string): Promise<UserError> {
    // By a link on the way.
    if (!isIn(this.path, await nearestReal(path))) return this.outside(id);
    const near = (await this.runs()).map((run) => run.id).filter((one) => one.toLowerCase().includes(id.toLowerCase()));
    const list = "Call list_runs for the ids of the runs.";
    return new UserError(
      `There is no run ${id}.`,
      near.length === 0 ? list : `There is ${near.slice(0, 5).join(", ")}. ${list}`,
    );
  }

  private outside(id: string): UserError {
    return new UserError(
      `${id} lies outside ${this.path}: it was not read.`,
      "Call list_runs for the ids of the runs; only runs below that folder can be read.",
    );
  }

  /** A path as answers name it: below the folder, with "/". */
  idOf(path: string): string {
    return relative(this.path, path).split(sep).join("/");
  }

  /** Those of `runs` that lie in a folder itself, not below it. */
  private async runsIn(directory: string): Promise<readonly FoundRun[]> {
    const parts = relative(this.path, directory).split(sep);
    if (!isIn(this.path, directory) || parts.length > DEEPEST || !parts.every(isListed)) return [];
    if ((await realpath(directory).catch(() => undefined)) !== directory) return [];
    const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
    const names = entries.filter((entry) => entry.isFile() && isListed(entry.name) && isArtifact(entry.name));
    return this.grouped(names.map(({ name }) => join(directory, name)));
  }

  private async grouped(paths: readonly string[]): Promise<readonly FoundRun[]> {
    const runs = new Map<string, { files: RunFile[]; modified: number }>();
    for (const path of paths.toSorted()) {
      const artifact = parseArtifactName(basename(path));
      const info = await lstat(path).catch(() => undefined);
      if (artifact === undefined || info?.isFile() !== true) continue;
      const { stem, format } = artifact;
      const id = this.idOf(join(dirname(path), stem));
      const run = runs.get(id) ?? { files: [], modified: 0 };
      run.files.push({ path, format });
      run.modified = Math.max(run.modified, info.mtimeMs);
      runs.set(id, run);
    }
    return [...runs]
      .map(([id, run]) => ({ id, ...run }))
      .sort((a, b) => b.modified - a.modified || (a.id < b.id ? -1 : 1));
  }
}

/** Where links lead: of the path, else of the nearest folder above it that is there. */
async function nearestReal(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  const above = dirname(path);
  return real ?? (above === path ? path : nearestReal(above));
}

/** Whether an entry of a folder is looked at. */
function isListed(name: string): boolean {
  return name === "" || !(name.startsWith(".") || name === "node_modules");
}

function isIn(folder: string, path: string): boolean {
  return path === folder || liesBelow(folder, path);
}
