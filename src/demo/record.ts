import { formatScrapeLogLine } from "../core/artifacts/scrape-log.js";
import { durationNs, epochNs, NS_PER_MS, NS_PER_SECOND, type EpochNs } from "../core/model/index.js";
import { LEAD_SECONDS, simulate, type DemoOptions } from "./options.js";
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
 * Records a scrape log of a simulated server at once, on a simulated clock: one line a scrape, without its line end.
 * The first scrape is due at the start, the last not after `durationSeconds`. Same options, same lines.
 * @param onLine may return a promise to slow the recording down
 * @throws RangeError for options that no server can have
 */
export async function recordDemo(
  options: RecordOptions,
  onLine: (line: string) => void | Promise<void>,
): Promise<void> {
  const { durationSeconds, intervalMs = 333, startNs = DEFAULT_START } = options;
  const { profile, simulation } = simulate(options);
  const { expose, path } = PROFILES[profile];
  const { url = `http://localhost:8000${path}` } = options;
  const exporter = expose(simulation, Number(startNs) / NS_PER_SECOND - LEAD_SECONDS);
  const jitter = seededRandom(options.seed ?? 1, 3);
  const scrapes = Math.floor((durationSeconds * 1000) / intervalMs + 1e-9) + 1;
  for (let n = 0; n < scrapes; n++) {
    const dueNs = Math.round(n * intervalMs * NS_PER_MS);
    const waitNs = Math.round((0.6 + jitter()) * NS_PER_MS);
    const latencyNs = waitNs + Math.round((0.3 + 0.4 * jitter()) * NS_PER_MS);
    simulation.advanceTo(LEAD_SECONDS + (dueNs + waitNs) / NS_PER_SECOND);
    const line = formatScrapeLogLine({
      url,
      time: epochNs(startNs + BigInt(dueNs + waitNs)),
      latency: durationNs(latencyNs),
      status: 200,
      contentType: exporter.registry.contentType,
      body: await exporter.exposition(),
    });
    await onLine(line.trimEnd());
  }
}
