import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Tile } from "../../../src/core/query/index.js";
import { LiveTiles } from "../../../src/engine/capture/live-tiles.js";

const tile = (id: string): Tile => ({
  id,
  server: "vLLM",
  title: id,
  family: `vllm:${id}`,
  statistic: "avg",
  direction: "neutral",
  watch: "none",
  value: 1,
  sparkline: new Float64Array(0),
});
const [running, waiting, usage] = ["running", "waiting", "usage"].map(tile) as [Tile, Tile, Tile];

describe("tiles that take long to read", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
  afterEach(() => void vi.useRealTimers());

  it("are shown and pushed as they come, and no more often than four times a second", async () => {
    const pushed: (readonly Tile[])[] = [];
    const tiles = new LiveTiles(
      (_, onSome) => {
        onSome([running]);
        vi.advanceTimersByTime(300);
        onSome([running, waiting]);
        return Promise.resolve([running, waiting, usage]);
      },
      [],
      () => pushed.push(tiles.latest),
    );
    await tiles.readNow();
    expect(pushed).toEqual([
      [running, waiting],
      [running, waiting, usage],
    ]);
  });

  it("are not shown any more when another reading has taken their place", async () => {
    let shown = 0;
    let open: (tiles: readonly Tile[]) => void = () => undefined;
    const gate = new Promise<readonly Tile[]>((resolve) => (open = resolve));
    const readings = [gate, Promise.resolve([usage])];
    const tiles = new LiveTiles(
      () => readings.shift() ?? Promise.resolve([]),
      [],
      () => shown++,
    );
    const first = tiles.readNow();
    const second = tiles.readNow();
    open([running]);
    await Promise.all([first, second]);
    expect(tiles.latest).toEqual([usage]);
    expect(shown).toBe(1);
  });
});
