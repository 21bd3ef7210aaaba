import type { KnownResults, PartialContent } from "../../core/compare/index.js";
import type { Problem } from "../../core/model/index.js";
import { Run } from "../../core/store/index.js";
import type { OpenedFile } from "../../protocol/index.js";
import type { HelperClient, Spawned } from "../client.js";
import { plainRun, type PlainRun } from "./helper.js";

/** What is asked of the second thread for one file. */
interface Wanted {
  readonly path: string;
  /** Takes what is computed ahead. */
  readonly known: KnownResults;
  readonly signal: AbortSignal;
}

/**
 * The second thread of a comparison, as the first one sees it. Two files of an hour are compared in 6.0 s and 616 MB,
 * on one thread with some 340 MB: two files are in memory at once. Cells that it reads are shared.
 */
export class SecondThread {
  private readonly known = new Map<number, KnownResults>();
  private readonly ids = new Map<KnownResults, number>();
  /** Settle with the first families of the files. */
  private readonly firsts: Promise<unknown>[] = [];

  constructor(private readonly spawned: Spawned<HelperClient>) {
    spawned.client.on("known", ({ known, part }) => this.known.get(known)?.add(part));
    // Whoever waits for an answer is told.
    spawned.exited.catch(() => undefined);
  }

  /** @returns undefined when the first families are all there are. @throws UserError */
  async first(wanted: Wanted, content: PartialContent): Promise<Run | undefined> {
    const { path, known, signal } = wanted;
    const asked = this.spawned.client.call("first", { path, known: this.idOf(known), content }, signal);
    this.firsts.push(asked);
    const answer = await asked;
    return answer === null ? undefined : runOf(answer);
  }

  /**
   * Once the first families of all files are read.
   * @param wanted with the stamp of the file, as far as it is known
   * @returns undefined when the file holds no samples, or another one has taken its place. @throws UserError
   */
  async whole(
    wanted: Wanted & { readonly stamp: string | undefined },
    onProgress: (fraction: number) => void,
  ): Promise<{ readonly run: Run; readonly file: OpenedFile; readonly problems: readonly Problem[] } | undefined> {
    const { path, known, signal, stamp } = wanted;
    await Promise.allSettled(this.firsts);
    const asked = { path, known: this.idOf(known), stamp };
    const answer = await this.spawned.client.call("whole", asked, signal, ({ done }) => onProgress(done));
    return answer === null ? undefined : { ...answer, run: runOf(answer.run) };
  }

  /** Shares the computing of what this thread has read. Never rejects: what is missing is computed here. */
  async ahead(run: Run, known: KnownResults): Promise<void> {
    const asked = { run: plainRun(run), known: this.idOf(known) };
    await this.spawned.client.call("ahead", asked).catch(() => undefined);
  }

  /** Tells the length of the slices that will be asked for. Never rejects. */
  async cut(seconds: number): Promise<void> {
    await this.spawned.client.call("slices", { seconds }).catch(() => undefined);
  }

  async end(): Promise<void> {
    await this.spawned.dispose();
  }

  private idOf(known: KnownResults): number {
    let id = this.ids.get(known);
    if (id === undefined) {
      this.ids.set(known, (id = this.ids.size));
      this.known.set(id, known);
    }
    return id;
  }
}

function runOf({ head, series }: PlainRun): Run {
  return Run.of(head, series);
}
