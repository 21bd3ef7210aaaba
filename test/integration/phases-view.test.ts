import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StatisticsTable } from "../../src/protocol/index.js";
import { engineInThread as engine } from "../support/engine-in-thread.js";
import { writePhasedRun } from "../support/phased-run.js";

function cell(table: StatisticsTable, key: string): number {
  return table.rows[0]?.values[key] ?? NaN;
}

describe("phases of a run in the view", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "server-metrics-phases-view-"));
    await writePhasedRun(folder);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(["json", "csv", "jsonl", "parquet"])("are chosen one by one, of %s", async (format) => {
    const client = engine();
    let familiesSent = 0;
    client.on("families", () => familiesSent++);
    await client.call("open", { path: join(folder, `server_metrics_export.${format}`) });
    const total = async () => cell(await client.call("statistics", { family: "c" }), "total");
    const { header } = await client.call("describe", {});
    expect(header.phases?.map(({ name, kind }) => [name, kind])).toEqual([
      ["warmup", "warmup"],
      ["low", "profiling"],
      ["high", "profiling"],
    ]);
    expect(header.window).toBeUndefined();
    const recorded = await total();
    const totals: number[] = [];
    for (const { start, end } of header.phases ?? []) {
      await client.call("adjust", { window: { start, end } });
      const now = (await client.call("describe", {})).header;
      expect(now.window).toEqual({ start, end });
      // The axis of the view stays.
      expect([now.originNs, now.profilingStart]).toEqual([header.originNs, header.profilingStart]);
      totals.push(await total());
    }
    // Parquet holds the window of profiling only.
    expect(totals.slice(1)).toEqual([300, 600]);
    if (format !== "parquet") expect(totals[0]).toBe(5);
    await client.call("adjust", { window: "recorded" });
    expect(await total()).toBe(recorded);
    // Phases of stored statistics may have other families; of samples they are sent while the file is read, and once.
    if (format === "json" || format === "csv") expect(familiesSent).toBe(4);
    else expect(familiesSent).toBeLessThanOrEqual(2);
    client.dispose();
  });

  it("are all that a file of statistics has: no other window, and no other slices", async () => {
    const client = engine();
    await client.call("open", { path: join(folder, "server_metrics_export.json") });
    const { header } = await client.call("describe", {});
    const [low] = header.phases?.filter(({ name }) => name === "low") ?? [];
    if (low === undefined) throw new Error("there is no phase low");
    for (const adjustment of [
      { window: { start: low.start, end: header.now } },
      { window: { start: low.start, end: low.end }, sliceSeconds: 1 },
    ])
      await expect(client.call("adjust", adjustment)).rejects.toMatchObject({ code: "no-samples" });
    client.dispose();
  });
});
