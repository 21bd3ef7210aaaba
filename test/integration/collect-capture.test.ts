import { gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { BodyBuffer } from "../../src/collect/body-buffer.js";
import { Collector, MonotonicClock, type CollectOptions, type Target } from "../../src/collect/index.js";
import { DEFAULT_LIMITS } from "../../src/core/model/index.js";
import { COLLECT_OPTIONS, Listener, target } from "../support/collecting.js";
import {
  exposition,
  FAULTS,
  healthy,
  refusedPort,
  respond,
  serveRaw,
  TEXT_FORMAT,
  type Handler,
} from "../support/faulty-server.js";
import { closedAfterEach } from "../support/servers.js";

const { open, server } = closedAfterEach();

function collector(targets: readonly Target[], options: Partial<CollectOptions> = {}) {
  const listener = new Listener();
  const created = new Collector(targets, { ...COLLECT_OPTIONS, ...options }, listener);
  open.push({ close: () => created.abort() });
  return { collector: created, listener };
}

it("delivers nothing of an endpoint that was removed while its body was being decoded", async () => {
  const text = Array.from({ length: 60_000 }, (_, i) => `m{n="${i}",h="${(i * 2654435761) % 4294967296}"} ${i}`);
  const packed = gzipSync(`${text.join("\n")}\n`);
  expect(packed.length).toBeGreaterThan(256 * 1024);
  const { origin } = await server((_, response) => {
    response.writeHead(200, { "content-type": TEXT_FORMAT, "content-encoding": "gzip" });
    response.end(packed);
  });
  const url = `${origin}/metrics`;
  const { collector: capture, listener } = collector([target(url, { answered: true })], {
    intervalMs: 60_000,
    scrapeTimeoutMs: 20_000,
    // The start waits so long for the first scrape at most.
    flushPeriodMs: 20_000,
    limits: DEFAULT_LIMITS,
  });
  let decoding = false;
  const view = Object.getOwnPropertyDescriptor(BodyBuffer.prototype, "view");
  // A complete body is looked at to be decoded.
  const spy = vi.spyOn(BodyBuffer.prototype, "view", "get").mockImplementation(function (this: BodyBuffer) {
    if (this.length === packed.length && !decoding) {
      decoding = true;
      setImmediate(() => capture.removeEndpoint(url));
    }
    return view?.get?.call(this) as Uint8Array;
  });
  await capture.start();
  spy.mockRestore();
  expect(decoding).toBe(true);
  expect(listener.scrapes).toEqual([]);
});

describe("timestamps", () => {
  it("a scrape's time is that of the first response byte, its latency runs from the request to the end of the body", async () => {
    const delays = { headersMs: 120, bodyMs: 150 };
    const { origin } = await server((_, response) => {
      setTimeout(() => {
        response.writeHead(200, { "content-type": TEXT_FORMAT });
        response.write(exposition(1).slice(0, 50));
        setTimeout(() => response.end(exposition(1).slice(50)), delays.bodyMs);
      }, delays.headersMs);
    });
    const { collector: capture, listener } = collector([target(`${origin}/metrics`, { answered: true })], {
      flushPeriodMs: 2000,
    });
    const before = new MonotonicClock().now();
    await capture.start();
    const [scrape] = listener.scrapes;
    const ms = (from: bigint, to: bigint) => Number(to - from) / 1e6;
    expect(ms(before, scrape!.requestSent)).toBeGreaterThan(-2);
    expect(ms(scrape!.requestSent, scrape!.time)).toBeGreaterThan(delays.headersMs - 2);
    expect(ms(scrape!.requestSent, scrape!.time)).toBeLessThan(delays.headersMs + delays.bodyMs - 20);
    expect(scrape!.latency / 1e6).toBeGreaterThan(delays.headersMs + delays.bodyMs - 4);
    expect(capture.status()[0]?.latencyMs).toBeCloseTo(scrape!.latency / 1e6, 9);
  });

  it("counts from the first byte even when the headers are not complete yet", async () => {
    const body = exposition(1);
    const slow = await serveRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      setTimeout(
        () => socket.write(`Content-Type: ${TEXT_FORMAT}\r\nContent-Length: ${body.length}\r\n\r\n${body}`),
        200,
      );
    });
    open.push(slow);
    const { collector: capture, listener } = collector([target(`${slow.origin}/metrics`, { answered: true })], {
      flushPeriodMs: 2000,
    });
    await capture.start();
    const [scrape] = listener.scrapes;
    expect(Number(scrape!.time - scrape!.requestSent) / 1e6).toBeLessThan(scrape!.latency / 1e6 - 150);
  });
});

describe("schedule", () => {
  it("makes a baseline scrape before the grid starts and the first of the grid at its start", async () => {
    const { origin } = await server(healthy());
    const { collector: capture, listener } = collector([target(`${origin}/metrics`, { answered: true })], {
      intervalMs: 10_000,
    });
    const start = await capture.start();
    expect(listener.scrapes).toHaveLength(1);
    expect(listener.scrapes[0]!.time).toBeLessThan(start);
    await listener.until(() => listener.scrapes.length === 2);
    expect(listener.scrapes[1]!.time).toBeGreaterThan(start);
  });

  it("an endpoint that hangs delays no other, neither the start nor a tick", async () => {
    const good = await server(healthy());
    const bad = await server(FAULTS.hanging());
    const targets = [
      target(`${bad.origin}/metrics`, { answered: true }),
      target(`${good.origin}/metrics`, { answered: true }),
    ];
    const { collector: capture, listener } = collector(targets, {
      scrapeTimeoutMs: 5000,
      flushPeriodMs: 100,
      intervalMs: 50,
    });
    const called = new MonotonicClock().now();
    const start = await capture.start();
    expect(Number(start - called) / 1e6).toBeLessThan(1000);
    const url = `${good.origin}/metrics`;
    await listener.until(() => listener.of(url).length >= 21);
    const ticks = listener
      .of(url)
      .slice(1)
      .map(({ time }) => Number(time - start) / 1e6 / 50);
    // Each scrape belongs to a tick of its own, in order; on a busy machine a tick may be skipped, and then it is
    // counted.
    const { missedTicks } = capture.status()[1]!;
    expect(new Set(ticks.map(Math.floor)).size).toBe(ticks.length);
    expect(Math.floor(ticks.at(-1)!)).toBe(ticks.length - 1 + missedTicks);
    expect(listener.of(targets[0]!.url)).toEqual([]);
  });

  it("a scrape that is late skips ticks and counts them, with one request in flight", async () => {
    let inFlight = 0;
    let most = 0;
    let n = 0;
    const { origin } = await server((_, response) => {
      most = Math.max(most, ++inFlight);
      setTimeout(() => {
        inFlight--;
        respond(response, 200, TEXT_FORMAT, exposition(++n));
      }, 130);
    });
    const { collector: capture, listener } = collector([target(`${origin}/metrics`)], { intervalMs: 50 });
    const start = await capture.start();
    await listener.until(() => listener.scrapes.length >= 6);
    const { missedTicks } = capture.status()[0]!;
    expect(most).toBe(1);
    const elapsedTicks = Number(new MonotonicClock().now() - start) / 1e6 / 50;
    // Six scrapes of three ticks each: two of three are missed.
    expect(missedTicks).toBeGreaterThanOrEqual(8);
    expect(missedTicks).toBeLessThanOrEqual(elapsedTicks);
  });

  it("tries an endpoint that has never answered after growing pauses, and takes it in when it answers", async () => {
    const port = await refusedPort();
    const url = `http://127.0.0.1:${port}/metrics`;
    const { collector: capture, listener } = collector([target(url)], { intervalMs: 20 });
    await capture.start();
    await listener.until(() => listener.scrapes.length >= 6);
    const times = listener.scrapes.map(({ time }) => Number(time) / 1e6);
    const pauses = times.slice(1).map((time, i) => time - times[i]!);
    // After the baseline comes tick 0 at once; from then on at least 40, 80, 160 ms.
    expect(pauses[2]).toBeGreaterThan(75);
    expect(pauses[4]).toBeGreaterThan(300);
    expect(capture.status()[0]).toMatchObject({ state: "failing" });
    await server(healthy(), port);
    capture.retryNow(url);
    await listener.until(() => listener.scrapes.some(({ kind }) => kind === "samples"));
    expect(capture.status()[0]).toMatchObject({ state: "up", problems: [] });
  });

  it("tries one that has answered before at every tick", async () => {
    const first = await server(healthy());
    const url = `${first.origin}/metrics`;
    const { collector: capture, listener } = collector([target(url)], { intervalMs: 30 });
    const start = await capture.start();
    await listener.until(() => listener.scrapes.length >= 3);
    await first.close();
    await listener.until(() => listener.scrapes.filter(({ kind }) => kind === "failed").length >= 10);
    await server(healthy(), first.port);
    await listener.until(() => listener.scrapes.at(-1)?.kind === "samples");
    const last = Number(listener.scrapes.at(-1)!.time - start) / 1e6 / 30;
    expect(listener.scrapes.length - 2 + capture.status()[0]!.missedTicks).toBeGreaterThanOrEqual(Math.floor(last) - 1);
    expect(capture.status()[0]?.state).toBe("up");
  });
});

it("calls a body that is byte for byte the last good one a duplicate", async () => {
  const bodies = [exposition(1), exposition(1), "broken{", exposition(1), exposition(2), exposition(2)];
  let n = 0;
  const { origin } = await server((_, response) =>
    respond(response, 200, TEXT_FORMAT, bodies[Math.min(n++, bodies.length - 1)]!),
  );
  const { collector: capture, listener } = collector([target(`${origin}/metrics`)], { intervalMs: 20 });
  await capture.start();
  await listener.until(() => listener.scrapes.length >= 6);
  expect(listener.scrapes.slice(0, 6).map(({ kind }) => kind)).toEqual([
    "samples",
    "duplicate",
    "failed",
    "duplicate",
    "samples",
    "duplicate",
  ]);
  expect(capture.status()[0]).toMatchObject({ failures: 1 });
});

it("calls it so when it comes compressed, too", async () => {
  let n = 0;
  const packed = [FAULTS.compressed("gzip"), FAULTS.compressed("br")];
  const { origin } = await server((request, response) => packed[n++ % 2]!(request, response));
  const { collector: capture, listener } = collector([target(`${origin}/metrics`)], { intervalMs: 20 });
  await capture.start();
  await listener.until(() => listener.scrapes.length >= 4);
  expect(listener.scrapes.slice(0, 4).map(({ kind }) => kind)).toEqual([
    "samples",
    "duplicate",
    "samples",
    "duplicate",
  ]);
});

it("leaves out families by pattern", async () => {
  const { origin } = await server(healthy());
  const { collector: capture, listener } = collector([target(`${origin}/metrics`)], { exclude: ["*_tokens"] });
  await capture.start();
  await listener.until(() => listener.scrapes.length >= 1);
  expect([...listener.scrapes[0]!.samples.keys()]).toEqual(["vllm:num_requests_running"]);
});

it("sends the endpoint's own headers, and asks a server on this machine not to compress", async () => {
  let seen: NodeJS.Dict<string | string[]> = {};
  const { origin } = await server((request, response) => {
    seen = request.headers;
    healthy()(request, response);
  });
  const { collector: capture, listener } = collector([
    target(`${origin}/metrics`, { headers: { "X-Key": "k", Accept: "text/plain" } }),
  ]);
  await capture.start();
  await listener.until(() => listener.scrapes.length >= 1);
  expect(seen).toMatchObject({
    "x-key": "k",
    accept: "text/plain",
    "accept-encoding": "identity",
    "user-agent": "server-metrics",
  });
});

describe("the end", () => {
  it("makes one final scrape after the end of every endpoint that answered", async () => {
    const { origin, requests } = await server(healthy());
    const { collector: capture, listener } = collector([target(`${origin}/metrics`, { answered: true })], {
      intervalMs: 10_000,
    });
    await capture.start();
    await listener.until(() => listener.scrapes.length === 2);
    const end = new MonotonicClock().now();
    await capture.stop();
    expect(listener.scrapes).toHaveLength(3);
    expect(listener.scrapes[2]!.time).toBeGreaterThan(end - 2_000_000n);
    expect(requests).toHaveLength(3);
    expect(capture.status()[0]).toMatchObject({ state: "up", scrapes: 3 });
  });

  it("waits for a scrape under way, then makes the final one", async () => {
    let n = 0;
    let asked = () => {};
    const secondAsked = new Promise<void>((resolve) => (asked = resolve));
    const { origin } = await server((_, response) => {
      if (++n === 2) asked();
      setTimeout(() => respond(response, 200, TEXT_FORMAT, exposition(n)), 100);
    });
    const { collector: capture, listener } = collector([target(`${origin}/metrics`, { answered: true })], {
      intervalMs: 10_000,
    });
    await capture.start();
    await secondAsked;
    expect(listener.scrapes).toHaveLength(1);
    await capture.stop();
    expect(listener.scrapes.map(({ kind }) => kind)).toEqual(["samples", "samples", "samples"]);
  });

  it("does not wait longer than the flush period for a hanging endpoint, and says so", async () => {
    let handler: Handler = healthy();
    const { origin } = await server((request, response) => handler(request, response));
    const { collector: capture, listener } = collector([target(`${origin}/metrics`, { answered: true })], {
      intervalMs: 10_000,
      flushPeriodMs: 300,
    });
    await capture.start();
    await listener.until(() => listener.scrapes.length === 2);
    handler = FAULTS.hanging();
    const before = performance.now();
    await capture.stop();
    expect(performance.now() - before).toBeLessThan(1000);
    expect(listener.scrapes[2]?.error?.message).toMatch(/did not answer \/metrics within 0\.3 s/);
  });

  it("a scrape that hangs when the end comes is a gap with its reason, not a silent hole", async () => {
    let handler: Handler = healthy();
    let asked = () => {};
    const askedInVain = new Promise<void>((resolve) => (asked = resolve));
    const { origin } = await server((request, response) => handler(request, response));
    const { collector: capture, listener } = collector([target(`${origin}/metrics`, { answered: true })], {
      intervalMs: 50,
      scrapeTimeoutMs: 60_000,
      flushPeriodMs: 200,
    });
    await capture.start();
    await listener.until(() => listener.scrapes.length === 2);
    handler = () => asked();
    await askedInVain;
    await capture.stop();
    const last = listener.scrapes.at(-1)!;
    expect(last.error).toMatchObject({
      type: "timeout",
      message: expect.stringMatching(/did not answer \/metrics within [\d.]+ s/) as string,
    });
    expect(capture.status()[0]).toMatchObject({ state: "failing", failures: 1 });
  });

  it("stop() settles with a scrape hanging, twice, and at once when aborted; nothing is heard afterwards", async () => {
    const { origin } = await server(FAULTS.hanging());
    const { collector: capture, listener } = collector([target(`${origin}/metrics`)], {
      flushPeriodMs: 60_000,
      scrapeTimeoutMs: 60_000,
    });
    await capture.start();
    const controller = new AbortController();
    const stopped = capture.stop(controller.signal);
    controller.abort();
    await stopped;
    await capture.stop();
    expect(listener.scrapes).toEqual([]);
  });

  it("start() rejects when aborted, and the collector has ended", async () => {
    const { origin, requests } = await server(FAULTS.hanging());
    const { collector: capture } = collector([target(`${origin}/metrics`, { answered: true })], {
      flushPeriodMs: 60_000,
    });
    const controller = new AbortController();
    const started = capture.start(controller.signal);
    controller.abort();
    await expect(started).rejects.toMatchObject({ name: "AbortError" });
    await capture.stop();
    expect(requests.length).toBeLessThanOrEqual(1);
  });

  it("an endpoint taken out at run time is scraped no more, the others are", async () => {
    const one = await server(healthy());
    const two = await server(healthy());
    const { collector: capture, listener } = collector(
      [target(`${one.origin}/metrics`), target(`${two.origin}/metrics`)],
      { intervalMs: 20 },
    );
    await capture.start();
    await listener.until(() => listener.of(`${one.origin}/metrics`).length > 1);
    capture.removeEndpoint(`${one.origin}/metrics`);
    const asked = listener.of(`${one.origin}/metrics`).length;
    const more = listener.of(`${two.origin}/metrics`).length + 5;
    await listener.until(() => listener.of(`${two.origin}/metrics`).length > more);
    expect(listener.of(`${one.origin}/metrics`)).toHaveLength(asked);
    expect(capture.status().map(({ url }) => url)).toEqual([`${two.origin}/metrics`]);
  });
});
