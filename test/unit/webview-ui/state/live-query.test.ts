import { signal } from "@preact/signals";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { UserError } from "../../../../src/core/text/errors.js";
import type { ProgressListener } from "../../../../src/protocol/index.js";
import { liveQuery } from "../../../../webview-ui/state/live-query.js";

/** Questions that are answered by hand. */
function questions() {
  const open: {
    answer: (value: number) => Promise<void>;
    report: ProgressListener;
    fail: (error: Error) => Promise<void>;
    signal: AbortSignal;
  }[] = [];
  const settle = async () => {
    for (let i = 0; i < 5; i++) await Promise.resolve();
  };
  const ask = (abort: AbortSignal, report: ProgressListener) =>
    new Promise<number>((resolve, reject) => {
      open.push({
        signal: abort,
        report,
        answer: (value) => (resolve(value), settle()),
        fail: (error) => (reject(error), settle()),
      });
    });
  return { open, ask };
}

describe("a live question", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("is asked at once when earlier answers are no longer true, even in the pause after one", async () => {
    const { open, ask } = questions();
    const pace = { tick: signal(0), visible: signal(true), renewal: signal(0), minIntervalMs: 5000 };
    const query = liveQuery(ask, pace);
    await open[0]?.answer(1);
    pace.tick.value++;
    expect(open).toHaveLength(1);
    pace.renewal.value++;
    expect(open).toHaveLength(2);
    // While a question is on its way: right after its answer, and once.
    pace.renewal.value++;
    pace.tick.value++;
    expect(open).toHaveLength(2);
    await open[1]?.answer(2);
    expect(open).toHaveLength(3);
    await open[2]?.answer(3);
    pace.tick.value++;
    expect(open).toHaveLength(3);
    query.dispose();
  });

  it("says how far its first answer is, and keeps what is known in sight when it is asked again", async () => {
    const { open, ask } = questions();
    const query = liveQuery(ask, { tick: signal(0), visible: signal(true), minIntervalMs: 1000 });
    open[0]?.report({ done: 4, of: 9, steps: "metrics" });
    expect(query.state.value).toEqual({ kind: "loading", progress: { done: 4, of: 9, steps: "metrics" } });
    await open[0]?.answer(1);
    open[0]?.report({ done: 9, of: 9, steps: "metrics" });
    expect(query.state.value).toEqual({ kind: "ready", value: 1 });
    query.dispose();
  });

  it("is asked at once, then with progress, one at a time and never too soon", async () => {
    const { open, ask } = questions();
    const pace = { tick: signal(0), visible: signal(true), minIntervalMs: 1000 };
    const query = liveQuery(ask, pace);
    expect(open).toHaveLength(1);
    pace.tick.value++;
    pace.tick.value++;
    expect(open).toHaveLength(1);
    await open[0]?.answer(1);
    expect(query.state.value).toEqual({ kind: "ready", value: 1 });
    vi.advanceTimersByTime(999);
    expect(open).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(open).toHaveLength(2);
    await open[1]?.answer(2);
    vi.advanceTimersByTime(60_000);
    expect(open, "no progress, no question").toHaveLength(2);
    query.dispose();
  });

  it("waits while invisible and catches up once", () => {
    const { open, ask } = questions();
    const pace = { tick: signal(0), visible: signal(false), minIntervalMs: 0 };
    const query = liveQuery(ask, pace);
    pace.tick.value += 5;
    expect(open).toHaveLength(0);
    pace.visible.value = true;
    expect(open).toHaveLength(1);
    query.dispose();
  });

  it("keeps what is known when it fails, and says why", async () => {
    const { open, ask } = questions();
    const pace = { tick: signal(0), visible: signal(true), minIntervalMs: 0 };
    const query = liveQuery(ask, pace);
    await open[0]?.answer(1);
    pace.tick.value++;
    await open[1]?.fail(new UserError("the engine is gone", "reload", { code: "gone" }));
    expect(query.state.value).toEqual({
      kind: "failed",
      error: { code: "gone", message: "the engine is gone", remedy: "reload" },
      last: 1,
    });
    query.retry();
    expect(query.state.value).toEqual({ kind: "loading", last: 1 });
    await open[2]?.answer(3);
    expect(query.state.value).toEqual({ kind: "ready", value: 3 });
    query.dispose();
  });

  it("gives up what is asked when its view goes", async () => {
    const { open, ask } = questions();
    const pace = { tick: signal(0), visible: signal(true), minIntervalMs: 0 };
    const query = liveQuery(ask, pace);
    query.dispose();
    expect(open[0]?.signal.aborted).toBe(true);
    await open[0]?.answer(9);
    pace.tick.value++;
    expect(query.state.value).toEqual({ kind: "loading" });
    expect(open).toHaveLength(1);
  });
});
