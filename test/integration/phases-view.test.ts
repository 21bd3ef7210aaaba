import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { epochNs } from "../../src/core/model/index.js";
import { exportArtifacts } from "../../src/files/index.js";
import type { StatisticsTable } from "../../src/protocol/index.js";
import { engineInThread as engine } from "../support/engine-in-thread.js";
import { ORIGIN, RunBuilder, SECOND } from "../support/run-builder.js";

const at = (seconds: number) => epochNs(ORIGIN + BigInt(Math.round(seconds * SECOND)));

function cell(table: StatisticsTable, key: string): number {
  return table.values[table.columns.findIndex((column) => column.key === key)] ?? NaN;
}

/** A warm-up of 5 s at 1 a second, then 30 s at 10 and 30 s at 20 a second, with 5 s between them at 3. */
describe("phases of a run in the view", () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "server-metrics-phases-view-"));
    const builder = new RunBuilder();
    let c = 0;
    for (let i = 0; i <= 75; i++) {
      c += i <= 5 ? 1 : i <= 35 ? 10 : i <= 40 ? 3 : i <= 70 ? 20 : 0;
      builder.scrape(i, [
        { name: "c", type: "counter", value: c },
        // Of the warm-up alone.
        ...(i <= 5 ? [{ name: "w", type: "gauge" as const, value: i }] : []),
      ]);
    }
    const { run } = builder.window(5.5, 70.5);
    run.putPhase({ name: "warmup", kind: "warmup", start: at(0.5), end: at(5.4) });
    run.putPhase({ name: "low", kind: "profiling", start: at(5.5), end: at(35) });
    run.putPhase({ name: "high", kind: "profiling", start: at(40.5), end: at(70.5) });
    await exportArtifacts(run, { directory: folder, formats: ["json", "csv", "jsonl", "parquet"], verify: true });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(["json", "csv", "jsonl", "parquet"])("are chosen one by one, of %s", async (format) => {
    const client = engine();
    await client.call("open", { path: join(folder, `server_metrics_export.${format}`) });
    const total = async () => cell(await client.call("statistics", { family: "c" }), "total");
    const { header } = await client.call("snapshot", {});
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
      const now = (await client.call("snapshot", {})).header;
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
    client.dispose();
  });

  it("are all that a file of statistics has: no other window, and no other slices", async () => {
    const client = engine();
    await client.call("open", { path: join(folder, "server_metrics_export.json") });
    const { header } = await client.call("snapshot", {});
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
