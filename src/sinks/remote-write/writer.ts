import { setTimeout as wait, setImmediate } from "node:timers/promises";
import type { ServerClient } from "../../collect/index.js";
import type { OwnLabels, Problem, WrittenTo } from "../../core/model/index.js";
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
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 15_000;
/** Nothing came through for so long, and nobody waits for more scrapes: the rest is given up. */
const GIVE_UP_MS = 60_000;
const LIVE_MS = 1000;

export interface WriterOptions {
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
  | { readonly kind: "again"; readonly problem: Problem; readonly afterMs?: number };

/**
 * Writes a run's scrapes to a store by remote write 1.0, in the order they came. Nothing waits in a queue: one
 * request is held, and what comes after it is read from the run when its turn has come, from the position that the
 * journal keeps. So a store that is slow or away never holds up a scrape and costs no memory, however long. After a
 * crash the run is read back from the journal, and the same position goes on.
 */
export class RemoteWriter {
  private next: number;
  /** What comes next may be there already. */
  private mayBeThere: boolean;
  private written = 0;
  private lost = 0;
  private readonly problems = new Map<string, Problem>();
  private readonly labels: LabelCache;
  private readonly path: string;
  private live: Promise<void> | undefined;
  private readonly ending = new AbortController();

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
    await this.live;
    await this.drain(signal, GIVE_UP_MS, onProgress);
    const { scrapes } = this.run.store;
    // Counted a batch at a time: what a store did not take in hours would be much to hold at once.
    while (this.next < scrapes) {
      const rest = this.batch(scrapes, SAMPLES_PER_REQUEST);
      this.lost += rest.samples;
      this.next += rest.scrapes;
      await setImmediate();
    }
    return { samples: this.written, lost: this.lost, problems: [...this.problems.values()] };
  }

  /** Writes no more; what `finish` has reported stands. */
  abandon(): void {
    this.ending.abort();
  }

  private async follow(): Promise<void> {
    const { signal } = this.ending;
    while (!signal.aborted) {
      await this.drain(signal, Infinity);
      await wait(LIVE_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Until all scrapes so far are written, the signal aborts, or nothing has come through for too long. */
  private async drain(
    signal: AbortSignal | undefined,
    giveUpMs: number,
    onProgress?: (fraction: number) => void,
  ): Promise<void> {
    const total = this.run.store.scrapes;
    let through = performance.now();
    let pauseMs = FIRST_RETRY_MS;
    let most = SAMPLES_PER_REQUEST;
    let refusedAlone = 0;
    const over = () => signal?.aborted === true;
    while (this.next < total && !over()) {
      const batch = this.batch(total, most);
      const body = batch.encode();
      await setImmediate();
      let smaller = false;
      for (;;) {
        const sent = await this.send(body, signal);
        if (sent === undefined) return;
        if (sent.kind === "again") {
          this.report(sent.problem);
          if (performance.now() - through > giveUpMs) return;
          await wait(sent.afterMs ?? pauseMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
          if (over()) return;
          pauseMs = Math.min(LONGEST_RETRY_MS, pauseMs * 2);
          continue;
        }
        if (sent.kind === "sent") {
          this.written += batch.samples;
          refusedAlone = 0;
          this.mayBeThere = false;
        } else if (this.mayBeThere && sent.isOld) {
          smaller = batch.scrapes > 1;
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
        most = Math.max(1, Math.floor(batch.samples / 2));
        continue;
      }
      most = refusedAlone < REFUSED_ALONE ? Math.min(SAMPLES_PER_REQUEST, most * 2) : SAMPLES_PER_REQUEST;
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

  private batch(until: number, most: number): Batch {
    const batch = new Batch(this.labels);
    // The store goes through all scrapes that it is asked for, however few are taken.
    const end = Math.min(until, this.next + Math.ceil(most / SAMPLES_PER_SCRAPE));
    for (const scrape of this.run.store.scrapesInOrder(end, this.next)) {
      batch.add(scrape);
      if (batch.samples >= most) break;
    }
    return batch;
  }

  private report(problem: Problem): void {
    if (this.problems.has(problem.reason)) return;
    this.problems.set(problem.reason, problem);
    this.options.onProblem?.(problem);
  }

  /** Undefined when given up meanwhile. */
  private async send(body: Uint8Array, signal: AbortSignal | undefined): Promise<Sent | undefined> {
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
        ...(signal === undefined ? {} : { signal }),
      });
      if (answer.kind === "failed") {
        const { reason, remedy } = answer.failure;
        return { kind: "again", problem: { severity: "warning", reason, ...(remedy === undefined ? {} : { remedy }) } };
      }
      const { status } = answer;
      if (status >= 200 && status < 300) return { kind: "sent" };
      const words = this.client.wordsOf(answer.body);
      const problem = refusal(this.client.url, status, words);
      const retryMs = Number(answer.retryAfter) * 1000;
      if (status === 429 || status >= 500)
        return { kind: "again", problem, ...(retryMs > 0 ? { afterMs: Math.min(retryMs, LONGEST_RETRY_MS) } : {}) };
      return { kind: "refused", problem, status, isOld: TOO_OLD.test(words) };
    } catch (error) {
      if (signal?.aborted === true) return undefined;
      throw error;
    }
  }
}

const TOO_OLD = /out of order|out of bounds|too old|too far in the past|duplicate sample/i;

function refusal(url: string, status: number, words: string): Problem {
  const said = words === "" ? "" : ` (“${words}”)`;
  if (TOO_OLD.test(words))
    return {
      severity: "warning",
      reason: `${url} refuses samples that are older than what it has${said}.`,
      remedy:
        "Let Prometheus take them: set storage.tsdb.out_of_order_time_window (such as 7d) in prometheus.yml. Blocks of any age are made by `server-metrics export --formats openmetrics` and `promtool tsdb create-blocks-from openmetrics`.",
    };
  return {
    severity: "warning",
    reason: `${url} answered a remote write with HTTP ${status}${said}.`,
    ...(status === 404 || status === 405
      ? { remedy: "Start Prometheus with --web.enable-remote-write-receiver, and check the path: /api/v1/write." }
      : status === 401 || status === 403
        ? { remedy: "Give what it asks for with --remote-write-header 'Authorization: Bearer $TOKEN'." }
        : {}),
  };
}
