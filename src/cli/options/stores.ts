import { InvalidArgumentError, type Command, type OptionValues } from "@commander-js/extra-typings";
import { UserError } from "../../core/text/errors.js";
import { InvalidUrlError, ServerClient } from "../../collect/index.js";
import { isOwnLabel, runLabels, type OwnLabels, type WrittenTo } from "../../core/model/index.js";
import type { Run } from "../../core/store/index.js";
import {
  PUSH_JOB,
  pushSummary,
  RemoteWriter,
  type PushOptions,
  type WriteReport,
  type WriterOptions,
} from "../../stores/index.js";
import { endpointWith, headerArgument, type AccessFlags } from "./access.js";
import { errorLine } from "../exit.js";
import { OPTIONS, type FlagsOf, type NoFlags } from "./shared.js";
import { note, noteProblem, print } from "../print/terminal.js";
import { noun } from "../../core/text/plural.js";

/** What the options below leave in the flags of `capture`, and the authorities that stores are trusted by, too. */
export type SinkFlags = FlagsOf<typeof withSinkOptions<[], NoFlags>> & Pick<AccessFlags, "ca">;

/** Adds the options of stores that a capture writes to. */
export function withSinkOptions<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return withLabelOption(
    command
      .optionsGroup("Stores:")
      .option("--remote-write <url>", "also write every sample to this store as it comes (remote write 1.0)")
      .option(
        "--remote-write-header <'K: V'>",
        "header sent with each remote write, as --header (repeatable)",
        headerArgument,
      ),
  )
    .option("--pushgateway <url>", "push the summary of the run to this Pushgateway at the end")
    .optionsGroup(OPTIONS);
}

/** Adds the option of labels that all written series get. */
export function withLabelOption<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command.option(
    "--remote-write-label <name=value>",
    "label of all series that are written, beside run_id and label (repeatable)",
    labelArgument,
  );
}

/** Adds a repeated `name=value`. @throws InvalidArgumentError */
export function labelArgument(text: string, before: OwnLabels = {}): OwnLabels {
  const [, name, value] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined || !isOwnLabel(name))
    throw new InvalidArgumentError(
      `"${text}" is not a label: write name=value, such as cluster=a100. __…, le and instance are reserved.`,
    );
  return { ...before, [name]: value };
}

/** A client of what an option names. @throws UserError */
export function clientOf(option: string, access: ConstructorParameters<typeof ServerClient>[0]): ServerClient {
  try {
    return new ServerClient(access);
  } catch (error) {
    if (error instanceof InvalidUrlError) throw new UserError(`${option}: ${error.message}`);
    throw error;
  }
}

/** A client of a Pushgateway. @throws UserError for what is no address of one, such as that of a group in it */
export function gatewayOf(access: ConstructorParameters<typeof ServerClient>[0]): ServerClient {
  const client = clientOf("--pushgateway", access);
  if (!/\/metrics(\/|$)/.test(new URL(client.url).pathname)) return client;
  client.close();
  throw new UserError(
    `--pushgateway: ${client.url} is a path within a Pushgateway.`,
    `Give its own address, ${client.url.replace(/\/metrics(\/.*)?$/, "")}: runs are pushed to /metrics/job/${PUSH_JOB}/run/ID below it, or with \`server-metrics push --job NAME\` under another job.`,
  );
}

const GATEWAY_CREDENTIALS =
  "Give name and password in its address (http://user:password@host), or push the saved run with `server-metrics push`, which sends headers.";

/** Where a capture goes besides its artifacts. */
export class CaptureSinks {
  private writer: RemoteWriter | undefined;

  /** @throws UserError for a URL that cannot be used */
  static async of(flags: SinkFlags): Promise<CaptureSinks> {
    const { ca, remoteWrite, remoteWriteHeader: header, pushgateway } = flags;
    // The client's certificate is for the endpoints that are captured, as their headers are.
    const trusted = ca === undefined ? {} : { ca };
    const access = { ...trusted, ...(header === undefined ? {} : { header }) };
    return new CaptureSinks(
      flags,
      remoteWrite === undefined ? undefined : clientOf("--remote-write", await endpointWith(remoteWrite, access)),
      pushgateway === undefined ? undefined : gatewayOf(await endpointWith(pushgateway, trusted)),
    );
  }

  private constructor(
    private readonly flags: SinkFlags,
    private readonly store: ServerClient | undefined,
    private readonly gateway: ServerClient | undefined,
  ) {}

  /** Begins to write the run while it grows. @param onWritten how much has arrived */
  start(run: Run, onWritten: (written: WrittenTo) => void): void {
    this.writer = this.writerOf(run, { onWritten });
    this.writer?.start();
  }

  /** Takes a run that a crash has ended; `finish` writes what was not written before. */
  resume(run: Run, before: WrittenTo | undefined): void {
    this.writer = this.writerOf(run, before === undefined ? {} : { before });
    const there = this.writer?.scrapes ?? 0;
    if (there > 0) note(`${there} of ${run.store.scrapes} scrapes had been written to ${this.store?.url ?? ""} before`);
  }

  private writerOf(run: Run, options: WriterOptions): RemoteWriter | undefined {
    if (this.store === undefined) return undefined;
    const { before } = options;
    const known = before?.url === this.store.url ? before.labels : {};
    const labels = runLabels(run.metadata, { ...known, ...this.flags.remoteWriteLabel });
    return new RemoteWriter(this.store, run, labels, {
      onProblem: noteProblem,
      credentials: "Give what it asks for with --remote-write-header 'Authorization: Bearer $TOKEN'.",
      ...options,
    });
  }

  /**
   * Writes the rest of a run that is over.
   * @param signal aborted: what has not been written by then is given up
   * @returns whether all has arrived
   */
  async finish(run: Run, signal: AbortSignal): Promise<boolean> {
    let whole = true;
    if (this.writer !== undefined && this.store !== undefined) {
      const report = await this.writer.finish(signal);
      whole = reportWritten(report, this.store.url);
    }
    if (this.gateway !== undefined) {
      const { gateway } = this;
      whole =
        (await push(gateway, run, { signal, credentials: GATEWAY_CREDENTIALS }).catch((error: unknown) => {
          if (!(error instanceof UserError) && !signal.aborted) throw error;
          note(signal.aborted ? "warning: interrupted: the summary was not pushed." : errorLine(error));
          return false;
        })) && whole;
    }
    return whole;
  }

  /** Whatever has become of the capture. */
  close(): void {
    this.writer?.abandon();
    this.store?.close();
    this.gateway?.close();
  }
}

/** Says how much a store has got. @returns whether that was all */
export function reportWritten({ samples, lost }: WriteReport, url: string): boolean {
  print(`${samples} ${noun(samples, "sample")} written to ${url}`);
  if (lost > 0)
    note(`warning: ${lost} ${noun(lost, "sample")} could not be written to ${url}; the artifacts have them.`);
  return lost === 0;
}

/** @throws UserError; the signal's reason */
export async function push(client: ServerClient, run: Run, options: PushOptions): Promise<true> {
  const series = await pushSummary(client, run, options);
  print(`summary of ${series} series pushed to ${client.url}`);
  return true;
}
