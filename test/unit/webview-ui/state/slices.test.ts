import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import type { RunHeader } from "../../../../src/protocol/index.js";
import type { ViewClient } from "../../../../webview-ui/channel.js";
import { EMPTY_LAYOUT, type Layout } from "../../../../webview-ui/state/layout.js";
import { followSlices } from "../../../../webview-ui/state/layout-store.js";
import { runHeader } from "../../../support/run-header.js";

const headerOf = (sliceDurationSeconds: number, state: RunHeader["state"] = "opened"): RunHeader =>
  runHeader({ state, sliceDurationSeconds });

function followed(sliceSeconds: number | undefined, state?: RunHeader["state"], fail = false) {
  const asked: unknown[] = [];
  const chosen: (number | undefined)[] = [];
  const header = signal<RunHeader | undefined>(headerOf(5, state));
  const layout = signal<Layout>(sliceSeconds === undefined ? EMPTY_LAYOUT : { ...EMPTY_LAYOUT, sliceSeconds });
  let answered: Promise<null> = Promise.resolve(null);
  const call = (_name: string, params: unknown) => {
    asked.push(params);
    return (answered = fail ? Promise.reject(new Error("no")) : Promise.resolve(null));
  };
  followSlices({ client: { call } as unknown as ViewClient, header }, layout, signal(true), (seconds) =>
    chosen.push(seconds),
  );
  return { asked, chosen, header, settled: () => answered.catch(() => undefined) };
}

describe("the slice length of a saved run", () => {
  it("is applied once when the run is opened again, and what the user chooses then is noted", async () => {
    const { asked, chosen, header, settled } = followed(2);
    expect(asked).toEqual([{ sliceSeconds: 2 }]);
    header.value = headerOf(5);
    await settled();
    header.value = headerOf(2);
    expect(chosen).toEqual([]);
    header.value = headerOf(10);
    expect([asked.length, chosen]).toEqual([1, [10]]);
  });

  it("is forgotten when the run cannot be cut so", async () => {
    const { chosen, settled } = followed(2, "opened", true);
    await settled();
    await Promise.resolve();
    expect(chosen).toEqual([undefined]);
  });

  it("is none of a capture's business", () => {
    expect(followed(2, "stopped").asked).toEqual([]);
    expect(followed(undefined).asked).toEqual([]);
  });
});
