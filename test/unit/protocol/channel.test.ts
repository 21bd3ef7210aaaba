import { describe, expect, it } from "vitest";
import { UserError } from "../../../src/core/text/errors.js";
import {
  ChannelClient,
  ChannelServer,
  type Handlers,
  type ProgressListener,
  type RequestProgress,
} from "../../../src/protocol/index.js";
import { pipe } from "../../support/pipe.js";

interface Requests {
  double: { params: { readonly n: number }; result: number };
  wait: { params: Record<string, never>; result: null };
  fail: { params: { readonly how: "described" | "error" | "value" | "abort" }; result: null };
}
interface Events {
  tick: { readonly n: number };
}

function channel(more: Partial<Handlers<Requests>> = {}) {
  const [view, own] = pipe();
  const signals: AbortSignal[] = [];
  const server = new ChannelServer<Requests, Events>(own, {
    double: ({ n }) => 2 * n,
    wait: (_, signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    },
    fail: ({ how }) => {
      if (how === "described") throw new UserError("the disk is full", "Free it.", { code: "full" });
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- whatever a library throws
      if (how === "value") throw "just text";
      throw how === "abort" ? new DOMException("given up", "AbortError") : new TypeError("x is undefined");
    },
    ...more,
  });
  const client = new ChannelClient<Requests, Events>(view);
  /** The other side has received all that was sent before. */
  const arrived = () => client.call("double", { n: 0 });
  return { client, server, signals, arrived };
}

describe("a request", () => {
  it("is answered with its own value, whatever the order of answers", async () => {
    const slow: (() => void)[] = [];
    const { client } = channel({
      double: ({ n }) => new Promise((resolve) => (n === 1 ? slow.push(() => resolve(2)) : resolve(2 * n))),
    });
    const first = client.call("double", { n: 1 });
    expect(await client.call("double", { n: 21 })).toBe(42);
    slow[0]?.();
    expect(await first).toBe(2);
  });

  it("is not answered with what its page's predecessor had asked", async () => {
    const [view, own] = pipe();
    const slow: (() => void)[] = [];
    new ChannelServer<Pick<Requests, "double">, Events>(own, {
      double: ({ n }) => new Promise((resolve) => slow.push(() => resolve(2 * n))),
    });
    const page = () => new ChannelClient<Pick<Requests, "double">, Events>(view);
    void page().call("double", { n: 1 });
    const answer = page().call("double", { n: 21 });
    await expect.poll(() => slow.length).toBe(2);
    for (const settle of slow) settle();
    expect(await answer).toBe(42);
  });

  it("is rejected as the other side describes it, with code internal for what it did not expect", async () => {
    const { client } = channel();
    const rejection = (how: Requests["fail"]["params"]["how"]) =>
      client.call("fail", { how }).catch((error: unknown) => error);
    expect(await rejection("described")).toMatchObject({
      code: "full",
      message: "the disk is full",
      remedy: "Free it.",
    });
    expect(await rejection("error")).toMatchObject({ code: "internal", message: "x is undefined" });
    expect(await rejection("value")).toMatchObject({ code: "internal", message: "just text" });
    expect(await rejection("abort")).toMatchObject({ code: "cancelled" });
    expect(await rejection("described")).toBeInstanceOf(UserError);
  });

  it("that nobody handles is rejected", async () => {
    const { client } = channel();
    const call = client.call("missing" as "double", { n: 1 });
    await expect(call).rejects.toMatchObject({ code: "unknown-request", message: 'no handler for request "missing"' });
  });

  it("that cannot be copied is rejected, and others are answered", async () => {
    const { client } = channel();
    await expect(client.call("double", { n: (() => 1) as unknown as number })).rejects.toThrow();
    expect(await client.call("double", { n: 2 })).toBe(4);
  });

  it("settles at once when it is cancelled, and the other side hears of it", async () => {
    const { client, signals, arrived } = channel();
    const controller = new AbortController();
    const call = client.call("wait", {}, controller.signal);
    await arrived();
    expect(signals[0]?.aborted).toBe(false);
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: "cancelled", message: "wait was cancelled" });
    await arrived();
    expect(signals[0]?.aborted).toBe(true);
    await expect(client.call("wait", {}, controller.signal)).rejects.toMatchObject({ code: "cancelled" });
    await arrived();
    expect(signals).toHaveLength(1);
  });

  it("tells how far it is until it settles", async () => {
    const reports: ProgressListener[] = [];
    const { client, arrived } = channel({
      double: ({ n }, _signal, report) => {
        if (n !== 5) return 0;
        reports.push(report);
        report({ done: 1, of: 2, steps: "metrics" });
        return 10;
      },
    });
    const received: RequestProgress[] = [];
    await client.call("double", { n: 5 }, undefined, (progress) => received.push(progress));
    expect(received).toEqual([{ done: 1, of: 2, steps: "metrics" }]);
    reports[0]?.({ done: 2, of: 2, steps: "metrics" });
    await arrived();
    expect(received).toHaveLength(1);
  });
});

describe("the end of a channel", () => {
  it("rejects what waits and what is asked later, with its first reason", async () => {
    const { client } = channel();
    const waiting = client.call("wait", {});
    client.dispose({ code: "engine-ended", message: "the engine ended unexpectedly: out of memory" });
    client.dispose();
    const reason = { code: "engine-ended", message: "the engine ended unexpectedly: out of memory" };
    await expect(waiting).rejects.toMatchObject(reason);
    await expect(client.call("double", { n: 1 })).rejects.toMatchObject(reason);
  });

  it("is a disposal when nothing else is said", async () => {
    const { client } = channel();
    client.dispose();
    await expect(client.call("double", { n: 1 })).rejects.toMatchObject({ code: "disposed" });
  });

  it("on the answering side aborts what is under way and posts nothing any more", async () => {
    const { client, server, signals, arrived } = channel();
    const settled: string[] = [];
    client.call("wait", {}).then(
      () => settled.push("answered"),
      () => settled.push("rejected"),
    );
    await arrived();
    server.dispose();
    expect(signals[0]?.aborted).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
    expect(settled).toEqual([]);
    client.dispose();
  });
});

it("an event reaches every listener until it is taken away", async () => {
  const { client, server, arrived } = channel();
  const heard: string[] = [];
  const stop = client.on("tick", ({ n }) => heard.push(`a${n}`));
  client.on("tick", ({ n }) => heard.push(`b${n}`));
  server.emit("tick", { n: 1 });
  await arrived();
  stop();
  server.emit("tick", { n: 2 });
  await arrived();
  expect(heard).toEqual(["a1", "b1", "b2"]);
});
