import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { Collector } from "../../src/collect/index.js";
import type { Scrape } from "../../src/core/model/index.js";
import { startCli, until } from "../support/cli.js";
import { COLLECT_OPTIONS, Listener, target } from "../support/collecting.js";
import { healthy, serve } from "../support/faulty-server.js";

it("a capture says what its scrapes cost, and proposes a longer interval where they take much of it", async () => {
  const good = healthy();
  const server = await serve((request, response) => void setTimeout(() => good(request, response), 60));
  const folder = await mkdtemp(join(tmpdir(), "server-metrics-cost-"));
  try {
    const running = startCli(["capture", server.origin, "--interval", "100ms", "--out", join(folder, "out")]);
    await until("the warning", () => running.stderrSoFar().includes("of the interval of 100 ms"));
    running.child.kill("SIGINT");
    const { code, stderr } = await running.finished;
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/a scrape takes [\d.]+ ms and [\d.,]+ k?B, [\d.]+ ?% of the interval/);
    expect(stderr).toMatch(/warning: A scrape of 127\.0\.0\.1:\d+ takes \d+ ms, \d+ % of the interval of 100 ms/);
    expect(stderr).toMatch(/Scrape less often: --interval \d+ms /);
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
});

const INTERVAL_MS = 100;
const ENDPOINTS = 5;
/** Ticks whose answers lay here, before the test has seen enough. */
const LAIN = 5;

/** Cells of the memory that the server's thread and the test share. */
const GO = 0;
const ANSWERED = 1;
const WAITS = 2;

/**
 * Answers `/0` when all endpoints have asked, and the others once the test says GO: it is then at work on the first
 * answer, and lets theirs wait. A thread of its own, since the test's does nothing else meanwhile. Who asks while the
 * others have not is answered after a while: under load a tick may be missed.
 */
const SERVER = `
const { parentPort, workerData: shared } = require("node:worker_threads");
const body = () => "# TYPE jobs gauge\\njobs " + Date.now() + "\\n";
let waiting = [];
let timer;
function answer() {
  clearTimeout(timer);
  timer = undefined;
  const asked = waiting;
  waiting = [];
  const rest = asked.filter(({ url }) => !url.endsWith("/0"));
  const first = asked.find(({ url }) => url.endsWith("/0"));
  const answerRest = () => {
    for (const { response } of rest) response.end(body());
  };
  if (first === undefined || rest.length < ${ENDPOINTS - 1}) {
    first?.response.end(body());
    answerRest();
    return;
  }
  const go = Atomics.load(shared, ${GO});
  Atomics.store(shared, ${WAITS}, 1);
  first.response.end(body(), () => {
    Atomics.wait(shared, ${GO}, go, 10_000);
    answerRest();
    Atomics.store(shared, ${WAITS}, 0);
    Atomics.add(shared, ${ANSWERED}, 1);
    Atomics.notify(shared, ${ANSWERED});
  });
}
require("node:http")
  .createServer((request, response) => {
    response.setHeader("content-type", "text/plain; version=0.0.4");
    waiting.push({ url: request.url, response });
    if (waiting.length === ${ENDPOINTS}) answer();
    else timer ??= setTimeout(answer, 100);
  })
  .listen(0, "127.0.0.1", function () {
    parentPort.postMessage(this.address().port);
  });
`;

it("a server is not blamed for the time that other answers of the same tick take here", async () => {
  const shared = new Int32Array(new SharedArrayBuffer(12));
  const server = new Worker(SERVER, { eval: true, workerData: shared });
  class Busy extends Listener {
    /** How long this thread worked while all other answers of a tick lay here, each time, milliseconds. */
    readonly lain: number[] = [];
    override onScrape(scrape: Scrape): void {
      if (scrape.endpointUrl.endsWith("/0") && Atomics.load(shared, WAITS) === 1) {
        const begun = performance.now();
        const before = Atomics.load(shared, ANSWERED);
        Atomics.add(shared, GO, 1);
        Atomics.notify(shared, GO);
        // The others' answers are on their way, and wait.
        Atomics.wait(shared, ANSWERED, before, 10_000);
        Atomics.wait(shared, GO, Atomics.load(shared, GO), 0.4 * INTERVAL_MS);
        this.lain.push(performance.now() - begun);
      }
      super.onScrape(scrape);
    }
  }
  const listener = new Busy();
  try {
    const [port] = (await once(server, "message")) as [number];
    const urls = Array.from({ length: ENDPOINTS }, (_, i) => `http://127.0.0.1:${port}/metrics/${i}`);
    const collector = new Collector(
      urls.map((url) => target(url, { answered: true })),
      { ...COLLECT_OPTIONS, intervalMs: INTERVAL_MS, scrapeTimeoutMs: 10_000 },
      listener,
    );
    await collector.start();
    await listener.until(() => listener.lain.length > LAIN);
    await collector.stop();
    const inAll = (times: readonly number[]) => times.reduce((sum, time) => sum + time, 0);
    for (const { url, cost } of collector.status().slice(1)) {
      const took = listener.of(url).map(({ latency }) => latency / 1e6);
      // What they lay here is not counted, however long the rest took. Clocks are rounded.
      expect((cost?.meanMs ?? NaN) * took.length).toBeLessThan(inAll(took) - 0.9 * inAll(listener.lain));
    }
  } finally {
    await server.terminate();
  }
});
