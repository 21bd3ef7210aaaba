import { ServerClient } from "../../collect/index.js";
import { runLabels, type Problem, noteOf, warningOf } from "../../core/model/index.js";
import type { Run } from "../../core/store/index.js";
import type { RemoteWriteOptions } from "../../protocol/index.js";
import { RemoteWriter, type WriterOptions } from "../../stores/index.js";
import { noun } from "../../core/text/plural.js";
import { messageOf } from "../../core/text/errors.js";

/** Writes a capture to a store while it runs, and what remains after its end or after a crash. */
export class StoreWriter {
  private readonly client: ServerClient;
  private readonly writer: RemoteWriter;

  /** @throws InvalidUrlError */
  constructor(
    { store, labels }: RemoteWriteOptions,
    run: Run,
    private readonly options: WriterOptions & { readonly onProblem: (problem: Problem) => void },
  ) {
    this.client = new ServerClient(store);
    const { before } = options;
    const known = before?.url === this.client.url ? before.labels : {};
    this.writer = new RemoteWriter(this.client, run, runLabels(run.metadata, { ...known, ...labels }), {
      credentials: "Give what it asks for as headers of the same address in serverMetrics.stores.",
      ...options,
    });
  }

  /** Writes what comes, until `finish`. */
  start(): void {
    this.writer.start();
  }

  /** Writes the rest of a run that is over and says how much has arrived. Never rejects. */
  async finish(): Promise<void> {
    try {
      const { samples, lost } = await this.writer.finish();
      const written = `${samples} ${noun(samples, "sample has", "samples have")} been written to ${this.client.url}`;
      this.options.onProblem(
        lost === 0
          ? noteOf(`${written}.`)
          : warningOf(`${written}, ${lost} could not be written.`, "The artifacts have them."),
      );
    } catch (error) {
      const reason = `Writing to ${this.client.url} has ended: ${messageOf(error)}`;
      this.options.onProblem(warningOf(reason, "The artifacts have all samples."));
    } finally {
      this.client.close();
    }
  }

  /** Writes no more. */
  close(): void {
    this.writer.abandon();
    this.client.close();
  }
}
