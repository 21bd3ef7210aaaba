import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Engine } from "../../src/engine/engine.js";
import {
  ChannelClient,
  type CaptureOptions,
  type EngineEvents,
  type EngineRequests,
} from "../../src/protocol/index.js";
import { DEFAULT_LIMITS, offsetNs } from "../../src/core/model/index.js";
import { until } from "../support/cli.js";
import { pipe } from "../support/pipe.js";
import { serve, type Handler, type TestServer } from "../support/faulty-server.js";

const servers: TestServer[] = [];
const clients: ChannelClient<EngineRequests, EngineEvents>[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) {
    await client.call("stopCapture", {}).catch(() => undefined);
    client.dispose();
  }
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** An engine in this thread, with the messages of a real channel: copied, and delivered later. */
function engine(): ChannelClient<EngineRequests, EngineEvents> {
  const [view, own] = pipe(setImmediate);
  const client = new ChannelClient<EngineRequests, EngineEvents>(view);
  new Engine(own);
  clients.push(client);
  return client;
}

async function server(handler: Handler): Promise<string> {
  const started = await serve(handler);
  servers.push(started);
  return `${started.origin}/metrics`;
}

function counting(): Handler {
  let n = 0;
  return (_, response) =>
    response
      .setHeader("content-type", "text/plain; version=0.0.4")
      .end(`# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running ${++n}\n`);
}

function options(url: string, changes: Partial<CaptureOptions> = {}): CaptureOptions {
  return {
    endpoints: [{ url, enabled: true }],
    intervalMs: 20,
    scrapeTimeoutMs: 5000,
    reachabilityTimeoutMs: 5000,
    flushPeriodMs: 500,
    limits: { ...DEFAULT_LIMITS, bodyBytes: 1e6 },
    include: [],
    exclude: [],
    warmup: { kind: "none" },
    sliceDurationSeconds: 5,
    journalLimitBytes: 1e9,
    ...changes,
  };
}

describe("an engine", () => {
  it("takes one run: of two captures begun at once, the second is refused and never scrapes", async () => {
    const client = engine();
    const [first, second] = [await server(counting()), await server(counting())];
    const both = await Promise.allSettled([
      client.call("startCapture", options(first)),
      client.call("startCapture", options(second)),
    ]);
    expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(both[1]).toMatchObject({ reason: { code: "busy" } });
    expect(servers[1]!.requests).toEqual([]);
  });

  it("can take another run after one that could not begin", async () => {
    const client = engine();
    await expect(client.call("startCapture", options("http://127.0.0.1:9/metrics"))).rejects.toMatchObject({
      code: "nothing-reachable",
    });
    await expect(client.call("startCapture", options(await server(counting())))).resolves.toHaveLength(1);
  });

  it("captures from the first answer on: an endpoint that hangs holds nobody up, and joins when it answers", async () => {
    const client = engine();
    const held: (() => void)[] = [];
    let hangs = true;
    const answer = counting();
    const slow = await server((request, response) => {
      if (hangs) held.push(() => answer(request, response));
      else answer(request, response);
    });
    const fast = await server(counting());
    const endpoints = [slow, fast].map((url) => ({ url, enabled: true }));
    const began = await client.call("startCapture", options(slow, { endpoints, reachabilityTimeoutMs: 60_000 }));
    expect(began.map(({ url }) => url)).toEqual([fast]);
    await until("scrapes", async () => (await client.call("describe", {})).header.scrapes! > 2);
    hangs = false;
    for (const release of held.splice(0)) release();
    expect((await client.call("tested", {})).map(({ url, reachable }) => [url, reachable])).toEqual([
      [slow, true],
      [fast, true],
    ]);
    const states = async () =>
      (await client.call("describe", {})).header.endpoints.map(({ url, state }) => [url, state]);
    await until("both", async () => (await states()).every(([, state]) => state === "up"));
    expect((await states()).map(([url]) => url).sort()).toEqual([slow, fast].sort());
    await client.call("stopCapture", {});
    expect(JSON.stringify(await client.call("configuration", {}))).toContain(slow);
  });

  it("goes on with other headers of an endpoint at once, and keeps what it had", async () => {
    const client = engine();
    const answer = counting();
    let token = "one";
    const url = await server((request, response) => {
      if (request.headers.authorization === `Bearer ${token}`) answer(request, response);
      else response.writeHead(401).end();
    });
    const endpoint = (bearer: string) => ({ url, enabled: true, headers: { authorization: `Bearer ${bearer}` } });
    await client.call("startCapture", options(url, { endpoints: [endpoint("one")] }));
    const header = async () => (await client.call("describe", {})).header;
    token = "two";
    await until("a refusal", async () => (await header()).endpoints[0]?.state === "failing");
    const before = (await header()).scrapes!;
    await client.call("replaceEndpoint", { url, endpoint: endpoint("two") });
    await until("more scrapes", async () => (await header()).scrapes! > before + 2);
    expect((await header()).endpoints.map((one) => [one.url, one.state])).toEqual([[url, "up"]]);
    expect(JSON.stringify(await client.call("configuration", {})).split(url)).toHaveLength(2);
  });

  it("looks for findings while a large capture goes on", async () => {
    const client = engine();
    const series = Array.from({ length: 3100 }, (_, i) => `many{n="${i}"} 1\n`).join("");
    const url = await server((_, response) =>
      response
        .setHeader("content-type", "text/plain; version=0.0.4")
        .end(`# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running 1\n${series}`),
    );
    await client.call("startCapture", options(url, { intervalMs: 200 }));
    await until("scrapes", async () => (await client.call("describe", {})).header.scrapes! > 2);
    expect((await client.call("findings", {})).checked).not.toEqual([]);
  });

  it("shows a complete description of the run at once, and pushes header and tiles again and again", async () => {
    const client = engine();
    const pushes: EngineEvents["progress"][] = [];
    client.on("progress", (progress) => pushes.push(progress));
    await client.call("startCapture", options(await server(counting())));
    const description = await client.call("describe", {});
    expect(description.tiles.map((tile) => tile.id)).toEqual(["vllm.running"]);
    // Where the server was late, a push has nothing new.
    await until("three pushes of other values", () => new Set(pushes.map(({ tiles }) => tiles[0]?.value)).size >= 3);
    const shown = pushes.map(({ header, tiles }) => ({ seconds: header.elapsedSeconds!, value: tiles[0]!.value }));
    for (let i = 1; i < shown.length; i++) {
      expect(shown[i]!.seconds).toBeGreaterThan(shown[i - 1]!.seconds);
      expect(shown[i]!.value).toBeGreaterThanOrEqual(shown[i - 1]!.value);
    }
  });

  it("tells at once of a changed boundary: the tiles are those of the new window", async () => {
    const client = engine();
    const pushes: EngineEvents["progress"][] = [];
    client.on("progress", (progress) => pushes.push(progress));
    await client.call("startCapture", options(await server(counting()), { warmup: { kind: "manual" } }));
    await until("some scrapes", async () => (await client.call("describe", {})).header.scrapes! > 10);
    await client.call("markProfilingStart", {});
    await until("the push", () => pushes.some(({ header }) => header.phase === "profiling"));
    await client.call("stopCapture", {});
    await until("the last push", () => pushes.at(-1)?.header.state === "stopped");
    // In the warm-up the values were 1 to 10 at least.
    expect(pushes.at(-1)!.tiles[0]!.value).toBeGreaterThan(10);
    expect(pushes.at(-1)!.header.profilingStart).toBeGreaterThan(0);
  });

  it("tells of an endpoint that was lost, and of the length of profiling, without advice once it is over", async () => {
    const client = engine();
    const started = await serve(counting());
    await client.call("startCapture", options(`${started.origin}/metrics`, { warmup: { kind: "manual" } }));
    const header = async () => (await client.call("describe", {})).header;
    await until("some scrapes", async () => (await header()).scrapes! > 5);
    await client.call("markProfilingStart", {});
    await started.close();
    await until("a failed scrape", async () => (await header()).endpoints[0]?.state === "failing");
    expect((await header()).endpoints[0]?.problems[0]?.remedy).toMatch(/Is the server running\?/);
    await client.call("stopCapture", {});
    const over = await header();
    expect(over.endpoints[0]?.problems.map(({ remedy }) => remedy)).toEqual([undefined]);
    expect(over.elapsedSeconds).toBe((over.profilingEnd! - over.profilingStart) / 1e9);
  });

  it("has nothing to write where no endpoint has answered with metrics: it says why, and writes no file", async () => {
    const folder = await mkdtemp(join(tmpdir(), "engine-nothing-"));
    try {
      const client = engine();
      const url = await server((_, response) =>
        response.setHeader("content-type", "text/html").end("<!doctype html><html></html>"),
      );
      await client.call("startCapture", options(url));
      const endpoints = async () => (await client.call("describe", {})).header.endpoints;
      await until("a failed scrape", async () => (await endpoints())[0]?.state === "failing");
      const nothing = await client.call("stopCapture", {});
      expect(nothing?.reason).toMatch(
        /^No endpoint answered with metrics during the capture: there is nothing to write\. .*text\/html/,
      );
      await expect(
        client.call("export", { directory: folder, formats: ["json"], verify: false }),
      ).rejects.toMatchObject({ code: "nothing-captured", message: nothing?.reason });
      expect(await readdir(folder)).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("goes on with the journal in another file when it is asked to, and nothing is missing there", async () => {
    const folder = await mkdtemp(join(tmpdir(), "engine-journal-"));
    try {
      const client = engine();
      const [first, second] = [join(folder, "first.jsonl.gz"), join(folder, "second.jsonl.gz")];
      await client.call("startCapture", options(await server(counting()), { journalPath: first, journalSync: false }));
      const scrapes = async () => (await client.call("describe", {})).header.scrapes ?? 0;
      await until("some scrapes", async () => (await scrapes()) > 10);
      await expect(client.call("moveJournal", { path: join(folder, "no", "such.gz") })).rejects.toThrow(/such.gz/);
      await client.call("moveJournal", { path: second });
      await client.call("stopCapture", {});
      expect(await readdir(folder)).toEqual(["second.jsonl.gz"]);
      const recovered = await engine().call("recover", { journalPath: second });
      expect(recovered).toMatchObject({ scrapes: await scrapes(), problems: [] });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("settles a second stop only when the first has ended, and keeps the run exportable state", async () => {
    const client = engine();
    let held = false;
    let asked: (answer: () => void) => void = () => {};
    const finalAsked = new Promise<() => void>((resolve) => (asked = resolve));
    const count = counting();
    const url = await server((request, response) => {
      if (held) asked(() => count(request, response));
      else count(request, response);
    });
    await client.call("startCapture", options(url, { intervalMs: 100_000, flushPeriodMs: 30_000 }));
    const scrapes = async () => (await client.call("describe", {})).header.scrapes;
    // The baseline, and the grid's first.
    await expect.poll(scrapes).toBe(2);
    held = true;
    const order: string[] = [];
    const first = client.call("stopCapture", {}).then(() => order.push("first"));
    const second = client.call("stopCapture", {}).then(async () => {
      order.push("second");
      return (await client.call("describe", {})).header.state;
    });
    const answer = await finalAsked;
    expect(order).toEqual([]);
    answer();
    await Promise.all([first, second]);
    expect(await second).toBe("stopped");
    expect(order.toSorted()).toEqual(["first", "second"]);
    expect(await scrapes()).toBe(3);
  });

  it("exports a capture that is being stopped with its final scrape", async () => {
    const folder = await mkdtemp(join(tmpdir(), "engine-"));
    try {
      const client = engine();
      const url = await server(counting());
      await client.call("startCapture", options(url, { intervalMs: 10_000 }));
      const stopping = client.call("stopCapture", {});
      await client.call("export", { directory: folder, formats: ["jsonl"], verify: true });
      await stopping;
      const lines = (await readFile(join(folder, "server_metrics_export.jsonl"), "utf8"))
        .split("\n")
        .filter((line) => line.includes('"value"'));
      expect(lines.length).toBe((await client.call("describe", {})).header.scrapes);
      // Baseline and final scrape.
      expect(lines.length).toBeGreaterThanOrEqual(2);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("warns and covers everything when it is stopped during the warm-up", async () => {
    const client = engine();
    const notices: string[] = [];
    client.on("notice", ({ reason }) => notices.push(reason));
    await client.call(
      "startCapture",
      options(await server(counting()), { warmup: { kind: "duration", seconds: 1000 } }),
    );
    await until("some scrapes", async () => (await client.call("describe", {})).header.scrapes! > 3);
    await client.call("addMark", { label: "then", time: offsetNs(250_000_000) });
    await client.call("stopCapture", {});
    const { header, tiles } = await client.call("describe", {});
    expect(header.marks).toEqual([{ time: 250_000_000, label: "then" }]);
    expect(notices.filter((reason) => reason.includes("during its warm-up"))).toHaveLength(1);
    expect(header.profilingStart).toBeLessThan(1e9);
    expect(tiles[0]!.value).toBeGreaterThan(1);
    await expect(client.call("addMark", { label: "late" })).rejects.toMatchObject({ code: "not-capturing" });
    await expect(client.call("markProfilingStart", {})).rejects.toMatchObject({ code: "not-capturing" });
  });

  it("hears nothing more of an endpoint that was removed, and keeps what it brought", async () => {
    const client = engine();
    const [first, second] = [await server(counting()), await server(counting())];
    await client.call(
      "startCapture",
      options(first, {
        endpoints: [
          { url: first, enabled: true },
          { url: second, enabled: true },
        ],
      }),
    );
    await client.call("removeEndpoint", { url: second });
    const asked = servers[1]!.requests.length;
    const before = servers[0]!.requests.length;
    await until("more scrapes of the other", () => servers[0]!.requests.length > before + 5);
    expect(servers[1]!.requests.length).toBeLessThanOrEqual(asked);
    const { header } = await client.call("describe", {});
    expect(header.endpoints.map((endpoint) => endpoint.url)).toEqual([first]);
    expect(
      (await client.call("series", { family: "vllm:num_requests_running" })).map((series) => series.endpointUrl),
    ).toEqual([first, second]);
  });

  it("gives a capture up that is cancelled while it begins", async () => {
    const client = engine();
    const url = await server((_, response) => void response.socket?.on("error", () => undefined));
    const cancel = new AbortController();
    const starting = client.call("startCapture", options(url), cancel.signal);
    await until("the probe", () => servers[0]!.requests.length > 0);
    cancel.abort();
    await expect(starting).rejects.toMatchObject({ code: "cancelled" });
    // The engine settles a moment later, and is free again.
    const other = await server(counting());
    await until("the engine to be free", () =>
      client.call("startCapture", options(other)).then(
        () => true,
        () => false,
      ),
    );
  });
});
