import {
  Collector,
  type CollectOptions,
  type CollectSink,
  type EndpointReport,
  type Target,
  type Clock,
} from "../../src/collect/index.js";
import { DEFAULT_LIMITS, type Problem, type Scrape } from "../../src/core/model/index.js";
import { serveRaw, type TestServer } from "./faulty-server.js";
import { closedAfterEach } from "./servers.js";

/** A scrape as it was heard, its samples copied out of the batch as "name{…} → value". */
export interface HeardScrape extends Omit<Scrape, "outcome"> {
  readonly kind: Scrape["outcome"]["kind"];
  readonly error: { readonly type: string; readonly message: string } | undefined;
  readonly samples: ReadonlyMap<string, number>;
}

/** A sink that remembers all it hears and lets a test wait for it. */
export class Listener implements CollectSink {
  readonly scrapes: HeardScrape[] = [];
  readonly notices: { readonly problem: Problem; readonly endpoint: EndpointReport }[] = [];
  readonly statuses: EndpointReport[] = [];
  private readonly waiting = new Set<() => void>();

  onScrape(scrape: Scrape): void {
    const { outcome, ...rest } = scrape;
    const samples = new Map<string, number>();
    if (outcome.kind === "samples") {
      const { batch } = outcome;
      for (let i = 0; i < batch.length; i++) {
        const def = batch.defs[batch.ids[i]!]!;
        samples.set(def.family.name, batch.values[i]!);
      }
    }
    this.scrapes.push({
      ...rest,
      kind: outcome.kind,
      error: outcome.kind === "failed" ? outcome.error : undefined,
      samples,
    });
    this.changed();
  }

  onStatus(endpoint: EndpointReport): void {
    this.statuses.push(endpoint);
    this.changed();
  }

  onNotice(problem: Problem, endpoint: EndpointReport): void {
    this.notices.push({ problem, endpoint });
    this.changed();
  }

  of(url: string): HeardScrape[] {
    return this.scrapes.filter(({ endpointUrl }) => endpointUrl === url);
  }

  /** Settles as soon as `condition` holds; the test's own timeout is the limit. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.waiting.add(resolve));
  }

  private changed(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }
}

export const COLLECT_OPTIONS: CollectOptions = {
  intervalMs: 50,
  scrapeTimeoutMs: 1000,
  flushPeriodMs: 500,
  limits: { ...DEFAULT_LIMITS, bodyBytes: 1024 * 1024 },
  include: [],
  exclude: [],
};

export function target(url: string, more: Partial<Target> = {}): Target {
  return { url, headers: {}, answered: false, fallbackTried: false, ...more };
}

/** Servers and collectors that end with the test that started them. */
export function captures() {
  const { open, server } = closedAfterEach();

  async function raw(answer: Parameters<typeof serveRaw>[0]): Promise<TestServer> {
    const started = await serveRaw(answer);
    open.push(started);
    return started;
  }

  function collector(targets: readonly Target[], options: Partial<CollectOptions> = {}, time?: Clock) {
    const listener = new Listener();
    const created = new Collector(targets, { ...COLLECT_OPTIONS, ...options }, listener, time);
    open.push({ close: () => created.abort() });
    return { collector: created, listener };
  }

  /** A collector that has started. */
  async function capture(targets: readonly Target[], options: Partial<CollectOptions> = {}) {
    const created = collector(targets, options);
    await created.collector.start();
    return created;
  }

  /** The first scrape of an endpoint that has never answered, and what its status then says. */
  async function firstScrape(url: string, options: Partial<CollectOptions> = {}) {
    // What is no timeout is none on a busy machine either.
    const { collector, listener } = await capture([target(url)], { scrapeTimeoutMs: 30_000, ...options });
    await listener.until(() => listener.scrapes.length > 0);
    const [scrape] = listener.scrapes;
    await listener.until(() => listener.statuses.length > 0);
    const [status] = collector.status();
    return { collector, listener, scrape: scrape!, status: status! };
  }

  return { open, server, raw, collector, capture, firstScrape };
}
