import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Pushes } from "../../../src/engine/pushes.js";
import type { Subject } from "../../../src/engine/subjects/subject.js";
import type { ChannelServer, EngineEvents, EngineRequests } from "../../../src/protocol/index.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** Pushes of a run that grows by itself and whose tiles take `tilesMs` to read; the moments of its headers, in ms. */
function pushing(tilesMs: number) {
  const moments: number[] = [];
  const subject = {
    answers: { seriesCount: 1, families: () => [] },
    tiles: { latest: [] as readonly object[] },
    isLive: true,
    header: () => ({}),
    advance: () => Promise.resolve(true),
    readTiles: async () => {
      await new Promise((resolve) => setTimeout(resolve, tilesMs));
      subject.tiles.latest = [{}];
    },
  };
  const begun = performance.now();
  const server = {
    emit: (event: keyof EngineEvents) => void (event === "progress" && moments.push(performance.now() - begun)),
  };
  const pushes = new Pushes(
    server as unknown as ChannelServer<EngineRequests, EngineEvents>,
    () => subject as unknown as Subject,
  );
  return { pushes, moments };
}

it("come once a second, and as often when the tiles take a part of it", async () => {
  const { pushes, moments } = pushing(300);
  pushes.start();
  await vi.advanceTimersByTimeAsync(5500);
  expect(moments).toEqual([1300, 2300, 3300, 4300, 5300]);
  pushes.stop();
  await vi.advanceTimersByTimeAsync(5000);
  expect(moments).toHaveLength(5);
});

it("follow one another without a pile of late ones when the tiles take longer than a second", async () => {
  const { pushes, moments } = pushing(2500);
  pushes.start();
  await vi.advanceTimersByTimeAsync(9000);
  // Each begins as soon as the one before has ended: a timer takes a millisecond at least.
  expect(moments).toEqual([3500, 6001, 8502]);
  pushes.stop();
});
