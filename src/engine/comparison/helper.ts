import { setImmediate } from "node:timers/promises";
import { KnownResults, measuredAhead, type KnownPart, type PartialContent } from "../../core/compare/index.js";
import type { Problem } from "../../core/model/index.js";
import { Run, type RunPart, type SeriesPart } from "../../core/store/index.js";
import { openArtifact, type OpenOptions } from "../../files/open/index.js";
import { ChannelServer, type OpenedFile, type Port } from "../../protocol/index.js";
import { fileStamp, LargeFile } from "../subjects/large-file.js";
import { runSteps } from "../stepper.js";
import { fileMemory } from "../worker-memory.js";

/** A run as plain data; its cells are shared. */
export interface PlainRun {
  readonly head: RunPart;
  readonly series: readonly SeriesPart[];
}

interface Asked {
  readonly path: string;
  /** Whose parts come by the event `known`, as they are computed once the answer has been given. */
  readonly known: number;
}

export interface WholeRun {
  readonly run: PlainRun;
  readonly file: OpenedFile;
  readonly problems: readonly Problem[];
}

/** What a comparison asks its second thread for. */
export interface HelperRequests {
  /** null: the first families are all there are. */
  first: { readonly params: Asked & { readonly content: PartialContent }; readonly result: PlainRun | null };
  /** null: the file holds no samples, or has another stamp by now. */
  whole: { readonly params: Asked & { readonly stamp: string | undefined }; readonly result: WholeRun | null };
  /** Takes a run that the first thread has read, to compute some of what it will ask of it. */
  ahead: { readonly params: { readonly run: PlainRun; readonly known: number }; readonly result: null };
  /** Slices of this length will be asked for. */
  slices: { readonly params: { readonly seconds: number }; readonly result: null };
}

export interface HelperEvents {
  known: { readonly known: number; readonly part: KnownPart };
}

/** A run without what cannot be sent. */
export function plainRun(run: Run): PlainRun {
  const { head, series } = run.parts();
  return { head, series: [...series] };
}

/**
 * The second thread of a comparison: reads large files, and computes what the first one will ask of them. Reading all
 * of a file waits for what is computed of the first families, for which the first thread waits sooner.
 */
export class ComparisonHelper {
  private readonly files = new Map<string, Promise<LargeFile | undefined>>();
  private readonly known = new Map<number, KnownResults>();
  /** First families of files that are still to be read whole. */
  private readonly begun = new Map<number, Run>();
  private sliceSeconds: number | undefined;
  /** What is done one after the other, up to the last that was asked for. */
  private turns: Promise<void> = Promise.resolve();
  private readonly server: ChannelServer<HelperRequests, HelperEvents>;

  constructor(port: Port) {
    this.server = new ChannelServer<HelperRequests, HelperEvents>(port, {
      first: async (asked, signal) => {
        const run = await (await this.file(asked.path))?.first(asked.content, signal);
        if (run === undefined) return null;
        if (asked.content === "key-metrics") this.begun.set(asked.known, run);
        void this.inTurn(() => this.compute(run, asked.known));
        return plainRun(run);
      },
      whole: (asked, signal, report) =>
        new Promise((resolve, reject) => {
          void this.inTurn(async () => {
            const onProgress = (done: number) => report({ done, of: 1, steps: "file" });
            const opened = await this.openWhole(asked, { ...fileMemory(), signal, onProgress }).catch(reject);
            if (opened?.kind !== "samples") return resolve(null);
            const { run, path, format, bytes, siblings, notices: problems } = opened;
            resolve({ run: plainRun(run), file: { path, format, bytes, siblings }, problems });
            await this.compute(run, asked.known);
          });
        }),
      ahead: ({ run: { head, series }, known }) => {
        void this.inTurn(() => this.compute(Run.of(head, series), known, "last"));
        return null;
      },
      slices: ({ seconds }) => {
        this.sliceSeconds = seconds;
        return null;
      },
    });
  }

  /** Its first families are not read again. @returns undefined for another file in its place */
  private async openWhole({ path, known, stamp }: HelperRequests["whole"]["params"], options: OpenOptions) {
    const run = this.begun.get(known);
    this.begun.delete(known);
    const file = await this.files.get(path)?.catch(() => undefined);
    this.files.delete(path);
    try {
      if (stamp !== undefined && (await fileStamp(path)) !== stamp) return undefined;
      const begun = run === undefined ? options : { ...options, begun: run };
      return (await file?.whole(begun)) ?? (await openArtifact(path, begun));
    } finally {
      await file?.close();
    }
  }

  private file(path: string): Promise<LargeFile | undefined> {
    const known = this.files.get(path);
    if (known !== undefined) return known;
    const opening = LargeFile.open(path, 0);
    this.files.set(path, opening);
    return opening;
  }

  /** Never rejects. */
  private inTurn(work: () => Promise<void>): Promise<void> {
    return (this.turns = this.turns.then(work).catch(() => undefined));
  }

  /** Begins once the answer is on its way. What cannot be computed is said by the thread that compares. */
  private async compute(run: Run, id: number, begin?: "first" | "last"): Promise<void> {
    const known = this.known.get(id) ?? new KnownResults((part) => this.server.emit("known", { known: id, part }));
    this.known.set(id, known);
    await setImmediate();
    await runSteps(measuredAhead({ kind: "samples", label: "", run, known }, () => this.sliceSeconds, begin));
  }
}
