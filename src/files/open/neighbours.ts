import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isArtifact } from "../../core/artifacts/index.js";
import { type Problem, noteOf, warningOf } from "../../core/model/index.js";
import { headOf, type ReadOptions } from "../bytes.js";
import { kindOf } from "../opener.js";

/** Files that are looked at at a time in this process: what hangs must not take all of the threads that read files. */
const AT_A_TIME = 2;
/** A file system that answers more slowly is one that hangs: what a file has beside it is not waited for. */
const LOOK_MS = 10_000;
/** Of the client's side, too raw to be read. */
export const TOO_RAW = /(?:_raw\.jsonl|\.pytorch\.json|inputs\.json)/i;
/** Links and pipes that are told by name. */
const TOLD = 5;

const READ = /\.(?:jsonl?|ya?ml|csv)(?:\.gz|\.zst)?$/i;

/** Whether opening a run beside it may read more of a file of this name than its beginning. */
export function isReadBeside(name: string): boolean {
  return READ.test(name) && !TOO_RAW.test(name) && !isArtifact(name);
}

let turns = AT_A_TIME;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (turns > 0) turns--;
  else await new Promise<void>((go) => waiting.push(go));
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) turns++;
    else next();
  }
}

/**
 * The files of one folder that nobody named: beside a file that was opened, or in a folder that was. Only regular files
 * that really lie in that folder are read; who made the folder may have put anything else there.
 */
export class Neighbours {
  private readonly skipped = new Map<string, { readonly what: string; readonly severity: Problem["severity"] }>();
  private leftMs = LOOK_MS;
  private isLate = false;

  private constructor(
    readonly directory: string,
    private readonly entries: ReadonlyMap<string, string>,
    /** How each of them is read. */
    readonly reading: ReadOptions,
  ) {}

  /** Those beside a file. @throws the signal's reason */
  static async of(path: string, options: ReadOptions): Promise<Neighbours> {
    return Neighbours.in(dirname(path), options, basename(path));
  }

  /** Those of a folder; none where there is no such folder. @throws the signal's reason */
  static async in(directory: string, { signal, within }: ReadOptions, but?: string): Promise<Neighbours> {
    const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
    signal?.throwIfAborted();
    return new Neighbours(
      directory,
      new Map(entries.filter(({ name }) => name !== but).map((entry) => [entry.name, kindOf(entry)])),
      {
        ...(signal === undefined ? {} : { signal }),
        within: within ?? (await realpath(directory).catch(() => directory)),
      },
    );
  }

  /**
   * Names of files.
   * @param is which are wanted; links, pipes and the like among them are left out, with a notice
   * @param severity of that notice
   */
  named(is: (name: string) => boolean, severity: Problem["severity"] = "warning"): readonly string[] {
    const names: string[] = [];
    for (const [name, what] of this.entries) {
      if (what === "a folder" || !is(name)) continue;
      if (what === "a file") names.push(name);
      else if (!this.skipped.has(name)) this.skipped.set(name, { what, severity });
    }
    return names;
  }

  /** The first of these names that there is, as a path; undefined when there is none. */
  firstOf(names: readonly string[], severity?: Problem["severity"]): string | undefined {
    const found = this.named((name) => names.includes(name), severity);
    const name = names.find((one) => found.includes(one));
    return name === undefined ? undefined : this.path(name);
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  /**
   * Looks at files, a few at a time and all of them within ten seconds.
   * @returns of each what `at` gives; undefined for one that cannot be read, or not in time
   * @throws the signal's reason
   */
  async look<T>(
    names: readonly string[],
    at: (path: string, reading: ReadOptions) => Promise<T>,
  ): Promise<readonly (T | undefined)[]> {
    this.reading.signal?.throwIfAborted();
    if (names.length === 0) return [];
    const begun = performance.now();
    const deadline = AbortSignal.timeout(Math.max(0, Math.round(this.leftMs)));
    const { signal: given } = this.reading;
    const signal = given === undefined ? deadline : AbortSignal.any([deadline, given]);
    const stopped = new Promise<undefined>((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
    const one = (name: string) =>
      inTurn(async () => (signal.aborted ? undefined : at(this.path(name), { ...this.reading, signal }))).catch(
        () => undefined,
      );
    const found = await Promise.all(names.map((name) => Promise.race([one(name), stopped])));
    given?.throwIfAborted();
    if (deadline.aborted) this.isLate = true;
    this.leftMs -= performance.now() - begun;
    return found;
  }

  /** The files among these whose first bytes are wanted, as paths. @throws the signal's reason */
  async beginning(names: readonly string[], length: number, is: (text: string) => boolean): Promise<readonly string[]> {
    const are = await this.look(names, async (path, reading) =>
      is(new TextDecoder().decode(await headOf(path, length, reading))),
    );
    return names.filter((_, i) => are[i] === true).map((name) => this.path(name));
  }

  /** What was left out. */
  notices(): readonly Problem[] {
    const left = [...this.skipped].map(([name, { what, severity }]): Problem => ({
      severity,
      reason: `${name} is ${what}, not a file: it was not read.`,
      ...(what === "a link" ? { remedy: "Links beside a run are not followed: copy the file there." } : {}),
    }));
    const more = left.length - TOLD;
    return [
      ...left.slice(0, TOLD),
      ...(more > 0 ? [noteOf(`${more} more in ${this.directory} are not files and were not read.`)] : []),
      ...(this.isLate
        ? [
            warningOf(
              `Not all files in ${this.directory} could be looked at within ${LOOK_MS / 1000} s: what they tell of the run is missing.`,
              "Open it again when the disk answers.",
            ),
          ]
        : []),
    ];
  }
}
