import { describe, expect, it } from "vitest";
import { ServerClient } from "../../src/collect/index.js";
import { Run } from "../../src/core/store/index.js";
import { pushSummary, RemoteWriter } from "../../src/stores/index.js";
import { runCli, until } from "../support/cli.js";
import { serve } from "../support/faulty-server.js";
import { JOURNAL_METADATA, variedScrapes } from "../support/journals.js";
import { runOf, SinkBench } from "../support/sinks.js";

const bench = SinkBench.ofFile();

describe("a store that is away", () => {
  it("costs no scrape, and what waits is written once it is back", async () => {
    let down = true;
    const bodies: number[] = [];
    const store = await serve((request, response) => {
      let bytes = 0;
      request.on("data", (chunk: Buffer) => (bytes += chunk.length));
      request.on("end", () => {
        if (!down) bodies.push(bytes);
        response.writeHead(down ? 503 : 204).end();
      });
    });
    try {
      const running = runCli([...bench.capture("away"), "--remote-write", `${store.origin}/api/v1/write`]);
      await until("three refused writes", () => store.requests.length >= 3);
      down = false;
      const captured = await running;
      expect(captured, captured.stderr).toMatchObject({ code: 0 });
      expect(captured.stderr).toMatch(/HTTP 503/);
      const run = await runOf(bench.fileOf("away"));
      const samples = [...run.store.scrapesInOrder()].reduce(
        (sum, { outcome }) => sum + 2 + (outcome.kind === "samples" ? outcome.batch.length : 0),
        0,
      );
      expect(Number(/(\d+) samples written/.exec(captured.stdout)?.[1])).toBe(samples);
      expect(bodies.length).toBeGreaterThan(0);
    } finally {
      await store.close();
    }
  });

  it("is not waited for at addresses that cannot be used", async () => {
    const wrong = await runCli([...bench.capture("wrong"), "--remote-write", "ftp://x"]);
    expect(wrong).toMatchObject({ code: 2 });
    expect(wrong.stderr).toMatch(/--remote-write: .*http/);
    const label = await runCli([...bench.capture("wrong"), "--remote-write-label", "9=b"]);
    expect(label.stderr).toMatch(/is not a label/);
  });

  it("is given what waits in pieces, and what it never took is counted to the last sample", async () => {
    const run = new Run(JOURNAL_METADATA);
    for (const scrape of variedScrapes(12_000)) run.store.append(scrape);
    let samples = 0;
    for (const { outcome } of run.store.scrapesInOrder())
      samples += 2 + (outcome.kind === "samples" ? outcome.batch.length : 0);
    // How many scrapes are read of the run at a time: so much is held.
    const read: number[] = [];
    const { store } = run;
    const scrapesInOrder = store.scrapesInOrder.bind(store);
    store.scrapesInOrder = (count = store.scrapes, from = 0) => {
      read.push(count - from);
      return scrapesInOrder(count, from);
    };
    const client = new ServerClient({ url: "http://127.0.0.1:1", enabled: true });
    try {
      const report = await new RemoteWriter(client, run, {}).finish(AbortSignal.abort());
      expect(report).toMatchObject({ samples: 0, lost: samples });
      expect(samples).toBeGreaterThan(100_000);
      expect(Math.max(...read)).toBeLessThanOrEqual(5000);
      expect(read.length).toBeGreaterThanOrEqual(samples / 11_000);
    } finally {
      client.close();
    }
  });

  it("says what a push lacks: the right address, or credentials", async () => {
    const run = new Run(JOURNAL_METADATA);
    for (const scrape of variedScrapes(2)) run.store.append(scrape);
    let [status, page] = [200, "x".repeat(65 * 1024)];
    const store = await serve((request, response) => {
      request.resume().on("end", () => response.writeHead(status).end(page));
    });
    const client = new ServerClient({ url: store.origin, enabled: true });
    const pushed = () => pushSummary(client, run, { credentials: "Give a token." });
    try {
      await expect(pushed()).rejects.toMatchObject({
        message: expect.stringContaining("64 KiB") as string,
        remedy: expect.stringContaining("Pushgateway") as string,
      });
      [status, page] = [401, "who is there?"];
      await expect(pushed()).rejects.toMatchObject({ remedy: "Give a token." });
    } finally {
      client.close();
      await store.close();
    }
  });

  it("is not asked without end where a gap comes before what it refuses", async () => {
    const run = new Run(JOURNAL_METADATA);
    // The first of these is a scrape that failed: two samples, fewer than half of what the two first ones have.
    for (const scrape of variedScrapes(40).slice(16)) run.store.append(scrape);
    let samples = 0;
    for (const { outcome } of run.store.scrapesInOrder())
      samples += 2 + (outcome.kind === "samples" ? outcome.batch.length : 0);
    const store = await serve((request, response) => {
      request.resume().on("end", () => response.writeHead(422).end("no"));
    });
    const client = new ServerClient({ url: store.origin, enabled: true });
    try {
      expect(await new RemoteWriter(client, run, {}).finish()).toMatchObject({ samples: 0, lost: samples });
      expect(store.requests.length).toBeLessThan(run.store.scrapes);
    } finally {
      client.close();
      await store.close();
    }
  });
});
