import { setTimeout as wait, setImmediate } from "node:timers/promises";
import { failureProblem, type ServerClient } from "../../collect/index.js";
import {
  type OwnLabels,
  type Problem,
  type ScrapeErrorType,
  type WrittenTo,
  warningOf,
} from "../../core/model/index.js";
import type { Run } from "../../core/store/index.js";
import { Batch, LabelCache } from "./batch.js";

/** How much of a run has reached the store. */
export interface WriteReport {
  readonly samples: number;
  /** Samples that the store refused, or that it could not be given. */
  readonly lost: number;
  readonly problems: readonly Problem[];
}

const SAMPLES_PER_REQUEST = 10_000;
/** At the least: `up` and `scrape_duration_seconds`. */
const SAMPLES_PER_SCRAPE = 2;
/** What a store answers to a request that may hold good samples beside those it does not take. */
const SPLIT = new Set([400, 413, 422]);
/** So many scrapes refused one after the other, each alone, are taken to stand for those that follow. */
const REFUSED_ALONE = 5;
const TIMEOUT_MS = 30_000;
/** It answers with nothing, or with a sentence. */
const LIMIT_BYTES = 64 * 1024;
const REMEDIES = {
  slow: "The store or the network is slow: what it did not confirm is sent again.",
  large: "Check that this is the address of a store that takes remote writes, with its path: /api/v1/write.",
};
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 15_000;
/** Nothing came through for so long, and nobody waits for more scrapes: the rest is given up. */
const GIVE_UP_MS = 60_000;
/** Failures before a request was sent: the store has none of it. */
const UNSENT: ReadonlySet<ScrapeErrorType> = new Set<ScrapeErrorType>(["refused", "unreachable", "tls"]);
/** Answers of a proxy or a store that gave up on a request, which may have been carried out nevertheless. */
const IN_DOUBT = new Set([500, 502, 504]);
const LIVE_MS = 1000;

export interface WriterOptions {
  /** What to do where the store asks for credentials. */
  readonly credentials?: string;
  readonly onProblem?: (problem: Problem) => void;
  /** The store has got so much, or has refused it for good. */
  readonly onWritten?: (written: WrittenTo) => void;
  /**
   * How much of the run this or another store got before a crash. The same one, by the same labels, gets the rest; what
   * it was given after this was noted it refuses as old, and that is no loss.
   */
  readonly before?: WrittenTo;
}

type Sent =
  | { readonly kind: "sent" }
  | { readonly kind: "refused"; readonly problem: Problem; readonly status: number; readonly isOld: boolean }
  | {
      readonly kind: "again";
      readonly problem: Problem;
      readonly mayHaveArrived: boolean;
      readonly afterMs?: number | undefined;
    };

/**
 * Writes a run's scrapes to a store by remote write 1.0, in the order they came. Nothing waits in a queue: one
 * request is held, and what comes after it is read from the run when its turn has come, from the position that the
 * journal keeps. So a store that is slow or away never holds up a scrape and costs no memory, however long. After a
 * crash the run is read back from the journal, and the same position goes on.
 */
export class RemoteWriter {
  private next: number;
  /** What comes next may be there already: it was sent before a crash. */
  private mayBeThere: boolean;
  /** Scrapes before this one may be there: they were sent, and no answer came. */
  private inDoubtUntil = 0;
  private written = 0;
  private lost = 0;
  private readonly problems = new Map<string, Problem>();
  private readonly labels: LabelCache;
  private readonly path: string;
  private live: Promise<void> | undefined;
  /** Nothing more is followed, and nothing more is sent. */
  private readonly ending = new AbortController();
  private readonly closing = new AbortController();

  constructor(
    private readonly client: ServerClient,
    private readonly run: Run,
    private readonly own: OwnLabels,
    private readonly options: WriterOptions = {},
  ) {
    this.labels = new LabelCache(own);
    const { before } = options;
    this.next = before !== undefined && this.goesOn(before) ? Math.min(before.scrapes, run.store.scrapes) : 0;
    this.mayBeThere = before !== undefined;
    // An address without a path is the server's, not that of its receiver.
    this.path = new URL(client.url).pathname === "/" ? "/api/v1/write" : "";
  }

  /** Scrapes of the run that the store has, or has refused. */
  get scrapes(): number {
    return this.next;
  }

  /** Writes what comes, second by second, until `finish`. */
  start(): void {
    this.live ??= this.follow();
  }

  /**
   * Writes what remains.
   * @param signal aborted: what has not been written by then is given up, and counted
   */
  async finish(signal?: AbortSignal, onProgress?: (fraction: number) => void): Promise<WriteReport> {
    this.ending.abort();
    const close = () => this.closing.abort();
    if (signal?.aborted === true) close();
    signal?.addEventListener("abort", close, { once: true });
    // A request that is under way gets its answer: given up and sent again, it would be refused as old.
    await this.live;
    await this.drain(this.closing.signal, GIVE_UP_MS, onProgress);
    signal?.removeEventListener("abort", close);
    const { scrapes } = this.run.store;
    // Counted a batch at a time: what a store did not take in hours would be much to hold at once.
    while (this.next < scrapes) {
      const rest = this.batch(scrapes, Infinity);
      this.lost += rest.samples;
      this.next += rest.scrapes;
      await setImmediate();
    }
    return { samples: this.written, lost: this.lost, problems: [...this.problems.values()] };
  }

  /** Writes no more; what `finish` has reported stands. */
  abandon(): void {
    this.ending.abort();
    this.closing.abort();
  }

  private async follow(): Promise<void> {
    const { signal } = this.ending;
    while (!signal.aborted) {
      await this.drain(signal, Infinity);
      await wait(LIVE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Until all scrapes so far are written, the signal aborts, or nothing has come through for too long. */
  private async drain(signal: AbortSignal, giveUpMs: number, onProgress?: (fraction: number) => void): Promise<void> {
    const total = this.run.store.scrapes;
    let through = performance.now();
    let pauseMs = FIRST_RETRY_MS;
    let mostScrapes = Infinity;
    let refusedAlone = 0;
    while (this.next < total && !signal.aborted) {
      const batch = this.batch(total, mostScrapes);
      const body = batch.encode();
      await setImmediate();
      let smaller = false;
      for (;;) {
        const sent = await this.send(body);
        if (sent === undefined) return;
        if (sent.kind === "again") {
          this.report(sent.problem);
          if (sent.mayHaveArrived) this.inDoubtUntil = Math.max(this.inDoubtUntil, this.next + batch.scrapes);
          if (performance.now() - through > giveUpMs) return;
          await wait(sent.afterMs ?? pauseMs, undefined, { signal }).catch(() => undefined);
          if (isAborted(signal)) return;
          pauseMs = Math.min(LONGEST_RETRY_MS, pauseMs * 2);
          continue;
        }
        if (sent.kind === "sent") {
          this.written += batch.samples;
          refusedAlone = 0;
          this.mayBeThere = false;
        } else if (sent.isOld && (this.mayBeThere || this.next < this.inDoubtUntil)) {
          // It is there, or one of its scrapes is: which one is found one by one.
          if (batch.scrapes > 1) smaller = true;
          else if (this.next < this.inDoubtUntil) this.written += batch.samples;
        } else if (batch.scrapes > 1 && refusedAlone < REFUSED_ALONE && SPLIT.has(sent.status)) smaller = true;
        else {
          this.lost += batch.samples;
          this.report(sent.problem);
          if (batch.scrapes === 1) refusedAlone++;
        }
        break;
      }
      if (smaller) {
        // What one of its scrapes is refused for must not take the others along.
        mostScrapes = Math.floor(batch.scrapes / 2);
        continue;
      }
      mostScrapes = refusedAlone < REFUSED_ALONE ? mostScrapes * 2 : Infinity;
      this.next += batch.scrapes;
      this.options.onWritten?.({ url: this.client.url, labels: this.own, scrapes: this.next });
      through = performance.now();
      pauseMs = FIRST_RETRY_MS;
      onProgress?.(this.next / total);
    }
  }

  private goesOn({ url, labels }: WrittenTo): boolean {
    const text = (own: OwnLabels) => JSON.stringify(Object.entries(own).sort(([a], [b]) => (a < b ? -1 : 1)));
    return url === this.client.url && text(labels) === text(this.own);
  }

  private batch(until: number, mostScrapes: number): Batch {
    const batch = new Batch(this.labels);
    // The store goes through all scrapes that it is asked for, however few are taken.
    const end = Math.min(until, this.next + Math.min(mostScrapes, SAMPLES_PER_REQUEST / SAMPLES_PER_SCRAPE));
    for (const scrape of this.run.store.scrapesInOrder(end, this.next)) {
      batch.add(scrape);
      if (batch.samples >= SAMPLES_PER_REQUEST) break;
    }
    return batch;
  }

  private report(problem: Problem): void {
    if (this.problems.has(problem.reason)) return;
    this.problems.set(problem.reason, problem);
    this.options.onProblem?.(problem);
  }

  /** Undefined when given up meanwhile. */
  private async send(body: Uint8Array): Promise<Sent | undefined> {
    const { signal } = this.closing;
    try {
      const answer = await this.client.send({
        method: "POST",
        path: this.path,
        body,
        headers: {
          "content-type": "application/x-protobuf",
          "content-encoding": "snappy",
          "x-prometheus-remote-write-version": "0.1.0",
        },
        timeoutMs: TIMEOUT_MS,
        limitBytes: LIMIT_BYTES,
        remedies: REMEDIES,
        signal,
      });
      if (answer.kind === "failed") {
        const { failure } = answer;
        return {
          kind: "again",
          problem: failureProblem(failure, "warning"),
          mayHaveArrived: !UNSENT.has(failure.type),
        };
      }
      const { status } = answer;
      if (status >= 200 && status < 300) return { kind: "sent" };
      const words = this.client.wordsOf(answer.body);
      const problem = refusal(this.client.url, status, words, this.options.credentials);
      if (status === 429 || status >= 500)
        return {
          kind: "again",
          problem,
          mayHaveArrived: IN_DOUBT.has(status),
          afterMs: retryAfterMs(answer.retryAfter),
        };
      return { kind: "refused", problem, status, isOld: TOO_OLD.test(words) };
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }
}

/** It may have been aborted since it was last looked at, which the compiler does not see. */
function isAborted({ aborted }: AbortSignal): boolean {
  return aborted;
}

/** How long a store wants to be left alone, by seconds or a date; undefined where it does not say. */
function retryAfterMs(text = ""): number | undefined {
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return ms > 0 ? Math.min(ms, GIVE_UP_MS) : undefined;
}

const TOO_OLD = /out of order|out of bounds|too old|too far in the past|duplicate sample/i;

function refusal(url: string, status: number, words: string, credentials?: string): Problem {
  const said = words === "" ? "" : ` (“${words}”)`;
  if (TOO_OLD.test(words))
    return warningOf(
      `${url} refuses samples that are older than what it has${said}.`,
      "Let Prometheus take them: set storage.tsdb.out_of_order_time_window (such as 7d) in prometheus.yml. Blocks of any age are made by `server-metrics export --formats openmetrics` and `promtool tsdb create-blocks-from openmetrics`.",
    );
  return {
    severity: "warning",
    reason: `${url} answered a remote write with HTTP ${status}${said}.`,
    ...(status === 404 || status === 405
      ? { remedy: "Start Prometheus with --web.enable-remote-write-receiver, and check the path: /api/v1/write." }
      : (status === 401 || status === 403) && credentials !== undefined
        ? { remedy: credentials }
        : {}),
  };
}
