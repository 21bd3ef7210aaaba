import type { EpochNs } from "../../core/model/index.js";
import type { Run } from "../../core/store/index.js";
import type { ParquetArtifact } from "./artifact.js";
import type { ParquetFamily } from "./family-index.js";
import type { OpenOptions } from "../open/types.js";

/** Of a smaller file all is read at once. */
const LARGE_ROWS = 400_000;
/** Rows read for families one by one, in multiples of the file's, from which on it is faster to read the file once. */
const SCATTERED = 3;
/** Ids of a family's series begin at its place among the families times this. */
const IDS_PER_FAMILY = 2 ** 24;
/** Samples kept in memory. */
const BUDGET_BYTES = 512 * 1024 ** 2;

/** A family on its way into memory, for any number that wait for it. */
interface Loading {
  readonly run: Promise<Run>;
  readonly controller: AbortController;
  waiting: number;
}

/**
 * The families of a large Parquet artifact as runs of their own, read when they are asked for and let go when others
 * need the memory. All have one origin and one frame, and their series have ids of their own that stay the same
 * whenever they are read.
 */
export class ParquetFamilies {
  /** The longest unused first. */
  private readonly kept = new Map<string, { readonly run: Run; readonly bytes: number }>();
  private readonly loading = new Map<string, Loading>();
  /** Families are read one after the other: the first that was asked for is there first. */
  private queue: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly artifact: ParquetArtifact,
    readonly families: readonly ParquetFamily[],
    /** Without the file's samples. What is set here (slices, window, end of the warm-up) holds for all families. */
    readonly frame: Run,
    /** Time of the last sample. */
    readonly end: EpochNs,
    private readonly budget: number,
  ) {}

  /**
   * Undefined when the file is small, or its families lie too scattered: it is better read whole. @throws UserError;
   * the signal's reason
   */
  static async of(
    artifact: ParquetArtifact,
    signal?: AbortSignal,
    budget = BUDGET_BYTES,
  ): Promise<ParquetFamilies | undefined> {
    if (artifact.rows <= LARGE_ROWS) return undefined;
    const families = await artifact.families(signal);
    if (families.reduce((sum, { rows }) => sum + rows, 0) > SCATTERED * artifact.rows) return undefined;
    const frame = await artifact.frame(signal, families.length * IDS_PER_FAMILY);
    return new ParquetFamilies(artifact, families, frame, await artifact.end(signal), budget);
  }

  get about() {
    return this.artifact.about;
  }

  /** One family's run. @throws RangeError when the file has none of that name; UserError; the signal's reason */
  async load(name: string, signal?: AbortSignal): Promise<Run> {
    const kept = this.kept.get(name);
    if (kept === undefined) return this.adjusted(await this.wait(this.loading.get(name) ?? this.begin(name), signal));
    this.kept.delete(name);
    this.kept.set(name, kept);
    return this.adjusted(kept.run);
  }

  /**
   * Some families as one run, which is not kept. @param parts as of `ParquetArtifact.loadFamilies`
   * @throws UserError; the signal's reason
   */
  async together(names: readonly string[], options: OpenOptions = {}, parts?: "totals"): Promise<Run> {
    return this.adjusted(await this.inTurn(() => this.artifact.loadFamilies(names, options, parts)));
  }

  /**
   * The whole file, or the families of it that the options name, as one run, which is not kept. Nothing that is asked
   * for meanwhile waits for it. @throws UserError; the signal's reason
   */
  async whole(options: OpenOptions = {}): Promise<Run> {
    return this.adjusted(await this.artifact.loadAll(options));
  }

  async close(): Promise<void> {
    await this.artifact.close();
  }

  private adjusted(run: Run): Run {
    run.adjustLike(this.frame);
    return run;
  }

  private begin(name: string): Loading {
    const place = this.families.findIndex((family) => family.name === name);
    if (place < 0) throw new RangeError(`${this.artifact.path} has no family ${name}`);
    const controller = new AbortController();
    const { signal } = controller;
    const run = this.inTurn(async () => {
      signal.throwIfAborted();
      const read = await this.artifact.loadFamily(name, { signal }, place * IDS_PER_FAMILY);
      if (read === undefined) throw new RangeError(`${this.artifact.path} has no family ${name}`);
      this.keep(name, read);
      return read;
    }).finally(() => {
      if (this.loading.get(name) === loading) this.loading.delete(name);
    });
    const loading: Loading = { run, controller, waiting: 0 };
    this.loading.set(name, loading);
    return loading;
  }

  /** Who gives up does not take it from the others; after the last one reading ends. */
  private async wait(loading: Loading, signal: AbortSignal | undefined): Promise<Run> {
    loading.waiting++;
    try {
      return await unlessAborted(loading.run, signal);
    } finally {
      if (--loading.waiting === 0) {
        loading.controller.abort();
        for (const [name, other] of this.loading) if (other === loading) this.loading.delete(name);
      }
    }
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.queue.then(work);
    this.queue = done.catch(() => undefined);
    return done;
  }

  private keep(name: string, run: Run): void {
    this.kept.set(name, { run, bytes: bytesOf(run) });
    let bytes = 0;
    for (const one of this.kept.values()) bytes += one.bytes;
    for (const [oldest, one] of this.kept) {
      if (bytes <= this.budget || oldest === name) break;
      this.kept.delete(oldest);
      bytes -= one.bytes;
    }
  }
}

/** Four numbers a row of each time axis. */
const AXIS_BYTES = 32;

function bytesOf({ store }: Run): number {
  return store.bytes + store.endpoints.reduce((sum, { rows }) => sum + rows * AXIS_BYTES, 0);
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason as Error);
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}
