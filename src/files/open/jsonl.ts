import { setImmediate } from "node:timers/promises";
import { UserError } from "../../core/text/errors.js";
import {
  DEFAULT_JSONL_LIMITS,
  JsonlReader,
  RunAssembler,
  parseArtifactName,
  type JsonlLimits,
  type LineProblem,
} from "../../core/artifacts/index.js";
import {
  toEpoch,
  warningOf,
  noteOf,
  type Problem,
  type WrittenTo,
  type EpochNs,
  type Scrape,
} from "../../core/model/index.js";
import type { Run } from "../../core/store/index.js";
import { eachChunk } from "../bytes.js";
import { GrowingFile } from "../growing-file.js";
import { gapProblem, type JournalGap } from "../journal/members.js";
import type { Reach } from "../opener.js";
import { ownMetadata } from "../own-metadata.js";
import { droppedNotice, LISTED, skippedNotice } from "./notices.js";
import { windowBeside, type StatedWindow } from "./stated-window.js";
import type { GrowingRun, Growth, OpenOptions } from "./types.js";
import { noun } from "../../core/text/plural.js";
import { unreadable } from "../failure.js";
import { basename } from "node:path";
import { ParquetArtifact } from "../parquet/artifact.js";
import { Neighbours } from "./neighbours.js";

/** Scrapes that are enough for a first view. */
const FIRST_SCRAPES = 50;
/** Lines that cannot be read, and none before them that can: the rest is not looked at. */
const MAX_BROKEN = 1_000_000;
/** Code of the error for a file that contains no scrape. */
export const NO_SCRAPE = "no-scrape";

/**
 * Reads JSONL (ours, a journal, AIPerf's, the earlier flat one), plain or gzip, and what is appended to it. The end of
 * profiling is absent while the file does not tell it.
 */
export class GrowingJsonl implements GrowingRun {
  private readonly assembler = new RunAssembler();
  private readonly reader: JsonlReader;
  private readonly file: GrowingFile;
  private readonly skipped: LineProblem[] = [];
  private skippedCount = 0;
  /** Samples by endpoint. */
  private readonly dropped = new Map<string, number>();
  private torn: LineProblem | undefined;
  private tornMember = false;
  /** What is missing of a damaged journal. */
  gaps: readonly JournalGap[] = [];
  private readonly unknown: string[] = [];
  private assembled: Run | undefined;
  /** Of a file without metadata. */
  private stated: StatedWindow | undefined;
  /** Known once its first bytes have come. */
  private unchanged: UnchangedScrapes | undefined;

  private constructor(
    private readonly path: string,
    private readonly limits: JsonlLimits,
    reach: Reach,
  ) {
    this.file = new GrowingFile(path, reach);
    this.reader = new JsonlReader(
      {
        onScrape: (scrape, phase) => {
          for (const own of this.unchanged?.before(scrape) ?? []) this.assembler.scrape(own, phase);
          this.assembler.scrape(scrape, phase);
        },
        onEvent: (event) => this.assembler.event(event),
        onUnknownField: (field) => this.unknown.push(field),
        onProblem: (problem) => {
          if (problem.torn) this.torn = problem;
          else if (++this.skippedCount <= LISTED) this.skipped.push(problem);
          if (this.skippedCount >= MAX_BROKEN && this.assembler.store.scrapes === 0) throw this.nothing();
        },
        onDropped: (url, samples) => this.dropped.set(url, (this.dropped.get(url) ?? 0) + samples),
      },
      limits,
    );
  }

  /** @throws UserError when it cannot be read or contains no scrape; the signal's reason */
  static async open(path: string, options: OpenOptions, limits = limitsOf(options)): Promise<GrowingJsonl> {
    const growing = new GrowingJsonl(path, limits, options);
    const { assembler, reader } = growing;
    let announced = false;
    await growing.read(options, () => {
      if (announced || assembler.store.scrapes < FIRST_SCRAPES) return;
      announced = true;
      options.onFirstSamples?.(assembler.preview(ownMetadata(assembler.store)));
    });
    if (assembler.store.scrapes === 0) throw growing.nothing();
    const run = assembler.assemble(ownMetadata(assembler.store), reader);
    growing.assembled = run;
    if (!assembler.hasMetadata && (run.tagged !== undefined || !run.hasNamedProfiling))
      await growing.takeStatedWindow(run, options);
    return growing;
  }

  /** A window that another file states counts if it lies in this run's time: an earlier run may have left that file. */
  private async takeStatedWindow(run: Run, options: OpenOptions): Promise<void> {
    const newest = toEpoch(run.newest, run.store.origin);
    this.stated = await windowBeside(this.path, ({ start, end }) => start < newest && end > run.store.origin, options);
    if (this.stated === undefined) return;
    run.setProfilingStart(this.stated.start);
    run.setProfilingEnd(this.stated.end);
  }

  get run(): Run {
    if (this.assembled === undefined) throw new Error("a file is a run once it has been opened");
    return this.assembled;
  }

  /** How much of it a store has got for certain, where it was written to one. */
  get written(): WrittenTo | undefined {
    return this.assembler.written;
  }

  get benchmarkId(): string | undefined {
    return this.assembler.hasMetadata ? this.run.metadata.benchmarkId : undefined;
  }

  get notices(): readonly Problem[] {
    const { assembler, torn } = this;
    const notices: Problem[] = [];
    if (torn !== undefined)
      notices.push(warningOf(`Line ${torn.line}, the last one, is cut off: everything before it is shown.`));
    else if (this.tornMember)
      notices.push(warningOf(`The file is cut off after line ${this.reader.lines}: everything before it is shown.`));
    notices.push(...this.lasting);
    if (assembler.hasMetadata && assembler.profilingEnd === undefined)
      notices.push(noteOf("The file does not say when profiling ended: its last scrape is used."));
    return notices;
  }

  /** What more bytes do not change. */
  private get lasting(): readonly Problem[] {
    const { assembler, reader, unknown } = this;
    const notices: Problem[] = this.gaps.map((gap) => gapProblem("The journal", gap));
    if (this.skippedCount > 0) notices.push(skippedNotice(this.skippedCount, this.skipped));
    if (this.dropped.size > 0) notices.push(droppedNotice(this.dropped, this.limits.series));
    if (unknown.length > 0)
      notices.push(noteOf(`Unknown fields were left out: ${unknown.slice(0, LISTED).join(", ")}.`));
    if (!assembler.hasMetadata) notices.push(...withoutMetadata(assembler, reader.guessedCounters.size, this.stated));
    return notices;
  }

  get bytes(): number {
    return this.file.bytes;
  }

  hasGrown(): Promise<boolean> {
    return this.file.hasGrown();
  }

  async readMore({ signal }: { readonly signal?: AbortSignal } = {}): Promise<Growth> {
    const { scrapes } = this.assembler.store;
    await this.read(signal === undefined ? {} : { signal }, () => undefined);
    this.assembler.settle(this.reader);
    const grown = this.assembler.store.scrapes > scrapes;
    // A run that goes on has another end than what was stated before.
    if (grown || this.stated === undefined) this.run.setProfilingEnd(this.assembler.profilingEnd);
    return { grown, notices: this.lasting };
  }

  private nothing(): UserError {
    const problem = this.skipped[0] ?? this.torn;
    const why =
      problem === undefined
        ? ""
        : `: a JSON object with endpoint_url, timestamp_ns and metrics was expected on each line, but line ${problem.line} cannot be read: ${problem.message}`;
    return new UserError(`${this.path} contains no scrape${why}.`, undefined, { code: NO_SCRAPE });
  }

  private async read(options: OpenOptions, onChunk: () => void): Promise<void> {
    this.torn = undefined;
    const { torn, gaps } = await eachChunk(this.file.read(options), async (chunk) => {
      this.unchanged ??= await UnchangedScrapes.beside(this.path, chunk, options);
      try {
        this.reader.push(chunk);
      } catch (error) {
        throw error instanceof UserError ? error : unreadable(this.path, "JSONL", error);
      }
      onChunk();
      // Files that lie in memory are read without a pause otherwise.
      await setImmediate();
    });
    this.reader.end();
    this.tornMember = torn;
    this.gaps = gaps;
  }
}

function limitsOf({ seriesLimit: series = DEFAULT_JSONL_LIMITS.series }: OpenOptions): JsonlLimits {
  return { ...DEFAULT_JSONL_LIMITS, series };
}

function withoutMetadata(assembler: RunAssembler, guessed: number, stated: StatedWindow | undefined): Problem[] {
  return [
    noteOf(
      "The file has no metadata. Types are inferred from the catalogue and the values; descriptions and *_info families are missing.",
    ),
    ...(guessed > 0
      ? [
          noteOf(
            `${guessed} ${noun(guessed, "family is", "families are")} typed by the name's suffix: a counter, unless it falls.`,
          ),
        ]
      : []),
    noteOf(windowSource(assembler, stated)),
    noteOf("Scrapes with an unchanged body may be missing: the tool that wrote the file leaves them out."),
  ];
}

function windowSource({ hasWindow }: RunAssembler, stated: StatedWindow | undefined): string {
  if (stated !== undefined) return `The window is that of ${stated.from} beside the file.`;
  return hasWindow
    ? "The window is taken from the phase of each line."
    : "The file does not say where the warm-up ends: the window is the whole file. Move its start to leave the warm-up out.";
}

/** With which every file of ours begins: an event. */
const OURS = '{"endpoint_url":"",';

/** A Parquet file of more rows is not read for the times of its scrapes. */
const MOST_ROWS = 5_000_000;

/**
 * The scrapes whose body had not changed: AIPerf leaves them out of its JSONL, though their gauges count. Its Parquet
 * beside the JSONL has their times.
 */
class UnchangedScrapes {
  /** By endpoint, ascending. */
  private readonly times: ReadonlyMap<string, readonly EpochNs[]>;
  private readonly passed = new Map<string, number>();

  private constructor(times: ReadonlyMap<string, ReadonlySet<EpochNs>>) {
    this.times = new Map([...times].map(([url, own]) => [url, [...own].sort((a, b) => (a < b ? -1 : 1))]));
  }

  /** None beside a file of our own, which has all scrapes. @param begin of the JSONL @throws the signal's reason */
  static async beside(path: string, begin: Uint8Array, options: OpenOptions): Promise<UnchangedScrapes> {
    if (new TextDecoder().decode(begin.subarray(0, OURS.length)) === OURS) return new UnchangedScrapes(new Map());
    const stem = parseArtifactName(basename(path))?.stem;
    const beside = await Neighbours.of(path, options);
    const [parquet] = beside.named((name) => {
      const other = parseArtifactName(name);
      return stem !== undefined && other?.stem === stem && other.format === "parquet";
    });
    const times =
      parquet === undefined ? undefined : await timesOf(beside.path(parquet), beside.reading).catch(() => undefined);
    options.signal?.throwIfAborted();
    return new UnchangedScrapes(times ?? new Map());
  }

  /**
   * Those between the last line of an endpoint and this one. Of another run's Parquet none: it does not have the time
   * of the line.
   */
  before({ endpointUrl, time, latency }: Scrape): readonly Scrape[] {
    const times = this.times.get(endpointUrl) ?? [];
    const from = this.passed.get(endpointUrl) ?? 0;
    let at = from;
    while ((times[at] ?? time) < time) at++;
    if (times[at] !== time) return [];
    this.passed.set(endpointUrl, at + 1);
    return times.slice(from, at).map((own) => ({
      endpointUrl,
      time: own,
      requestSent: own,
      // Not known: that of the next scrape keeps the mean as it is.
      latency,
      outcome: { kind: "duplicate" },
    }));
  }
}

async function timesOf(path: string, options: OpenOptions): Promise<ReadonlyMap<string, ReadonlySet<EpochNs>>> {
  const artifact = await ParquetArtifact.open(path, options);
  try {
    const isOurs = artifact.about.references !== undefined;
    return isOurs || artifact.rows > MOST_ROWS ? new Map() : await artifact.scrapeTimes(options.signal);
  } finally {
    await artifact.close();
  }
}
