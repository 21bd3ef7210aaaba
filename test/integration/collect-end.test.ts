import { describe, expect, it } from "vitest";
import { MonotonicClock } from "../../src/collect/index.js";
import { captures, target } from "../support/collecting.js";
import { FakeTime } from "../support/fake-time.js";
import { exposition, FAULTS, healthy, respond, TEXT_FORMAT, type Handler } from "../support/faulty-server.js";

const { server, collector } = captures();

describe("the end of a capture", () => {
  it("makes one final scrape after the end of every endpoint that answered", async () => {
    const time = new MonotonicClock();
    const { origin, requests } = await server(healthy());
    const { collector: capture, listener } = collector(
      [target(`${origin}/metrics`, { answered: true })],
      { intervalMs: 10_000 },
      time,
    );
    await capture.start();
    await listener.until(() => listener.scrapes.length === 2);
    const end = time.now();
    await capture.stop();
    expect(listener.scrapes).toHaveLength(3);
    expect(listener.scrapes[2]!.time).toBeGreaterThan(end);
    expect(requests).toHaveLength(3);
    expect(capture.status()[0]).toMatchObject({ state: "up", scrapes: 3 });
  });

  it("waits for a scrape under way, then makes the final one", async () => {
    let n = 0;
    let answer = () => {};
    let asked = () => {};
    const secondAsked = new Promise<void>((resolve) => (asked = resolve));
    const { origin } = await server((_, response) => {
      const respondNow = () => respond(response, 200, TEXT_FORMAT, exposition(n));
      if (++n !== 2) return respondNow();
      answer = respondNow;
      asked();
    });
    const { collector: capture, listener } = collector([target(`${origin}/metrics`, { answered: true })], {
      intervalMs: 10_000,
      scrapeTimeoutMs: 60_000,
      flushPeriodMs: 60_000,
    });
    await capture.start();
    await secondAsked;
    expect(listener.scrapes).toHaveLength(1);
    const stopped = capture.stop();
    answer();
    await stopped;
    expect(listener.scrapes.map(({ kind }) => kind)).toEqual(["samples", "samples", "samples"]);
  });

  it("does not wait longer than the flush period for a hanging endpoint, and says so", async () => {
    const time = new FakeTime();
    let handler: Handler = healthy();
    const { origin } = await server((request, response) => handler(request, response));
    const { collector: capture, listener } = collector(
      [target(`${origin}/metrics`, { answered: true })],
      { intervalMs: 10_000, scrapeTimeoutMs: 60_000, flushPeriodMs: 300 },
      time,
    );
    await capture.start();
    await time.advance(0);
    await listener.until(() => listener.scrapes.length === 2);
    let asked = () => {};
    const askedInVain = new Promise<void>((resolve) => (asked = resolve));
    handler = () => asked();
    const stopped = capture.stop();
    await askedInVain;
    await time.advance(300);
    await stopped;
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
      message: expect.stringMatching(/did not answer \/metrics by the end of the flush period/) as string,
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
