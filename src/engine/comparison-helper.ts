import { setImmediate } from "node:timers/promises";
import { KnownResults, measuredAhead, type KnownPart, type PartialContent } from "../core/compare/index.js";
import type { Problem } from "../core/model/index.js";
import type { Run, RunPart, SeriesPart } from "../core/store/index.js";
import { openArtifact } from "../files/open/index.js";
import { ChannelServer, type OpenedFile, type Port } from "../protocol/index.js";
import { LargeFile } from "./large-file.js";
import { runSteps } from "./stepper.js";
import { fileMemory } from "./worker-memory.js";

/** A run as plain data; its cells are shared. */
export interface PlainRun {
  readonly head: RunPart;
  readonly series: readonly SeriesPart[];
}

interface Asked {
  readonly path: string;
  /** Whose parts come by the event `known`, as they are computed once the answer has been given. */
  readonly known: number;
  /** Of the slices that are to be computed as well. */
  readonly sliceSeconds?: number;
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
  /** null: the file holds no samples. */
  whole: { readonly params: Asked; readonly result: WholeRun | null };
}

export interface HelperEvents {
  known: { readonly known: number; readonly part: KnownPart };
}

/** The second thread of a comparison: reads large files, and computes what the first one will ask of them. */
export class ComparisonHelper {
  private readonly files = new Map<string, Promise<LargeFile | undefined>>();
  private readonly known = new Map<number, KnownResults>();
  private readonly computing = new Map<number, AbortController>();
  private readonly server: ChannelServer<HelperRequests, HelperEvents>;

  constructor(port: Port) {
    this.server = new ChannelServer<HelperRequests, HelperEvents>(port, {
      first: async (asked, signal) => {
        const run = await (await this.file(asked.path))?.first(asked.content, signal);
        return run === undefined ? null : this.answer(run, asked);
      },
      whole: async (asked, signal, report) => {
        const onProgress = (done: number) => report({ done, of: 1, steps: "file" });
        const opened = await openArtifact(asked.path, { ...fileMemory(), signal, onProgress });
        if (opened.kind !== "samples") return null;
        const { path, format, bytes, siblings, notices: problems } = opened;
        return { run: this.answer(opened.run, asked), file: { path, format, bytes, siblings }, problems };
      },
    });
  }

  private file(path: string): Promise<LargeFile | undefined> {
    const known = this.files.get(path);
    if (known !== undefined) return known;
    const opening = LargeFile.open(path, 0);
    this.files.set(path, opening);
    return opening;
  }

  private answer(run: Run, asked: Asked): PlainRun {
    void this.compute(run, asked);
    const { head, series } = run.parts();
    return { head, series: [...series] };
  }

  /** Begins once the answer is on its way. What an earlier request has left to do is part of the next one. */
  private async compute(run: Run, { known: id, sliceSeconds }: Asked): Promise<void> {
    this.computing.get(id)?.abort();
    const controller = new AbortController();
    this.computing.set(id, controller);
    const known = this.known.get(id) ?? new KnownResults((part) => this.server.emit("known", { known: id, part }));
    this.known.set(id, known);
    await setImmediate();
    try {
      await runSteps(measuredAhead({ kind: "samples", label: "", run, known }, sliceSeconds), controller.signal);
    } catch {
      // What cannot be computed is said by the thread that compares.
      return;
    }
  }
}
