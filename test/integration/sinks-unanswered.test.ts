import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ServerClient } from "../../src/collect/index.js";
import { Run } from "../../src/core/store/index.js";
import { RemoteWriter } from "../../src/stores/index.js";
import { until } from "../support/cli.js";
import { respond, serve, type TestServer } from "../support/faulty-server.js";
import { JOURNAL_METADATA, variedScrapes } from "../support/journals.js";
import { absent, named } from "../support/sinks.js";
import { startPrometheus, type RunningStore } from "../support/stores.js";

/*
 * Prometheus refuses a whole request when one of its samples is older than what it has: a batch that it has taken must
 * not come again as if it were lost.
 */
describe.skipIf(absent("prometheus"))(named("a Prometheus whose answer does not arrive", "prometheus"), () => {
  let prometheus: RunningStore;
  beforeAll(async () => {
    prometheus = await startPrometheus();
  });
  afterAll(() => prometheus.close());

  /** Passes writes on; `deliver` decides what becomes of each answer. */
  const before = (deliver: (response: ServerResponse, answer: () => void) => void): Promise<TestServer> =>
    serve((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        const headers = { "content-encoding": "snappy", "content-type": "application/x-protobuf" };
        void fetch(`${prometheus.url}/api/v1/write`, { method: "POST", headers, body: Buffer.concat(pieces) }).then(
          async (answered) => {
            const body = Buffer.from(await answered.arrayBuffer());
            deliver(response, () => respond(response, answered.status, "text/plain", body));
          },
        );
      });
    });

  const runOf = (count: number) => {
    const run = new Run(JOURNAL_METADATA);
    for (const scrape of variedScrapes(count)) run.store.append(scrape);
    let samples = 0;
    for (const { outcome } of run.store.scrapesInOrder())
      samples += 2 + (outcome.kind === "samples" ? outcome.batch.length : 0);
    return { run, samples };
  };

  it("is waited for when the capture ends, and nothing is sent twice", async () => {
    const held: (() => void)[] = [];
    let isOpen = false;
    const store = await before((_, answer) => (isOpen ? answer() : void held.push(answer)));
    const client = new ServerClient({ url: store.origin, enabled: true });
    const { run, samples } = runOf(40);
    const writer = new RemoteWriter(client, run, { run_id: "ended" });
    try {
      writer.start();
      await until("a write that the store has taken", () => held.length > 0);
      const finished = writer.finish();
      isOpen = true;
      for (const answer of held) answer();
      expect(await finished).toEqual({ samples, lost: 0, problems: [] });
      expect(store.requests).toHaveLength(1);
    } finally {
      client.close();
      await store.close();
    }
  });

  it("has what it took, and what it refuses as old when that comes again is no loss", async () => {
    let isFirst = true;
    const store = await before((response, answer) => {
      if (isFirst) response.destroy();
      else answer();
      isFirst = false;
    });
    const client = new ServerClient({ url: store.origin, enabled: true });
    const { run, samples } = runOf(40);
    try {
      const report = await new RemoteWriter(client, run, { run_id: "lost answer" }).finish();
      expect(report).toMatchObject({ samples, lost: 0 });
      expect(report.problems.map(({ reason }) => reason)).toEqual([expect.stringMatching(/closed the connection/)]);
      // All of it can be read.
      const data = await prometheus.api("/query", {
        query: 'count_over_time(running{run_id="lost answer"}[1h])',
        time: String(Number(run.store.origin / 1_000_000_000n) + 60),
      });
      const counts = (data as { result: { value: [number, string] }[] }).result.map(({ value }) => Number(value[1]));
      expect(counts.reduce((sum, n) => sum + n, 0)).toBe(
        Array.from(run.store.scrapesInOrder()).filter(({ outcome }) => outcome.kind === "samples").length,
      );
    } finally {
      client.close();
      await store.close();
    }
  });
});
