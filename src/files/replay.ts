import { UserError } from "../core/text/errors.js";
import { parseScrapeLogLine, type RecordedScrape } from "../core/artifacts/index.js";
import { formatOfContentType, ExpositionParser, isJsonContentType, ParseError } from "../core/exposition/index.js";
import {
  DEFAULT_LIMITS,
  displayName,
  droppedProblem,
  epochNs,
  LINE_LIMITS,
  RecordedUrls,
  toEpoch,
  toOffset,
  type EpochNs,
  type LineLimit,
  type NamedPhase,
  type Problem,
  type Scrape,
  type ScrapeLimits,
  warningOf,
  noteOf,
} from "../core/model/index.js";
import { getOrInsert } from "../core/math/index.js";
import { WARMUP, warmupWindow } from "../core/window/index.js";
import { readWhole, Run, Store, type ScrapeReading, type ScrapeSource } from "../core/store/index.js";
import { linesOf, type ReadOptions } from "./bytes.js";
import { ownMetadata } from "./own-metadata.js";
import { noun } from "../core/text/plural.js";

export interface ReplayOptions extends ReadOptions {
  readonly sliceDurationSeconds: number;
  /** Absent: the end of the warm-up, else the log's first scrape. */
  readonly startNs?: EpochNs;
  /** Absent: the log's last scrape. */
  readonly endNs?: EpochNs;
  /** A warm-up with statistics of its own, by default from the log's first scrape to `startNs`. */
  readonly warmup?: { readonly startNs?: EpochNs; readonly endNs?: EpochNs };
  /** Named phases instead of the above: profiling goes from the first one's start to the last one's end. */
  readonly phases?: readonly NamedPhase[];
  /** Absent: `DEFAULT_LIMITS`. */
  readonly limits?: ScrapeLimits;
}

export interface Replayed {
  readonly run: Run;
  readonly problems: readonly Problem[];
}

interface ReplayedEndpoint {
  readonly parser: ExpositionParser;
  readonly limitsReported: Set<LineLimit>;
  lastBody: string | undefined;
}

/**
 * A recorded scrape log as a source: a scrape for each line, as the endpoint would have answered a capture. Lines that
 * cannot be read are skipped and counted.
 */
class ScrapeLog implements ScrapeSource {
  private readonly lines: AsyncGenerator<string | undefined, void>;
  private readonly urls = new RecordedUrls();
  private readonly endpoints = new Map<string, ReplayedEndpoint>();
  private readonly dropped: Problem[] = [];
  /** Endpoints of each message. */
  private readonly notes = new Map<string, string[]>();
  private readonly limits: ScrapeLimits;
  private line = 0;
  private origin: EpochNs | undefined;
  private skipped: { count: number; readonly first: string } | undefined;

  constructor(
    readonly url: string,
    { limits = DEFAULT_LIMITS, ...options }: Pick<ReplayOptions, "limits" | keyof ReadOptions>,
  ) {
    this.limits = limits;
    this.lines = linesOf(url, options);
  }

  /** @throws UserError when it cannot be read or is no scrape log; the signal's reason */
  async read(): Promise<ScrapeReading | undefined> {
    for (;;) {
      const next = await this.lines.next();
      if (next.done === true) return undefined;
      this.line++;
      const text = next.value;
      if (text?.trim() === "") continue;
      try {
        if (text === undefined) throw new Error("it is longer than 256 MiB, and a line is one scrape");
        return { scrapes: [this.scrapeOf(parseScrapeLogLine(text))] };
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        if (this.origin === undefined)
          throw new UserError(
            `${this.url} is not a scrape log: line ${this.line}: ${error.message}.`,
            isArtifactLine(text) ? "It is a run's JSONL: show, export and compare read it." : undefined,
          );
        this.skipped ??= { count: 0, first: `line ${this.line}: ${error.message}` };
        this.skipped.count++;
      }
    }
  }

  close(): void {
    void this.lines.return();
  }

  /** What was noticed so far. */
  problems(): readonly Problem[] {
    const { skipped } = this;
    return [
      ...this.dropped,
      ...(skipped === undefined
        ? []
        : [
            warningOf(
              `${skipped.count} ${noun(skipped.count, "line")} of ${this.url} could not be read and ${noun(skipped.count, "was", "were")} skipped, the first ${skipped.first}.`,
            ),
          ]),
      ...[...this.notes].map(([message, [first = "", ...others]]): Problem => {
        const more = others.length === 0 ? "" : ` and ${others.length} more`;
        return noteOf(`${first}${more}: ${message}`);
      }),
    ];
  }

  /** @throws Error for a time that no run holds */
  private scrapeOf(recorded: RecordedScrape): Scrape {
    const { time, latency } = recorded;
    const requestSent = epochNs(time - BigInt(latency));
    for (const moment of [time, requestSent]) toOffset(moment, this.origin ?? time);
    const endpointUrl = this.urls.bounded(recorded.url);
    let endpoint = this.endpoints.get(endpointUrl);
    if (endpoint === undefined) {
      const parser = new ExpositionParser({ limits: this.limits });
      this.endpoints.set(endpointUrl, (endpoint = { parser, lastBody: undefined, limitsReported: new Set() }));
    }
    const outcome = outcomeOf(recorded, endpoint, this.limits);
    this.note(displayName(endpointUrl), endpoint);
    this.origin ??= time;
    return { endpointUrl, time, latency, requestSent, outcome };
  }

  private note(name: string, { parser, limitsReported }: ReplayedEndpoint): void {
    for (const { message } of parser.takeNotes()) getOrInsert(this.notes, message, () => []).push(name);
    for (const limit of LINE_LIMITS) {
      const count = parser.dropped[limit];
      if (count === undefined || limitsReported.has(limit)) continue;
      limitsReported.add(limit);
      this.dropped.push(droppedProblem(name, limit, count, this.limits));
    }
  }
}

/**
 * Runs a recorded scrape log through the parser and the store, as a capture would have.
 * @throws UserError when it cannot be read, is no scrape log, or its window is empty; the signal's reason
 */
export async function replayScrapeLog(path: string, options: ReplayOptions): Promise<Replayed> {
  const store = new Store();
  const log = new ScrapeLog(path, options);
  await readWhole(log, store);
  if (store.scrapes === 0) throw new UserError(`${path} is empty: it contains no scrape.`);
  const problems = [...log.problems()];
  const run = runOf(path, store, options);
  if (options.warmup !== undefined && warmupWindow(run) === undefined)
    problems.push(
      warningOf(
        `The warm-up given for ${path} is empty, or after the start of profiling: it gets no statistics.`,
        "Times are nanoseconds since the epoch; --warmup-start-ns comes before --warmup-end-ns and --start-ns.",
      ),
    );
  return { run, problems };
}

/** A scrape as the JSONL artifact writes it. */
function isArtifactLine(text: string | undefined): boolean {
  return text !== undefined && /^\s*\{"(endpoint_url|event)"/.test(text);
}

function runOf(path: string, store: Store, options: ReplayOptions): Run {
  const own = ownMetadata(store);
  const { sliceDurationSeconds } = options;
  const run = new Run(
    { ...own, sliceDurationSeconds, inputConfig: { server_metrics: own.endpointsConfigured } },
    store,
  );
  const { phases = [], warmup } = options;
  const profiles = phases.filter(({ kind }) => kind === "profiling");
  const [first, last] = [earliest(store), toEpoch(run.newest, store.origin)];
  const { endNs: warmupEnd = first } = warmup ?? {};
  const start = options.startNs ?? profiles[0]?.start ?? (warmupEnd > first ? warmupEnd : first);
  const end = options.endNs ?? latestEnd(profiles) ?? last;
  if (end < start) throw new UserError(`the window of ${path} is empty: it ends (${end}) before it starts (${start}).`);
  if (start > last || end < first)
    throw new UserError(
      `${path} has no scrape in the window from ${start} to ${end}: its scrapes lie between ${first} and ${last}.`,
      "Times are nanoseconds since the epoch.",
    );
  run.setProfilingStart(start);
  run.setProfilingEnd(end);
  for (const phase of phases) run.putPhase(phase);
  if (warmup !== undefined) {
    const { startNs = first, endNs = start } = warmup;
    run.putPhase({ name: WARMUP, kind: "warmup", start: startNs, end: endNs });
  }
  return run;
}

function latestEnd(phases: readonly NamedPhase[]): EpochNs | undefined {
  return phases.reduce<EpochNs | undefined>(
    (latest, { end }) => (end === undefined || (latest !== undefined && latest > end) ? latest : end),
    undefined,
  );
}

function earliest(store: Store): EpochNs {
  let first = Infinity;
  for (const axis of store.endpoints) for (const time of axis.times.view()) if (time < first) first = time;
  return epochNs(store.origin + BigInt(first));
}

function outcomeOf(
  { status, contentType, body }: RecordedScrape,
  endpoint: ReplayedEndpoint,
  { bodyBytes }: ScrapeLimits,
): Scrape["outcome"] {
  if (status !== 200)
    return { kind: "failed", error: { type: "http-status", message: `the server answered with status ${status}` } };
  if (isJsonContentType(contentType))
    return { kind: "failed", error: { type: "not-prometheus", message: `the server answered with ${contentType}` } };
  if (body === endpoint.lastBody) return { kind: "duplicate" };
  try {
    const bytes = new TextEncoder().encode(body);
    if (bytes.length > bodyBytes)
      return { kind: "failed", error: { type: "too-large", message: "the answer is beyond the limit of a body" } };
    const batch = endpoint.parser.parse(bytes, formatOfContentType(contentType));
    endpoint.lastBody = body;
    return { kind: "samples", batch };
  } catch (error) {
    if (error instanceof ParseError) return { kind: "failed", error: { type: "parse", message: error.message } };
    throw error;
  }
}
