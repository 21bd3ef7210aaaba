import { readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { isArtifact, parseArtifactName } from "../core/artifacts/index.js";
import { ToolError } from "./errors.js";

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

/** A folder of runs. Nothing outside of it is read, not even through a link. */
export class RunFolder {
  private constructor(readonly path: string) {}

  /** @throws ToolError when there is no such folder */
  static async at(path: string): Promise<RunFolder> {
    const real = await realpath(resolve(path)).catch(() => undefined);
    if (real === undefined || !(await stat(real)).isDirectory())
      throw new ToolError(`${path} is not a folder.`, "Name the folder that holds the runs.");
    return new RunFolder(real);
  }

  /** The newest first. */
  async runs(): Promise<readonly FoundRun[]> {
    const names: string[] = [];
    const walk = async (directory: string, depth: number): Promise<void> => {
      const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
      for (const entry of entries) {
        if (entry.name.startsWith(".") || entry.name === "node_modules" || names.length >= MAX_FILES) continue;
        const path = join(directory, entry.name);
        if (entry.isDirectory() && depth < DEEPEST) await walk(path, depth + 1);
        else if (entry.isFile() && isArtifact(entry.name)) names.push(path);
      }
    };
    await walk(this.path, 0);
    const runs = await this.grouped(names);
    return runs.sort((a, b) => b.modified - a.modified || (a.id < b.id ? -1 : 1));
  }

  /**
   * The run of an id; also of a file's path, or of a folder that holds one run.
   * @throws ToolError for what is not there or lies outside
   */
  async find(id: string): Promise<FoundRun> {
    const path = await this.inside(id);
    const info = await stat(path).catch(() => undefined);
    if (info?.isFile() === true) {
      const format = parseArtifactName(basename(path))?.format ?? "";
      return { id: this.idOf(path), files: [{ path, format }], modified: info.mtimeMs };
    }
    const directory = info?.isDirectory() === true ? path : dirname(path);
    const names = await readdir(directory).catch(() => []);
    const stem = info?.isDirectory() === true ? undefined : basename(path);
    const own = names.filter((name) => {
      const artifact = parseArtifactName(name);
      return artifact !== undefined && (stem === undefined || artifact.stem === stem);
    });
    const runs = await this.grouped(own.map((name) => join(directory, name)));
    const [run] = runs;
    if (run === undefined) throw await this.noRun(id);
    if (runs.length > 1)
      throw new ToolError(`${id} holds ${runs.length} runs.`, `Name one: ${runs.map((one) => one.id).join(", ")}.`);
    return run;
  }

  private async noRun(id: string): Promise<ToolError> {
    const near = (await this.runs()).map((run) => run.id).filter((one) => one.toLowerCase().includes(id.toLowerCase()));
    const list = "Call list_runs for the ids of the runs.";
    return new ToolError(
      `There is no run ${id}.`,
      near.length === 0 ? list : `There is ${near.slice(0, 5).join(", ")}. ${list}`,
    );
  }

  /** A path as answers name it: below the folder, with "/". */
  idOf(path: string): string {
    return relative(this.path, path).split(sep).join("/");
  }

  /** @throws ToolError when it leaves the folder */
  private async inside(id: string): Promise<string> {
    const refused = () =>
      new ToolError(
        `${id} lies outside ${this.path}: it was not read.`,
        "Call list_runs for the ids of the runs; only runs below that folder can be read.",
      );
    if (id.includes("\0")) throw refused();
    const path = resolve(this.path, id);
    if (leaves(relative(this.path, path))) throw refused();
    const nearest = await nearestReal(path);
    if (leaves(relative(this.path, nearest))) throw refused();
    return path;
  }

  private async grouped(paths: readonly string[]): Promise<FoundRun[]> {
    const runs = new Map<string, { files: RunFile[]; modified: number }>();
    for (const path of [...paths].sort()) {
      const artifact = parseArtifactName(basename(path));
      const real = await realpath(path).catch(() => undefined);
      const info = real === undefined ? undefined : await stat(real).catch(() => undefined);
      if (artifact === undefined || real === undefined || info?.isFile() !== true || leaves(relative(this.path, real)))
        continue;
      const { stem, format } = artifact;
      const id = this.idOf(join(dirname(path), stem));
      const run = runs.get(id) ?? { files: [], modified: 0 };
      run.files.push({ path, format });
      run.modified = Math.max(run.modified, info.mtimeMs);
      runs.set(id, run);
    }
    return [...runs].map(([id, run]) => ({ id, ...run }));
  }
}

function leaves(to: string): boolean {
  return to === ".." || to.startsWith(`..${sep}`) || isAbsolute(to);
}

/** Where links lead: of the path, else of the nearest folder above it that is there. */
async function nearestReal(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  const above = dirname(path);
  return real ?? (above === path ? path : nearestReal(above));
}
