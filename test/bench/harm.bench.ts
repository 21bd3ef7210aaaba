import { fork, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, request } from "undici";
import { Collector } from "../../src/collect/index.js";
import { DEFAULT_LIMITS } from "../../src/core/model/index.js";
import { COLLECT_OPTIONS, target } from "../support/collecting.js";

const INTERVAL_MS = 333;
const REQUESTS_PER_SECOND = 100;
const SERIES = 1000;

/**
 * What a capture takes from the server it measures. A loaded HTTP server in another process gets the same requests in
 * windows with and without scraping, in turn; the difference of its processor time over the scrapes is the cost of one,
 * with a 90 % interval (Student's t over the pairs). Latencies of its requests are printed for both.
 * Arguments: [pairs] [seconds of a window].
 */
export async function run(args: string[]): Promise<void> {
  const pairs = Math.max(3, Number(args[0] ?? 8));
  const seconds = Number(args[1] ?? 4);
  const server = await startServer();
  const agent = new Agent({ connections: 50 });
  try {
    await loaded(server, agent, Math.min(2, seconds));
    const costs: number[] = [];
    const latencies: Record<"with" | "without", number[]> = { with: [], without: [] };
    const shares: number[] = [];
    for (let pair = 0; pair < pairs; pair++) {
      const measured = { with: { cpuMs: 0, scrapes: 0 }, without: { cpuMs: 0, scrapes: 0 } };
      // The order changes from pair to pair: what drifts falls on both.
      for (const kind of pair % 2 === 0 ? (["without", "with"] as const) : (["with", "without"] as const)) {
        const collector = kind === "with" ? collectorOf(server.port) : undefined;
        await collector?.start();
        const scrapesBefore = collector?.status()[0]?.scrapes ?? 0;
        const before = await server.cpuMs();
        latencies[kind].push(...(await loaded(server, agent, seconds)));
        measured[kind] = {
          cpuMs: (await server.cpuMs()) - before,
          scrapes: (collector?.status()[0]?.scrapes ?? 0) - scrapesBefore,
        };
        await collector?.stop();
      }
      const { with: scraped, without } = measured;
      costs.push((scraped.cpuMs - without.cpuMs) / Math.max(1, scraped.scrapes));
      shares.push(scraped.cpuMs / without.cpuMs - 1);
    }
    const { mean, half } = interval(costs);
    const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
    const p99 = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? NaN;
    const lines = [
      `${SERIES} series every ${INTERVAL_MS} ms, ${REQUESTS_PER_SECOND} requests/s, ${pairs} pairs of ${seconds} s`,
      `server's processor time of one scrape: ${mean.toFixed(2)} ms (90 % interval ${(mean - half).toFixed(2)} to ${(mean + half).toFixed(2)})`,
      `of one core at this interval: ${((100 * mean) / INTERVAL_MS).toFixed(2)} %; processor time of the server ${(100 * interval(shares).mean).toFixed(1)} % higher`,
      `requests without scraping: p50 ${median(latencies.without).toFixed(2)} ms, p99 ${p99(latencies.without).toFixed(2)} ms`,
      `requests with scraping:    p50 ${median(latencies.with).toFixed(2)} ms, p99 ${p99(latencies.with).toFixed(2)} ms`,
    ];
    console.log(lines.join("\n"));
  } finally {
    await agent.close();
    server.stop();
  }
}

/** Two-sided 90 % quantiles of Student's t by degrees of freedom, from 1. */
const T90 = [6.314, 2.92, 2.353, 2.132, 2.015, 1.943, 1.895, 1.86, 1.833, 1.812, 1.796, 1.782, 1.771, 1.761, 1.753];

function interval(values: readonly number[]): { readonly mean: number; readonly half: number } {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, n - 1);
  return { mean, half: (T90[n - 2] ?? 1.7) * Math.sqrt(variance / n) };
}

function collectorOf(port: number): Collector {
  return new Collector(
    [target(`http://127.0.0.1:${port}/metrics`, { answered: true })],
    { ...COLLECT_OPTIONS, intervalMs: INTERVAL_MS, scrapeTimeoutMs: 10_000, limits: DEFAULT_LIMITS },
    { onScrape: () => {}, onStatus: () => {}, onNotice: () => {} },
  );
}

/** Requests at a fixed rate, whatever they take. @returns their latencies in milliseconds */
async function loaded(server: LoadedServer, agent: Agent, seconds: number): Promise<number[]> {
  const begun = performance.now();
  const pending: Promise<number>[] = [];
  for (let i = 0; i < seconds * REQUESTS_PER_SECOND; i++) {
    const due = begun + (1000 * i) / REQUESTS_PER_SECOND;
    const wait = due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    pending.push(one(server, agent));
  }
  return Promise.all(pending);
}

async function one(server: LoadedServer, agent: Agent): Promise<number> {
  const sent = performance.now();
  const { body } = await request(`http://127.0.0.1:${server.port}/work`, { dispatcher: agent });
  await body.text();
  return performance.now() - sent;
}

interface LoadedServer {
  readonly port: number;
  cpuMs(): Promise<number>;
  stop(): void;
}

/** Works a millisecond or so for each request, and writes its exposition anew for each scrape, as prom-client does. */
const SOURCE = `
const http = require("node:http");
let requests = 0;
const bounds = [0.001, 0.01, 0.1, 1, 10];
function work() {
  let x = 0;
  for (let i = 0; i < 100000; i++) x += Math.sqrt(i ^ requests);
  return x;
}
function metrics() {
  const lines = ["# TYPE work_seconds histogram"];
  for (let s = 0; s * (bounds.length + 3) < ${SERIES}; s++) {
    const labels = 'model="m",series="' + s + '"';
    bounds.forEach((le, i) => lines.push("work_seconds_bucket{" + labels + ',le="' + le + '"} ' + (requests * (i + 1))));
    lines.push("work_seconds_bucket{" + labels + ',le="+Inf"} ' + requests * 6);
    lines.push("work_seconds_sum{" + labels + "} " + requests * 0.01, "work_seconds_count{" + labels + "} " + requests * 6);
  }
  return lines.join("\\n") + "\\n";
}
const server = http.createServer((request, response) => {
  if (request.url === "/metrics") {
    response.setHeader("content-type", "text/plain; version=0.0.4");
    response.end(metrics());
    return;
  }
  requests++;
  response.end(String(work()));
});
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send({ cpuMs: (user + system) / 1000 });
});
`;

async function startServer(): Promise<LoadedServer> {
  const folder = mkdtempSync(join(tmpdir(), "server-metrics-harm-"));
  const file = join(folder, "server.cjs");
  writeFileSync(file, SOURCE);
  const child: ChildProcess = fork(file, { execArgv: [] });
  let fail: (error: Error) => void = () => undefined;
  child.once("exit", () => fail(new Error("the loaded server has ended")));
  const next = (): Promise<Record<string, number>> =>
    new Promise((resolve, reject) => {
      fail = reject;
      child.once("message", (message) => resolve(message as Record<string, number>));
    });
  const { port = 0 } = await next();
  return {
    port,
    cpuMs: async () => {
      const answer = next();
      child.send({});
      return (await answer)["cpuMs"] ?? NaN;
    },
    stop: () => {
      child.removeAllListeners("exit");
      child.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
