import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runInIdleTime, runSteps } from "../../../src/engine/stepper.js";

/** Work of so many steps of 5 ms each, which notes when it steps. */
function* work(name: string, steps: number, log: string[]): Generator<void, string> {
  for (let i = 0; i < steps; i++) {
    vi.advanceTimersByTime(5);
    log.push(name);
    yield;
  }
  return name;
}

describe("work in idle time", () => {
  // What takes time is the work alone, however busy the machine is.
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
  afterEach(() => void vi.useRealTimers());

  it("begins when what is in front is done, although it was asked for first", async () => {
    const log: string[] = [];
    const findings = runInIdleTime(work("findings", 6, log));
    const tables = runSteps(work("tables", 6, log));
    expect(await Promise.all([findings, tables])).toEqual(["findings", "tables"]);
    expect(log).toEqual([...Array<string>(6).fill("tables"), ...Array<string>(6).fill("findings")]);
  });

  it("ends although other work goes on without end", async () => {
    const log: string[] = [];
    const abort = new AbortController();
    const endless = runSteps(work("tables", Infinity, log), abort.signal);
    const ended = expect(endless).rejects.toThrow("cancelled");
    expect(await runInIdleTime(work("findings", 4, log))).toBe("findings");
    abort.abort();
    await ended;
  });

  it("ends with its signal while it waits", async () => {
    const abort = new AbortController();
    abort.abort();
    await expect(runInIdleTime(work("findings", 1, []), abort.signal)).rejects.toThrow("cancelled");
  });
});
