import { fork, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, request } from "undici";
import { Collector } from "../../src/collect/index.js";
import { DEFAULT_LIMITS } from "../../src/core/model/index.js";
import { COLLECT_OPTIONS, target } from "../support/collecting.js";

/** Of a capture. */
const INTERVAL_MS = 333;
/** While the cost is measured: so many scrapes to a block that they stand out from what its requests vary by. */
const DENSE_MS = 20;
const LATENCY_PAIRS = 6;
const REQUESTS_PER_SECOND = 100;
const SERIES = 1000;

interface Block {
  readonly cpuMs: number;
  readonly scrapes: number;
  readonly latencies: readonly number[];
}

/**
 * What a capture takes from the server it measures. A loaded HTTP server in another process gets the same requests in
 * short blocks with and without scraping, in turn, each pair in the other order. The difference of its processor time
 * over the scrapes is the cost of one, with a 90 % interval (Student's t over the pairs). Latencies of its requests are
 * those of blocks at a capture's own interval. Arguments: [pairs] [seconds of a block].
 */
export async function run(args: string[]): Promise<void> {
  const pairs = Math.max(3, Number(args[0] ?? 40));
  const seconds = Number(args[1] ?? 1);
  const server = await startServer();
  const agent = new Agent({ connections: 50 });
  try {
    for (const intervalMs of [undefined, DENSE_MS]) await block(server, agent, 2, intervalMs);
    const costs: number[] = [];
    for await (const { scraped, without } of blocks(server, agent, { pairs, seconds, intervalMs: DENSE_MS }))
      costs.push((scraped.cpuMs - without.cpuMs) / Math.max(1, scraped.scrapes));
    const latencies: Record<"with" | "without", number[]> = { with: [], without: [] };
    for await (const { scraped, without } of blocks(server, agent, {
      pairs: LATENCY_PAIRS,
      seconds: 2 * seconds,
      intervalMs: INTERVAL_MS,
    })) {
      latencies.with.push(...scraped.latencies);
      latencies.without.push(...without.latencies);
    }
    const { mean, half } = interval(costs);
    const at = (values: number[], share: number) =>
      (values.sort((x, y) => x - y)[Math.floor(values.length * share)] ?? NaN).toFixed(2);
    const spread = (values: number[]) => `p50 ${at(values, 0.5)} ms, p99 ${at(values, 0.99)} ms`;
    const lines = [
      `${SERIES} series, ${REQUESTS_PER_SECOND} requests/s, ${pairs} pairs of ${seconds} s, scraped every ${DENSE_MS} ms in one of each`,
      `server's processor time of one scrape: ${mean.toFixed(3)} ms (90 % interval ${(mean - half).toFixed(3)} to ${(mean + half).toFixed(3)})`,
      `of one core at ${INTERVAL_MS} ms: ${((100 * mean) / INTERVAL_MS).toFixed(3)} % (${((100 * (mean - half)) / INTERVAL_MS).toFixed(3)} to ${((100 * (mean + half)) / INTERVAL_MS).toFixed(3)} %)`,
      `requests without scraping:          ${spread(latencies.without)}`,
      `requests, scraped every ${INTERVAL_MS} ms:    ${spread(latencies.with)}`,
    ];
    console.log(lines.join("\n"));
  } finally {
    await agent.close();
    server.stop();
  }
}

async function* blocks(
  server: LoadedServer,
  agent: Agent,
  { pairs, seconds, intervalMs }: { readonly pairs: number; readonly seconds: number; readonly intervalMs: number },
): AsyncGenerator<{ readonly scraped: Block; readonly without: Block }> {
  for (let pair = 0; pair < pairs; pair++) {
    // The order changes from pair to pair: what drifts falls on both.
    if (pair % 2 === 0) {
      const without = await block(server, agent, seconds, undefined);
      yield { without, scraped: await block(server, agent, seconds, intervalMs) };
    } else {
      const scraped = await block(server, agent, seconds, intervalMs);
      yield { scraped, without: await block(server, agent, seconds, undefined) };
    }
  }
}

/** @param intervalMs of scrapes; undefined: none */
async function block(
  server: LoadedServer,
  agent: Agent,
  seconds: number,
  intervalMs: number | undefined,
): Promise<Block> {
  const collector = intervalMs === undefined ? undefined : collectorOf(server.port, intervalMs);
  await collector?.start();
  const scrapes = () => collector?.status()[0]?.scrapes ?? 0;
  const before = { scrapes: scrapes(), cpuMs: await server.cpuMs() };
  const latencies = await loaded(server, agent, seconds);
  const after = { scrapes: scrapes(), cpuMs: await server.cpuMs() };
  await collector?.stop();
  return { cpuMs: after.cpuMs - before.cpuMs, scrapes: after.scrapes - before.scrapes, latencies };
}

/** Two-sided 90 % quantiles of Student's t by degrees of freedom, from 1. */
const T90 = [6.314, 2.92, 2.353, 2.132, 2.015, 1.943, 1.895, 1.86, 1.833, 1.812, 1.796, 1.782, 1.771, 1.761, 1.753];

function interval(values: readonly number[]): { readonly mean: number; readonly half: number } {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, n - 1);
  return { mean, half: (T90[n - 2] ?? 1.75) * Math.sqrt(variance / n) };
}

function collectorOf(port: number, intervalMs: number): Collector {
  return new Collector(
    [target(`http://127.0.0.1:${port}/metrics`, { answered: true })],
    { ...COLLECT_OPTIONS, intervalMs, scrapeTimeoutMs: 10_000, limits: DEFAULT_LIMITS },
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
