import { fork, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Agent, request } from "undici";
import { Collector, type CollectSink } from "../../src/collect/index.js";
import { DEFAULT_LIMITS, epochNs } from "../../src/core/model/index.js";
import { Run } from "../../src/core/store/index.js";
import { JournalWriter } from "../../src/files/index.js";
import { COLLECT_OPTIONS, target } from "../support/collecting.js";

const SERIES = 300;
const INTERVAL_MS = 333;

/**
 * What a capture costs its host: CPU time per scrape for a fleet of endpoints, against the mere cost of fetching the
 * same bodies with the same client library; with store and journal, memory, delays of the event loop and missed ticks.
 * The servers run in a process of their own. Arguments: [seconds] [endpoints].
 */
export async function run(args: string[]): Promise<void> {
  const seconds = Number(args[0] ?? 10);
  const endpoints = Number(args[1] ?? 20);
  const fleet = await startFleet(endpoints);
  const folder = mkdtempSync(join(tmpdir(), "collect-bench-"));
  try {
    const metadata = {
      benchmarkId: "00000000-0000-4000-8000-000000000004",
      endpointsConfigured: fleet.ports.map(urlOf),
      sliceDurationSeconds: 5,
      inputConfig: {},
    };
    const captured = new Run(metadata);
    const journal = await JournalWriter.open(join(folder, "journal.gz"), {
      metadata,
      time: epochNs(BigInt(Date.now()) * 1_000_000n),
      limitBytes: Infinity,
      onNotice: () => {},
    });
    let samples = 0;
    let duplicates = 0;
    const sink: CollectSink = {
      onScrape: (scrape) => {
        const { outcome } = scrape;
        if (outcome.kind === "samples") samples += outcome.batch.length;
        if (outcome.kind === "duplicate") duplicates++;
        captured.store.append(scrape);
        journal.scrape(scrape, "profiling");
      },
      onStatus: () => {},
      onNotice: () => {},
    };
    const targets = fleet.ports.map((port) => target(urlOf(port), { answered: true }));
    const collector = new Collector(
      targets,
      { ...COLLECT_OPTIONS, intervalMs: INTERVAL_MS, scrapeTimeoutMs: 10_000, limits: DEFAULT_LIMITS },
      sink,
    );
    await collector.start();
    const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    delay.enable();
    const before = process.cpuUsage();
    const scrapesBefore = total(collector, "scrapes");
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    const cpu = process.cpuUsage(before);
    const scrapes = total(collector, "scrapes") - scrapesBefore;
    const cpuMs = (cpu.user + cpu.system) / 1000;
    delay.disable();
    const missed = total(collector, "missedTicks");
    await collector.stop();
    await journal.close();
    const rss = process.resourceUsage().maxRSS / 1024;
    const bareMs = await bareFetches(fleet.ports, Math.min(scrapes, 600));
    const lines = [
      `${endpoints} endpoints x ${SERIES} series every ${INTERVAL_MS} ms for ${seconds} s`,
      `scrapes ${scrapes}, failures ${total(collector, "failures")}, missed ticks ${missed}, samples ${samples}, duplicates ${duplicates}`,
      `CPU ${(cpuMs / scrapes).toFixed(3)} ms per scrape, ${((cpuMs / (seconds * 1000)) * 100).toFixed(1)} % of one core`,
      `peak memory ${rss.toFixed(0)} MB, event loop late by ${lateMs(delay.percentile(99))} ms at p99 and ${lateMs(delay.max)} ms at most`,
      `${(cpuMs / scrapes / bareMs).toFixed(2)} times the CPU of fetching the body alone with the library's request() (${bareMs.toFixed(3)} ms)`,
    ];
    process.stdout.write(lines.join("\n") + "\n");
  } finally {
    fleet.stop();
    rmSync(folder, { recursive: true });
  }
}

const RESOLUTION_MS = 5;

/** The monitor tells how long its timer took. */
function lateMs(nanoseconds: number): string {
  return Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS).toFixed(1);
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}/metrics`;
}

function total(collector: Collector, key: "scrapes" | "failures" | "missedTicks"): number {
  return collector.status().reduce((sum, endpoint) => sum + endpoint[key], 0);
}

/**
 * CPU milliseconds of fetching a body and nothing else, the fleet's bodies in turn and as many at once as in a capture.
 */
async function bareFetches(ports: readonly number[], count: number): Promise<number> {
  const agent = new Agent();
  const fetchOnce = async (port: number) => (await request(urlOf(port), { dispatcher: agent })).body.arrayBuffer();
  await Promise.all(ports.map(fetchOnce));
  const before = process.cpuUsage();
  let fetched = 0;
  while (fetched < count) fetched += (await Promise.all(ports.map(fetchOnce))).length;
  const cpu = process.cpuUsage(before);
  await agent.close();
  return (cpu.user + cpu.system) / 1000 / fetched;
}

/** The servers, in plain JavaScript: half of the values change with each scrape. */
const FLEET = (endpoints: number) => `
const http = require("node:http");
const line = (i, n) => 'fleet:requests_' + (i % 30) + '{engine="' + i + '",model_name="meta-llama/Llama-3.1-8B-Instruct"} ' + (i % 2 === 0 ? i : n * 0.25 + i) + "\\n";
const ports = [];
for (let s = 0; s < ${endpoints}; s++) {
  let n = 0;
  const server = http.createServer((_, response) => {
    n++;
    let body = "";
    for (let family = 0; family < 30; family++) {
      body += "# HELP fleet:requests_" + family + " Requests of a kind.\\n# TYPE fleet:requests_" + family + " gauge\\n";
      for (let i = family; i < ${SERIES}; i += 30) body += line(i, n);
    }
    response.writeHead(200, { "content-type": "text/plain; version=0.0.4", "content-length": Buffer.byteLength(body) });
    response.end(body);
  });
  server.listen(0, "127.0.0.1", () => {
    ports.push(server.address().port);
    if (ports.length === ${endpoints}) process.send(ports);
  });
}
process.on("disconnect", () => process.exit(0));
`;

async function startFleet(endpoints: number): Promise<{ readonly ports: readonly number[]; stop(): void }> {
  const folder = mkdtempSync(join(tmpdir(), "collect-bench-"));
  const script = join(folder, "fleet.cjs");
  writeFileSync(script, FLEET(endpoints));
  const child: ChildProcess = fork(script, { execArgv: [] });
  const ports = await new Promise<readonly number[]>((resolve, reject) => {
    child.once("message", (message) =>
      Array.isArray(message) ? resolve(message.map(Number)) : reject(new Error("the fleet sent no ports")),
    );
    child.once("exit", () => reject(new Error("the fleet did not start")));
  });
  return {
    ports,
    stop: () => {
      child.kill();
      rmSync(folder, { recursive: true });
    },
  };
}
