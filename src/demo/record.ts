import { formatScrapeLogLine } from "../core/artifacts/scrape-log.js";
import { durationNs, epochNs, NS_PER_MS, NS_PER_SECOND, type EpochNs } from "../core/model/index.js";
import { LEAD_SECONDS, simulate, type DemoOptions } from "./options.js";
import { Page } from "./page.js";
import { PROFILES } from "./profiles/index.js";
import { seededRandom } from "./random.js";

export interface RecordOptions extends DemoOptions {
  readonly durationSeconds: number;
  /** Between scrapes. Default: 333. */
  readonly intervalMs?: number;
  /** Due time of the first scrape. The default is fixed, so that the same options always give the same bytes. */
  readonly startNs?: EpochNs;
  /** Recorded as the endpoint. Default: port 8000 of this machine. */
  readonly url?: string;
}

const DEFAULT_START = epochNs(1_765_000_000_000_000_000n);

/**
 * Records a scrape log of a simulated server at once, on a simulated clock: one line per scrape, without its line end.
 * The first scrape is due at the start, the last not after `durationSeconds`. Same options, same lines.
 * @param onLine may return a promise to slow the recording down
 * @throws RangeError for options that no server can have
 */
export async function recordDemo(
  options: RecordOptions,
  onLine: (line: string) => void | Promise<void>,
): Promise<void> {
  await recordDemos([options], options, onLine);
}

/** As `recordDemo`, several servers on ports one after the other, tick by tick. */
export async function recordDemos(
  servers: readonly DemoOptions[],
  { durationSeconds, intervalMs = 333, startNs = DEFAULT_START, url }: Omit<RecordOptions, keyof DemoOptions>,
  onLine: (line: string) => void | Promise<void>,
): Promise<void> {
  const recorded = servers.map((server, i) => new RecordedServer(server, startNs, url, FIRST_PORT + i));
  const scrapes = Math.floor((durationSeconds * 1000) / intervalMs + 1e-9) + 1;
  for (let n = 0; n < scrapes; n++) {
    const dueNs = Math.round(n * intervalMs * NS_PER_MS);
    for (const server of recorded) await onLine(await server.scrape(dueNs));
  }
}

const FIRST_PORT = 8000;

class RecordedServer {
  private readonly jitter;
  private readonly page: Page;
  private readonly url: string;
  private current;
  private restarted = false;
  /** Nanoseconds of the recording at which the current process began. */
  private begunNs = 0;

  constructor(
    private readonly options: DemoOptions,
    private readonly startNs: EpochNs,
    url: string | undefined,
    port: number,
  ) {
    this.jitter = seededRandom(options.seed ?? 1, 3);
    this.page = new Page(options);
    this.current = processOf(options, Number(startNs) / NS_PER_SECOND - LEAD_SECONDS);
    this.url = url ?? `http://localhost:${port}${this.current.path}`;
  }

  async scrape(dueNs: number): Promise<string> {
    const { options, startNs, jitter } = this;
    const waitNs = Math.round((0.6 + jitter()) * NS_PER_MS);
    const latencyNs = waitNs + Math.round((0.3 + 0.4 * jitter()) * NS_PER_MS);
    const restart = options.restartAfterSeconds;
    if (restart !== undefined && !this.restarted && dueNs >= restart * NS_PER_SECOND) {
      this.restarted = true;
      this.begunNs = dueNs;
      this.current = processOf(options, Number(startNs) / NS_PER_SECOND + dueNs / NS_PER_SECOND - LEAD_SECONDS);
    }
    const { simulation, exporter } = this.current;
    const lead = this.restarted ? 0 : LEAD_SECONDS;
    simulation.advanceTo(lead + (dueNs - this.begunNs + waitNs) / NS_PER_SECOND);
    const body = await this.page.answer((dueNs + waitNs) / NS_PER_SECOND, () => exporter.exposition());
    const line = formatScrapeLogLine({
      url: this.url,
      time: epochNs(startNs + BigInt(dueNs + waitNs)),
      latency: durationNs(latencyNs),
      status: body === undefined ? 503 : 200,
      contentType: exporter.registry.contentType,
      body: body ?? "",
    });
    return line.trimEnd();
  }
}

function processOf(options: DemoOptions, startSeconds: number) {
  const { profile, simulation } = simulate(options);
  const { expose, path } = PROFILES[profile];
  return { simulation, path, exporter: expose(simulation, startSeconds) };
}
