import { gzipSync } from "node:zlib";
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { DEFAULT_LIMITS } from "../../src/core/model/index.js";
import { ByteBuffer } from "../../src/core/bytes/index.js";
import { captures, target } from "../support/collecting.js";
import { FakeTime, settlePromises } from "../support/fake-time.js";
import { exposition, FAULTS, healthy, refusedPort, respond, serveRaw, TEXT_FORMAT } from "../support/faulty-server.js";

const { open, server, collector } = captures();

/** A clock that a test moves, and that says when it is looked at: bytes that arrive are given their time then. */
class WatchedTime extends FakeTime {
  private looked: (() => void)[] = [];

  override now() {
    for (const tell of this.looked.splice(0)) tell();
    return super.now();
  }

  /** Settles when somebody looks at the clock. */
  nextLook(): Promise<void> {
    return new Promise((resolve) => this.looked.push(resolve));
  }
}

it("a collector delivers nothing of an endpoint that was removed while its body was being decoded", async () => {
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
  const view = Object.getOwnPropertyDescriptor(ByteBuffer.prototype, "view");
  // A complete body is looked at to be decoded.
  const spy = vi.spyOn(ByteBuffer.prototype, "view", "get").mockImplementation(function (this: ByteBuffer) {
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
    const time = new WatchedTime();
    const answer = async (response: ServerResponse) => {
      time.hold(120);
      const arrived = time.nextLook();
      response.writeHead(200, { "content-type": TEXT_FORMAT });
      response.write(exposition(1).slice(0, 50));
      await arrived;
      time.hold(150);
      response.end(exposition(1).slice(50));
    };
    const { origin } = await server((_, response) => void answer(response));
    const { collector: capture, listener } = collector([target(`${origin}/metrics`, { answered: true })], {}, time);
    const before = time.now();
    await capture.start();
    const [scrape] = listener.scrapes;
    const ms = (from: bigint, to: bigint) => Number(to - from) / 1e6;
    expect(ms(before, scrape!.requestSent)).toBe(0);
    expect(ms(scrape!.requestSent, scrape!.time)).toBe(120);
    expect(scrape!.latency / 1e6).toBe(270);
    expect(capture.status()[0]?.latencyMs).toBe(270);
  });

  it("counts from the first byte even when the headers are not complete yet", async () => {
    const time = new WatchedTime();
    const body = exposition(1);
    const answer = async (socket: Socket) => {
      time.hold(10);
      const arrived = time.nextLook();
      socket.write("HTTP/1.1 200 OK\r\n");
      await arrived;
      time.hold(200);
      socket.write(`Content-Type: ${TEXT_FORMAT}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    };
    const slow = await serveRaw((socket) => void answer(socket));
    open.push(slow);
    const { collector: capture, listener } = collector(
      [target(`${slow.origin}/metrics`, { answered: true })],
      {},
      time,
    );
    await capture.start();
    const [scrape] = listener.scrapes;
    expect(Number(scrape!.time - scrape!.requestSent) / 1e6).toBe(10);
    expect(scrape!.latency / 1e6).toBe(210);
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

  it("a suspended machine is a gap that says so, and none of its ticks was missed", async () => {
    const time = new FakeTime();
    const { origin } = await server(healthy());
    const { collector: capture, listener } = collector([target(`${origin}/metrics`, { answered: true })], {}, time);
    const start = await capture.start();
    await time.advance(0);
    await listener.until(() => listener.scrapes.length === 2);
    await settlePromises();
    time.suspend(3_600_000);
    await time.advance(50);
    await listener.until(() => listener.scrapes.length === 4);
    await settlePromises();
    const [, , gap, next] = listener.scrapes;
    expect(gap?.error).toEqual({ type: "suspended", message: "This machine was suspended for 3600.0 s." });
    expect(Number(gap!.time - start) / 1e6).toBe(50);
    expect(Number(next!.time - start) / 1e6).toBeGreaterThanOrEqual(3_600_000);
    expect(next?.kind).toBe("samples");
    expect(capture.status()).toMatchObject([{ scrapes: 3, failures: 1, missedTicks: 0, missedTicksHere: 0 }]);
  });

  it("an endpoint that hangs delays no other, neither the start nor a tick", async () => {
    const time = new FakeTime();
    const good = await server(healthy());
    const bad = await server(FAULTS.hanging());
    const targets = [
      target(`${bad.origin}/metrics`, { answered: true }),
      target(`${good.origin}/metrics`, { answered: true }),
    ];
    const { collector: capture, listener } = collector(
      targets,
      { scrapeTimeoutMs: 5000, flushPeriodMs: 100, intervalMs: 50 },
      time,
    );
    const called = time.now();
    const started = capture.start();
    const url = `${good.origin}/metrics`;
    await listener.until(() => listener.of(url).length === 1);
    await time.advance(100);
    const start = await started;
    expect(Number(start - called) / 1e6).toBe(100);
    for (let tick = 0; tick < 20; tick++) {
      await time.advance(tick === 0 ? 0 : 50);
      await listener.until(() => listener.of(url).length === tick + 2);
      await settlePromises();
    }
    const ticks = listener
      .of(url)
      .slice(1)
      .map((scrape) => Number(scrape.time - start) / 1e6 / 50);
    expect(ticks).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(capture.status()[1]!.missedTicks).toBe(0);
    expect(listener.of(targets[0]!.url)).toEqual([]);
  });

  it("a scrape that is late skips ticks and counts them, with one request in flight", async () => {
    const time = new FakeTime();
    let inFlight = 0;
    let most = 0;
    let n = 0;
    const answer = async (response: ServerResponse) => {
      most = Math.max(most, ++inFlight);
      await time.advance(130);
      inFlight--;
      respond(response, 200, TEXT_FORMAT, exposition(++n));
    };
    const { origin } = await server((_, response) => void answer(response));
    const { collector: capture, listener } = collector(
      [target(`${origin}/metrics`, { answered: true })],
      { intervalMs: 50, flushPeriodMs: 1000 },
      time,
    );
    await capture.start();
    for (let scrapes = 1; scrapes <= 6; scrapes++) {
      // To the next tick: the first is due at the start.
      await time.advance(scrapes === 1 ? 0 : 20);
      await listener.until(() => listener.scrapes.length === scrapes + 1);
      await settlePromises();
    }
    expect(most).toBe(1);
    // After the baseline each scrape takes three ticks: two of them are missed.
    expect(capture.status()[0]!.missedTicks).toBe(12);
  });

  it("tries an endpoint that has never answered after growing pauses, and takes it in when it answers", async () => {
    const port = await refusedPort();
    const url = `http://127.0.0.1:${port}/metrics`;
    const time = new FakeTime();
    const { collector: capture, listener } = collector([target(url)], { intervalMs: 20 }, time);
    const start = await capture.start();
    await listener.until(() => listener.scrapes.length === 1);
    await settlePromises();
    // After the baseline comes tick 0 at once; from then on each pause is twice as long.
    const begun: number[] = [];
    for (const pauseMs of [0, 40, 80, 160, 320]) {
      const before = listener.scrapes.length;
      await time.advance(pauseMs);
      await listener.until(() => listener.scrapes.length > before);
      await settlePromises();
      begun.push(Number((listener.scrapes.at(-1)?.requestSent ?? start) - start) / 1e6);
    }
    expect(begun).toEqual([0, 40, 120, 280, 600]);
    expect(capture.status()[0]).toMatchObject({ state: "failing" });
    await server(healthy(), port);
    capture.retryNow(url);
    await listener.until(() => listener.scrapes.some(({ kind }) => kind === "samples"));
    expect(capture.status()[0]).toMatchObject({ state: "up", problems: [] });
  });

  it("tries one that has answered before at every tick", async () => {
    const first = await server(healthy());
    const url = `${first.origin}/metrics`;
    const time = new FakeTime();
    const { collector: capture, listener } = collector([target(url, { answered: true })], { intervalMs: 30 }, time);
    const start = await capture.start();
    const tick = async () => {
      const before = listener.scrapes.length;
      // The baseline came before tick 0.
      await time.advance(before === 1 ? 0 : 30);
      await listener.until(() => listener.scrapes.length > before);
      await settlePromises();
    };
    for (let i = 0; i < 2; i++) await tick();
    await first.close();
    for (let i = 0; i < 10; i++) await tick();
    await server(healthy(), first.port);
    await tick();
    const kinds = [...Array<string>(3).fill("samples"), ...Array<string>(10).fill("failed"), "samples"];
    expect(listener.scrapes.map(({ kind }) => kind)).toEqual(kinds);
    expect(Number(listener.scrapes.at(-1)!.time - start) / 1e6).toBe(12 * 30);
    expect(capture.status()[0]).toMatchObject({ state: "up", missedTicks: 0 });
  });
});

it("a collector calls a body that is byte for byte the last good one a duplicate", async () => {
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

it("a collector calls a compressed body that repeats the last one a duplicate, too", async () => {
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

it("a collector leaves out families by pattern", async () => {
  const { origin } = await server(healthy());
  const { collector: capture, listener } = collector([target(`${origin}/metrics`)], { exclude: ["*_tokens"] });
  await capture.start();
  await listener.until(() => listener.scrapes.length >= 1);
  expect([...listener.scrapes[0]!.samples.keys()]).toEqual(["vllm:num_requests_running"]);
});

it("a collector sends the endpoint's own headers, and asks a server on this machine not to compress", async () => {
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
