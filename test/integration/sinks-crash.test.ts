import { mkdtemp, readdir, rm } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Collector, ServerClient } from "../../src/collect/index.js";
import { runLabels, type Scrape } from "../../src/core/model/index.js";
import { Run } from "../../src/core/store/index.js";
import { startDemoServer, type DemoServer } from "../../src/demo/index.js";
import { recoverJournal } from "../../src/files/index.js";
import { openArtifact } from "../../src/files/open/index.js";
import { RemoteWriter } from "../../src/stores/index.js";
import { runCli, startCli, until } from "../support/cli.js";
import { COLLECT_OPTIONS, Listener, target } from "../support/collecting.js";
import { FakeTime } from "../support/fake-time.js";
import { healthy, serve } from "../support/faulty-server.js";
import { JOURNAL_METADATA } from "../support/journals.js";
import { samplesOf } from "../support/stored-samples.js";
import { missingPrograms, startPrometheus, type RunningStore } from "../support/stores.js";

let dir: string;
let demo: DemoServer;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "server-metrics-crash-"));
  demo = await startDemoServer({ port: 0 });
});
afterAll(async () => {
  await demo.close();
  await rm(dir, { recursive: true, force: true });
});

const captureOf = (name: string, url = demo.url) => [
  ...["capture", "--url", url, "--interval", "50ms", "--summary", "none", "--formats", "jsonl"],
  ...["--out", path.join(dir, name)],
];

const missing = await missingPrograms("prometheus");
const what = "a capture that is killed while its store is away";
describe.skipIf(missing.length > 0)(missing.length > 0 ? `${what} (not installed: ${missing.join()})` : what, () => {
  let prometheus: RunningStore;
  beforeAll(async () => {
    prometheus = await startPrometheus();
  });
  afterAll(() => prometheus.close());

  const journalled = async (name: string) => {
    const files = await readdir(path.join(dir, name)).catch(() => []);
    const journal = files.find((file) => file.includes("journal"));
    if (journal === undefined) return undefined;
    const file = path.join(dir, name, journal);
    return recoverJournal(file).then(
      (recovered) => ({ file, ...recovered }),
      () => undefined,
    );
  };

  it("is completed there from its journal, with what had not been sent", async () => {
    let isDown = false;
    const bodies: Buffer[] = [];
    const store = await serve((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        if (isDown) return void response.writeHead(503).end();
        const body = Buffer.concat(pieces);
        bodies.push(body);
        const headers = Object.fromEntries(
          Object.entries(request.headers).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
        );
        delete headers["host"];
        delete headers["connection"];
        delete headers["content-length"];
        void fetch(`${prometheus.url}/api/v1/write`, { method: "POST", headers, body: new Uint8Array(body) }).then(
          async (answer) => response.writeHead(answer.status).end(await answer.text()),
        );
      });
    });
    try {
      const own = ["--remote-write", store.origin, "--remote-write-label", "cluster=a100"];
      const running = startCli([...captureOf("killed"), "--label", "killed", ...own]);
      await until("the journal to know of a write", async () => {
        const { written } = (await journalled("killed")) ?? {};
        return (written?.scrapes ?? 0) > 0;
      });
      isDown = true;
      await until("scrapes that were not written", async () => {
        const { run, written } = (await journalled("killed")) ?? {};
        return (run?.store.scrapes ?? 0) >= (written?.scrapes ?? 0) + 20;
      });
      running.child.kill("SIGKILL");
      await running.finished;
      isDown = false;

      const before = await journalled("killed");
      expect(before?.written).toMatchObject({ url: store.origin, labels: { cluster: "a100", label: "killed" } });
      const out = path.join(dir, "recovered");
      // Its own labels are those that it was written with.
      const options = ["--out", out, "--formats", "jsonl", "--summary", "none", "--remote-write", store.origin];
      const recovered = await runCli(["recover", before?.file ?? "", ...options]);
      expect(recovered, recovered.stderr).toMatchObject({ code: 0 });
      expect(recovered.stderr).toContain(
        `${before?.written?.scrapes} of ${before?.run.store.scrapes} scrapes had been written to ${store.origin} before`,
      );
      expect(recovered.stderr).not.toContain("could not be written");
      expect(recovered.stdout).toMatch(/\d+ samples written to/);
      expect(await timesOf("killed")).toEqual(before === undefined ? [] : scrapeTimes(before.run));

      // Every series, to the last bit of its values and the millisecond of its times.
      const original = await runOf(path.join(out, "server_metrics_export.jsonl"));
      const [first = 0, last = 0] = [scrapeTimes(original).at(0), scrapeTimes(original).at(-1)];
      const fetched = path.join(dir, "killed-read");
      const read = await runCli([
        ...["fetch", "--prometheus", prometheus.url, "--match", '{label="killed",cluster="a100"}', "--out", fetched],
        ...["--formats", "jsonl", "--start", String(first / 1000 - 1), "--end", String(last / 1000 + 1)],
      ]);
      expect(read, read.stderr).toMatchObject({ code: 0 });
      const [stored, expected] = [
        samplesOf(await runOf(path.join(fetched, "server_metrics_export.jsonl"))),
        samplesOf(original),
      ];
      expect(expected.size).toBeGreaterThan(50);
      expect(stored).toEqual(expected);
    } finally {
      await store.close();
    }
  });

  it("loses nothing where the store had more than the journal knew of", async () => {
    const recovered = await journalled("killed");
    if (recovered === undefined) throw new Error("no journal");
    const { run } = recovered;
    const client = new ServerClient({ url: prometheus.url, enabled: true });
    try {
      const labels = runLabels(run.metadata, { label: "again" });
      const first = await new RemoteWriter(client, run, labels).finish();
      expect(first).toMatchObject({ lost: 0 });
      const before = { url: client.url, labels, scrapes: run.store.scrapes - 12 };
      const second = await new RemoteWriter(client, run, labels, { before }).finish();
      expect(second).toMatchObject({ lost: 0, problems: [] });
      expect(await timesOf("again")).toEqual(scrapeTimes(run));
    } finally {
      client.close();
    }
  });

  const timesOf = async (label: string) => {
    const { result } = (await prometheus.api("/query", { query: `up{label="${label}"}[1h]` })) as {
      result: { values: [number, string][] }[];
    };
    return result.flatMap(({ values }) => values.map(([time]) => Math.round(time * 1000)));
  };
});

async function runOf(file: string): Promise<Run> {
  const opened = await openArtifact(file);
  if (opened.kind !== "samples") throw new Error(`${file} contains no samples`);
  return opened.run;
}

function scrapeTimes({ store }: Run): readonly number[] {
  return Array.from(store.scrapesInOrder(), ({ time }) => Number(time / 1_000_000n));
}

it("a store that hangs holds up no scrape", async () => {
  const endpoint = await serve(healthy());
  // It answers its first write only once the endpoint has been scraped so much more often.
  let answer: (() => void) | undefined;
  let isHung = true;
  const store = await serve((request, response) => {
    request.resume().on("end", () => {
      if (isHung) answer = () => void response.writeHead(204).end();
      else response.writeHead(204).end();
    });
  });
  try {
    const running = startCli([...captureOf("hangs", `${endpoint.origin}/metrics`), "--remote-write", store.origin]);
    await until("a write that hangs", () => answer !== undefined);
    const scrapes = endpoint.requests.length;
    await until("scrapes beside it", () => endpoint.requests.length >= scrapes + 30);
    // Meanwhile nothing else was written: what waits stays in the run.
    expect(store.requests).toHaveLength(1);
    isHung = false;
    answer?.();
    running.child.kill("SIGINT");
    const { code, stdout, stderr } = await running.finished;
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/\d+ samples written to/);
    expect(stderr).not.toContain("could not be written");
  } finally {
    await store.close();
    await endpoint.close();
  }
});

it.each(["no store", "a store that hangs"])("a capture misses no tick with %s", async (beside) => {
  const endpoint = await serve(healthy());
  const waiting: ServerResponse[] = [];
  const store = await serve((request, response) => {
    request.resume().on("end", () => waiting.push(response));
  });
  // Time passes only when all scrapes so far have arrived: a tick is missed by nothing but a scrape that is held up.
  const time = new FakeTime();
  const run = new Run(JOURNAL_METADATA);
  const listener = new (class extends Listener {
    override onScrape(scrape: Scrape): void {
      run.store.append(scrape);
      super.onScrape(scrape);
    }
  })();
  const collector = new Collector([target(`${endpoint.origin}/metrics`)], COLLECT_OPTIONS, listener, time);
  const client = new ServerClient({ url: store.origin, enabled: true });
  const writer = new RemoteWriter(client, run, {});
  const isHanging = beside !== "no store";
  try {
    const started = collector.start();
    await listener.until(() => listener.scrapes.length === 1);
    await started;
    await time.advance(0);
    await listener.until(() => listener.scrapes.length === 2);
    if (isHanging) {
      writer.start();
      await until("a write that hangs", () => waiting.length === 1);
    }
    for (let scrapes = 3; scrapes <= 40; scrapes++) {
      await time.advance(COLLECT_OPTIONS.intervalMs);
      while (listener.scrapes.length < scrapes) await time.advance(0);
    }
    expect(collector.status()).toMatchObject([{ scrapes: 40, failures: 0, missedTicks: 0 }]);
    expect(listener.scrapes.map(({ kind }) => kind)).not.toContain("failed");
    expect(waiting.length > 0).toBe(isHanging);
    expect(waiting.filter(({ writableEnded }) => writableEnded)).toEqual([]);
  } finally {
    collector.abort();
    writer.abandon();
    client.close();
    await store.close();
    await endpoint.close();
  }
});
