import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { exportFolder, existingNames } from "../../../src/extension/capture/export-folder.js";
import { DiskFollower, type DiskStamp } from "../../../src/extension/editors/disk-follower.js";
import type { SeriesId } from "../../../src/core/model/index.js";
import type { ViewLayout } from "../../../src/protocol/index.js";
import { loadRunLayout, saveRunLayout } from "../../../src/extension/view/layouts.js";

describe("a file followed on disk", () => {
  let stamp: DiskStamp | undefined;
  let said: string[];
  let follower: DiskFollower;

  beforeEach(() => {
    vi.useFakeTimers();
    said = [];
    stamp = { mtimeMs: 1, bytes: 10 };
    follower = new DiskFollower({
      stamp: () => Promise.resolve(stamp),
      onChanged: () => said.push("changed"),
      onDeleted: () => said.push("deleted"),
      onTrouble: (error) => said.push(String(error)),
    });
  });
  afterEach(() => {
    follower.dispose();
    vi.useRealTimers();
  });

  const happens = async (to: DiskStamp | undefined): Promise<void> => {
    stamp = to;
    follower.look();
    await vi.advanceTimersByTimeAsync(1000);
  };

  it("is not said to have changed when it has not", async () => {
    await happens(stamp);
    expect(said).toEqual([]);
  });

  it("is said to have changed once, however long it is written to, and again after it was read anew", async () => {
    for (let bytes = 11; bytes < 40; bytes++) await happens({ mtimeMs: bytes, bytes });
    expect(said).toEqual(["changed"]);
    follower.restart();
    await happens(stamp);
    expect(said).toEqual(["changed"]);
    await happens({ mtimeMs: 50, bytes: 50 });
    expect(said).toEqual(["changed", "changed"]);
  });

  it("may be away for the moment in which it is replaced", async () => {
    stamp = undefined;
    follower.look();
    await vi.advanceTimersByTimeAsync(100);
    stamp = { mtimeMs: 2, bytes: 10 };
    follower.look();
    await vi.advanceTimersByTimeAsync(1000);
    expect(said).toEqual(["changed"]);
  });

  it("is said to have been deleted once; back as it was there is nothing to say", async () => {
    const before = stamp;
    await happens(undefined);
    await happens(undefined);
    await happens(before);
    expect(said).toEqual(["deleted"]);
    await happens({ mtimeMs: 3, bytes: 3 });
    expect(said).toEqual(["deleted", "changed"]);
  });

  it("that was not there when it was opened has changed when it comes", async () => {
    stamp = undefined;
    follower.restart();
    await happens(undefined);
    expect(said).toEqual([]);
    await happens({ mtimeMs: 1, bytes: 1 });
    expect(said).toEqual(["changed"]);
  });

  it("is silent once it is closed", async () => {
    stamp = undefined;
    follower.look();
    follower.dispose();
    await vi.advanceTimersByTimeAsync(1000);
    expect(said).toEqual([]);
  });
});

describe("layouts of runs", () => {
  function memento() {
    const values = new Map<string, unknown>();
    return {
      get: <T>(key: string, fallback?: T): T => (values.has(key) ? structuredClone(values.get(key)) : fallback) as T,
      update: (key: string, value: unknown) => {
        values.set(key, structuredClone(value));
        return Promise.resolve();
      },
    };
  }

  it("are kept by run, the latest of each", async () => {
    const state = memento();
    expect(loadRunLayout(state, "a", "capture")).toBeNull();
    await saveRunLayout(state, "a", "capture", { charts: [{ family: "x" }], tab: "charts" });
    await saveRunLayout(state, "b", "capture", { charts: [], tab: "statistics" });
    await saveRunLayout(state, "a", "capture", { charts: [{ family: "y" }], tab: "charts" });
    expect(loadRunLayout(state, "a", "capture")).toEqual({ charts: [{ family: "y" }], tab: "charts" });
    expect(loadRunLayout(state, "b", "capture")).toEqual({ charts: [], tab: "statistics" });
  });

  it("keep charts, modes, pins and zoom from live to saved; chosen series have other ids in another file", async () => {
    const state = memento();
    const layout: ViewLayout = {
      charts: [
        { family: "x", mode: "heatmap", series: [3 as SeriesId] },
        { family: "x", mode: "heatmap", series: [4 as SeriesId] },
        { family: "y" },
      ],
      tab: "charts",
      pinned: ["y"],
      zoom: { from: 5, to: 9 },
    };
    await saveRunLayout(state, "a", "capture", layout);
    expect(loadRunLayout(state, "a", "capture")).toEqual(layout);
    expect(loadRunLayout(state, "a", "/r/server_metrics_export.parquet")).toEqual({
      ...layout,
      charts: [{ family: "x", mode: "heatmap" }, { family: "y" }],
    });
  });

  it("of runs not touched for long are forgotten", async () => {
    const state = memento();
    const layout = { charts: [], tab: "charts" };
    await saveRunLayout(state, "old", "f", layout);
    await saveRunLayout(state, "used", "f", layout);
    for (let i = 0; i < 199; i++) await saveRunLayout(state, `run ${i}`, "f", layout);
    expect(loadRunLayout(state, "old", "f")).toBeNull();
    expect(loadRunLayout(state, "used", "f")).toEqual(layout);
  });
});

describe("the folder proposed for an export", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-export-folder-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("is the file's own, unless something there would be replaced", async () => {
    const file = path.join(folder, "server_metrics_export.jsonl");
    await writeFile(file, "");
    expect(await exportFolder(folder, ["server_metrics_export.json"])).toBe(folder);
    expect(await exportFolder(folder, ["server_metrics_export.json", "server_metrics_export.jsonl"])).toBe(
      path.join(folder, "export"),
    );
    await mkdir(path.join(folder, "export"));
    expect(await exportFolder(folder, ["server_metrics_export.jsonl"])).toBe(path.join(folder, "export"));
    await writeFile(path.join(folder, "export", "server_metrics_export.jsonl"), "");
    expect(await exportFolder(folder, ["server_metrics_export.jsonl"])).toBe(path.join(folder, "export-2"));
    expect(await existingNames(folder, ["server_metrics_export.jsonl", "server_metrics_export.json"])).toEqual([
      "server_metrics_export.jsonl",
    ]);
  });
});
