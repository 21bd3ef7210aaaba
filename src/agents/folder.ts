import { readdir, realpath } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { UserError } from "../core/text/errors.js";
import { isArtifact } from "../core/artifacts/index.js";
import { makeFolder, isFolder } from "../files/folders.js";
import { DEEPEST, groupedFiles, idBelow, isListed, runsBelow, type FoundRun } from "../files/library/scan.js";
import { liesBelow } from "../files/opener.js";

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
    if (real === undefined || !(await isFolder(real)))
      throw new UserError(`${path} is not a folder.`, "Name the folder that holds the runs.");
    return new RunFolder(real);
  }

  /** The newest first. */
  runs(): Promise<readonly FoundRun[]> {
    return runsBelow(this.path);
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
    return idBelow(this.path, path);
  }

  /** Those of `runs` that lie in a folder itself, not below it. */
  private async runsIn(directory: string): Promise<readonly FoundRun[]> {
    const parts = relative(this.path, directory).split(sep);
    if (!isIn(this.path, directory) || parts.length > DEEPEST || !parts.every(isListed)) return [];
    if ((await realpath(directory).catch(() => undefined)) !== directory) return [];
    const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
    const names = entries.filter((entry) => entry.isFile() && isListed(entry.name) && isArtifact(entry.name));
    return groupedFiles(
      this.path,
      names.map(({ name }) => join(directory, name)),
    );
  }
}

/** Where links lead: of the path, else of the nearest folder above it that is there. */
async function nearestReal(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  const above = dirname(path);
  return real ?? (above === path ? path : nearestReal(above));
}

function isIn(folder: string, path: string): boolean {
  return path === folder || liesBelow(folder, path);
}
