import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Collector } from "../../src/collect/index.js";
import type { Scrape } from "../../src/core/model/index.js";
import { runCli } from "../support/cli.js";
import { COLLECT_OPTIONS, Listener, target } from "../support/collecting.js";
import { healthy, serve } from "../support/faulty-server.js";

it("a capture says what its scrapes cost, and proposes a longer interval where they take much of it", async () => {
  const good = healthy();
  const server = await serve((request, response) => void setTimeout(() => good(request, response), 40));
  const folder = await mkdtemp(join(tmpdir(), "server-metrics-cost-"));
  try {
    const { code, stderr } = await runCli(
      ["capture", server.origin, "--duration", "3", "--interval", "100", "--out", join(folder, "out")],
      {},
    );
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/a scrape takes [\d.]+ ms and [\d.,]+ k?B, [\d.]+ ?% of the interval/);
    expect(stderr).toMatch(/warning: A scrape of 127\.0\.0\.1:\d+ takes \d+ ms, \d+ % of the interval of 100 ms/);
    expect(stderr).toMatch(/Scrape less often: --interval \d+ /);
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
});

/** Works without a pause, as parsing a large answer does. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

const ENDPOINTS = 30;

/**
 * Answers all endpoints at once when each of them has asked, or soon after the first, in a process of its own: what
 * this one does cannot hold it up.
 */
const SERVER = `
const waiting = [];
let timer;
function answer() {
  clearTimeout(timer);
  timer = undefined;
  for (const response of waiting.splice(0)) response.end("# TYPE jobs gauge\\njobs " + Date.now() + "\\n");
}
require("node:http")
  .createServer((request, response) => {
    response.setHeader("content-type", "text/plain; version=0.0.4");
    waiting.push(response);
    if (waiting.length === ${ENDPOINTS}) answer();
    else timer ??= setTimeout(answer, 15);
  })
  .listen(0, "127.0.0.1", function () {
    console.log(this.address().port);
  });
`;

it("a server is not blamed for the time that other answers of the same tick take here", async () => {
  const child = spawn(process.execPath, ["-e", SERVER], { stdio: ["ignore", "pipe", "inherit"] });
  class Busy extends Listener {
    slowest = 0;
    override onScrape(scrape: Scrape): void {
      this.slowest = Math.max(this.slowest, scrape.latency / 1e6);
      work(3);
      super.onScrape(scrape);
    }
  }
  const listener = new Busy();
  try {
    const [port] = (await once(child.stdout, "data")) as [Buffer];
    // Their answers take 3 ms each, too few to be spread over the interval: one that comes late waits for those before.
    const targets = Array.from({ length: ENDPOINTS }, (_, i) =>
      target(`http://127.0.0.1:${String(port).trim()}/metrics?of=${i}`, { answered: true }),
    );
    const collector = new Collector(
      targets,
      { ...COLLECT_OPTIONS, intervalMs: 200, scrapeTimeoutMs: 10_000 },
      listener,
    );
    await collector.start();
    await listener.until(() => collector.status().every(({ scrapes }) => scrapes > 22));
    const shares = collector.status().map(({ cost }) => cost?.share ?? NaN);
    await collector.stop();
    expect(listener.slowest).toBeGreaterThan(0.2 * 200);
    expect(Math.max(...shares)).toBeLessThan(0.2);
    expect(listener.notices.filter(({ problem }) => /of the interval|slowed down/.test(problem.reason))).toEqual([]);
  } finally {
    child.kill();
  }
}, 60_000);
