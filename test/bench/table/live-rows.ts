import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { keepHeapSmall } from "../../../src/cli/capture/heap.js";
import { DEFAULT_LIMITS } from "../../../src/core/model/index.js";
import { startCapture } from "../../../src/engine/capture/start.js";
import { startFleet } from "../../support/fleet.js";
import { readPage, sumOf } from "../../support/page.js";
import { startPrometheus } from "../../support/stores.js";
import { Reported, type BenchRow, type Task } from "./frame.js";
import { temporaryFolder } from "./inputs.js";

const SERIES = 300;
const INTERVAL_MS = 333;
/** Until every series is known: Prometheus begins to scrape after five seconds. */
const SETTLE_MS = 10_000;
const WATCHED_MS = 60_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A capture as the command line makes it, journal included. */
const capturing: Task = async (endpoints) => {
  const fleet = await startFleet(endpoints, SERIES);
  const folder = await temporaryFolder();
  const before = process.memoryUsage().rss;
  const ignore = () => undefined;
  keepHeapSmall();
  return async () => {
    const { capture } = await startCapture(
      {
        endpoints: fleet.urls.map((url) => ({ url, enabled: true, headers: {} })),
        intervalMs: INTERVAL_MS,
        scrapeTimeoutMs: 10_000,
        reachabilityTimeoutMs: 10_000,
        flushPeriodMs: 0,
        limits: DEFAULT_LIMITS,
        include: [],
        exclude: [],
        warmup: { kind: "none" },
        sliceDurationSeconds: 5,
        journalPath: join(folder, "journal"),
        journalLimitBytes: 1e10,
      },
      { onNotice: ignore },
    );
    const { store } = capture.run;
    await pause(SETTLE_MS);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const cpu = process.cpuUsage();
    const scrapes = store.scrapes;
    const begun = performance.now();
    await pause(WATCHED_MS);
    const due = (endpoints * (performance.now() - begun)) / INTERVAL_MS;
    const { user, system } = process.cpuUsage(cpu);
    delay.disable();
    const peakBytes = process.memoryUsage().rss;
    const scraped = store.scrapes - scrapes;
    await capture.stop();
    fleet.close();
    return reported({ cpuSeconds: (user + system) / 1e6, peakBytes, before, scraped, series: store.seriesCount }, [
      `${scraped} of ${due.toFixed(0)} scrapes`,
      `event loop late by ${(delay.percentile(99) / 1e6).toFixed(1)} ms at p99`,
    ]);
  };
};

/** Debian's Prometheus, of the same fleet. What it says of itself is read from its own page. */
const prometheus: Task = async (endpoints) => {
  const fleet = await startFleet(endpoints, SERIES);
  const targets = fleet.urls.map((url) => new URL(url).host);
  return async () => {
    const before = await emptyBytes();
    const server = await startPrometheus({ scrape: { fleet: targets }, intervalMs: INTERVAL_MS });
    try {
      await pause(SETTLE_MS);
      const first = await selfOf(server.url);
      await pause(WATCHED_MS);
      const last = await selfOf(server.url);
      return reported({
        cpuSeconds: last.cpuSeconds - first.cpuSeconds,
        peakBytes: last.bytes,
        before,
        // A pass over a target appends each of its lines.
        scraped: (last.samples - first.samples) / (last.series / endpoints),
        series: last.series,
      });
    } finally {
      await server.close();
      fleet.close();
    }
  };
};

/** Memory of one that scrapes nothing. */
async function emptyBytes(): Promise<number> {
  const empty = await startPrometheus();
  try {
    return sumOf(await pageOf(empty.url), "process_resident_memory_bytes");
  } finally {
    await empty.close();
  }
}

async function pageOf(url: string) {
  return readPage(await (await fetch(`${url}/metrics`)).text());
}

async function selfOf(url: string) {
  const page = await pageOf(url);
  return {
    cpuSeconds: sumOf(page, "process_cpu_seconds_total"),
    bytes: sumOf(page, "process_resident_memory_bytes"),
    series: sumOf(page, "prometheus_tsdb_head_series"),
    samples: sumOf(page, "prometheus_tsdb_head_samples_appended_total"),
  };
}

function reported(
  of: {
    readonly cpuSeconds: number;
    readonly peakBytes: number;
    readonly before: number;
    readonly scraped: number;
    readonly series: number;
  },
  others: readonly string[] = [],
): Reported {
  const { cpuSeconds, peakBytes, before, scraped, series } = of;
  const core = (100 * cpuSeconds) / (WATCHED_MS / 1000);
  const notes = [
    `${core.toFixed(1)} % of a core`,
    `${((1000 * cpuSeconds) / scraped).toFixed(2)} ms a scrape`,
    `${((1e6 * cpuSeconds) / (scraped * SERIES)).toFixed(2)} µs a sample`,
    `${((peakBytes - before) / 1000 / series).toFixed(1)} kB a series beyond what it takes without any`,
    ...others,
  ];
  return new Reported({ seconds: WATCHED_MS / 1000, cpuSeconds, peakBytes }, notes.join(", "));
}

const work = (endpoints: number) =>
  `${endpoints} endpoints × ${SERIES} series every ${INTERVAL_MS} ms for ${WATCHED_MS / 1000} s`;

export const LIVE_ROWS: readonly BenchRow[] = [
  {
    name: "a fleet captured",
    work,
    scale: 50,
    once: true,
    growth: [5],
    ours: capturing,
    anchor: { name: "Prometheus", task: prometheus },
  },
  {
    name: "a fleet of 200 captured",
    work,
    scale: 200,
    once: true,
    // A fifth of a core.
    goal: { cpuSeconds: 0.2 * (WATCHED_MS / 1000), peakBytes: 300e6 },
    ours: capturing,
  },
];
