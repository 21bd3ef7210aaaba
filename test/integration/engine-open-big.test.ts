import { link, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { UserError } from "../../src/core/text/errors.js";
import { clientServerSteps } from "../../src/core/client/index.js";
import { fineStatistics, movesWith, runInsights } from "../../src/core/insights/index.js";
import { chartData, keyTiles, runEntries, statisticsTable, type Tile } from "../../src/core/query/index.js";
import { epochNs } from "../../src/core/model/index.js";
import { complete } from "../../src/core/stats/index.js";
import type { Run } from "../../src/core/store/index.js";
import { exportArtifacts } from "../../src/files/index.js";
import { openArtifact, openForViewing, ParquetArtifact, ParquetFamilies } from "../../src/files/open/index.js";
import type { EngineEvents, RequestProgress } from "../../src/protocol/index.js";
import { aiperfRecords, simulatedRequests } from "../support/client-run.js";
import { query } from "../support/duckdb.js";
import { engineInThread as engine } from "../support/engine-in-thread.js";
import { ORIGIN, RunBuilder, SECOND } from "../support/run-builder.js";
import { writeLargeJsonl, writeLargeParquet } from "../support/large-artifacts.js";

const TTFT = "vllm:time_to_first_token_seconds";
const ITL = "vllm:inter_token_latency_seconds";
const RUNNING = "vllm:num_requests_running";
const LINES = { maxSeries: 5, maxPoints: 1000 } as const;

let dir: string;
let parquet: string;
let whole: Run;

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "server-metrics-big-"));
  parquet = path.join(dir, "server_metrics_export.parquet");
  await writeLargeParquet(parquet, 600_000);
  const opened = await openArtifact(parquet);
  if (opened.kind !== "samples") throw new Error("no samples");
  whole = opened.run;
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Series ids of a file that is read by families are of their own. */
function drawn({ lines }: ReturnType<typeof chartData>) {
  return lines.map(({ series: _, ...line }) => line);
}

async function pushed(
  client: ReturnType<typeof engine>,
  done: (progress: EngineEvents["progress"]) => boolean,
): Promise<EngineEvents["progress"]> {
  return new Promise((resolve) => {
    const end = client.on("progress", (progress) => {
      if (!done(progress)) return;
      end();
      resolve(progress);
    });
  });
}

describe("an engine that opens a large Parquet file", () => {
  it("shows its families at once, its key metrics as they are read, and draws what the whole file would", async () => {
    const client = engine();
    const tilesRead = pushed(client, ({ tiles }) => tiles.every((tile) => tile.note !== "being read"));
    await client.call("open", { path: parquet });
    const { header, families, tiles } = await client.call("describe", {});
    expect([header.state, header.adjustable, header.scrapes, header.now]).toEqual(["opened", true, 2000, whole.newest]);
    expect(header.endpoints.map(({ servers, families: count }) => [servers, count])).toEqual([[["vLLM"], 9]]);
    expect(families.map(({ name }) => name).sort()).toEqual(
      whole.store
        .families()
        .map(({ name }) => name)
        .sort(),
    );
    const expected = keyTiles(whole);
    expect(tiles.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));

    expect(drawn(await client.call("chart", { family: TTFT, ...LINES }))).toEqual(
      drawn(chartData(whole, { family: TTFT, ...LINES })),
    );
    expect((await client.call("chart", { family: "no_such_family", ...LINES })).empty?.reason).toMatch(
      /no_such_family/,
    );
    const shown = await tilesRead;
    expect(shown.tiles).toEqual(expected);
    expect(shown.header.facts.map(({ name, value }) => [name, value])).toEqual([
      ["model", "meta-llama/Llama-3.1-8B-Instruct"],
    ]);
    client.dispose();
  });

  it("has tiles and endpoints by role, as the whole file", async () => {
    const builder = new RunBuilder().window(0, 60_000);
    for (let second = 0; second <= 60_000; second++)
      for (const [role, port] of [["decode", 1] as const, ["prefill", 2] as const])
        builder.scrape(
          second,
          [
            { name: "vllm:cache_config_info", labels: { kv_role: role }, value: 1 },
            { name: RUNNING, value: 10 * port },
            { name: "vllm:kv_cache_usage_perc", value: 0.1 * port },
            { name: "vllm:generation_tokens", type: "counter", value: port * second },
          ],
          `http://a:${port}/metrics`,
        );
    const folder = path.join(dir, "roles");
    await exportArtifacts(builder.run, { directory: folder, formats: ["parquet"], verify: false });
    const client = engine();
    const read = pushed(
      client,
      ({ tiles }) =>
        tiles.some(({ title }) => title.endsWith("(decode)")) && tiles.every(({ note }) => note !== "being read"),
    );
    await client.call("open", { path: path.join(folder, "server_metrics_export.parquet") });
    const { tiles } = await read;
    const named = (all: readonly Tile[]) => all.map(({ title, value }) => [title, value]);
    expect(named(tiles)).toEqual(named(keyTiles(builder.run)));
    expect(named(tiles)).toContainEqual(["Requests running (prefill)", 20]);
    const { header } = await client.call("describe", {});
    expect(header.endpoints.map(({ url, role }) => [url, role])).toEqual([
      ["http://a:2/metrics", "prefill"],
      ["http://a:1/metrics", "decode"],
    ]);
    client.dispose();
  });

  it("has the phases that a manifest beside it names, and computes one of them", async () => {
    const folder = path.join(dir, "phases");
    await mkdir(folder);
    const { origin } = whole.store;
    const [start, end] = [origin + 60_000_000_000n, origin + 120_000_000_000n];
    const named = `"phase_name": "low", "phase_kind": "profiling", "start_ns": ${start}, "end_ns": ${end}`;
    await writeFile(path.join(folder, "phase_manifest.json"), `{"schema_version": 1, "phases": [{${named}}]}`);
    await link(parquet, path.join(folder, path.basename(parquet)));
    const client = engine();
    await client.call("open", { path: path.join(folder, path.basename(parquet)) });
    const { header } = await client.call("describe", {});
    const window = { start: Number(start - origin), end: Number(end - origin) };
    expect(header.phases).toEqual([{ name: "low", kind: "profiling", ...window }]);
    const [low] = header.phases ?? [];
    if (low === undefined) throw new Error("there is no phase");
    await client.call("adjust", { window: { start: low.start, end: low.end } });
    const table = await client.call("statistics", { family: RUNNING });
    whole.chooseWindow({ start: epochNs(start), end: epochNs(end) });
    const expected = complete(statisticsTable(runEntries(whole), { family: RUNNING }));
    whole.chooseWindow(undefined);
    const cells = ({ rows }: typeof table) => rows.map(({ values }) => values);
    expect(cells(table)).toEqual(cells(expected));
    client.dispose();
  });

  it("has the findings of the whole file, and stands it against the client beside it", async () => {
    const folder = path.join(dir, "client");
    await mkdir(folder);
    const file = path.join(folder, path.basename(parquet));
    await link(parquet, file);
    const requests = simulatedRequests({ count: 1000, every: 0.6 }).map((request) => ({
      ...request,
      start: request.start + Number(whole.store.origin - ORIGIN) / SECOND,
    }));
    await writeFile(path.join(folder, "profile_export.jsonl"), aiperfRecords(requests));
    const opened = await openArtifact(file);
    if (opened.kind !== "samples") throw new Error("no samples");
    const expected = {
      findings: complete(runInsights({ kind: "samples", run: opened.run })),
      client: complete(clientServerSteps(opened.run)),
      moves: movesWith(complete(fineStatistics(opened.run)), RUNNING),
    };
    expect(expected.findings.findings.length).toBeGreaterThan(0);
    expect(expected.client.length).toBeGreaterThan(0);

    const client = engine();
    await client.call("open", { path: file });
    const { header, families } = await client.call("describe", {});
    expect(header.endpoints.map(({ displayName }) => displayName)).toContain("aiperf");
    expect(families.map(({ name }) => name)).toContain("client:time_to_first_token_seconds");
    const { findings, checked } = await client.call("findings", {});
    expect(findings.map(({ id, text }) => [id, text])).toEqual(
      expected.findings.findings.map(({ id, text }) => [id, text]),
    );
    expect(checked).toEqual(expected.findings.checked.map(({ title }) => title));
    // The window, whose times are bigints, stays where it is.
    expect(await client.call("clientServer", {})).toEqual(expected.client.map(({ window: _, ...row }) => row));
    const moves = await client.call("movesWith", { family: RUNNING });
    expect(moves.movers.map(({ family }) => family)).toEqual(expected.moves.movers.map(({ family }) => family));
    expect(drawn(await client.call("chart", { family: "client:time_to_first_token_seconds", ...LINES }))).toEqual(
      drawn(chartData(opened.run, { family: "client:time_to_first_token_seconds", ...LINES })),
    );
    client.dispose();
  });

  it("tables a type family by family as the whole file would", async () => {
    const client = engine();
    await client.call("open", { path: parquet });
    for (const which of [{ type: "gauge" }, { type: "histogram" }, { family: RUNNING }] as const) {
      const shown: RequestProgress[] = [];
      const table = await client.call("statistics", which, undefined, (progress) => shown.push(progress));
      const read = "type" in which ? whole.store.families().filter(({ type }) => type === which.type).length : 0;
      expect(shown).toEqual(Array.from({ length: read }, (_, done) => ({ done, of: read, steps: "metrics" })));
      const expected = complete(statisticsTable(runEntries(whole), which));
      const order = (rows: typeof table.rows) => rows.map(({ family, labels }) => JSON.stringify([family, labels]));
      expect(order(table.rows).sort()).toEqual(order(expected.rows).sort());
      const cells = ({ rows }: typeof table) => new Map(order(rows).map((row, i) => [row, rows[i]?.values]));
      expect(cells(table)).toEqual(cells(expected));
    }
    client.dispose();
  });

  it("cuts families that are read later as those that were read before", async () => {
    const client = engine();
    await client.call("open", { path: parquet });
    const slices = async (family: string) => (await client.call("timeslices", { family })).rows.length;
    const before = await slices(RUNNING);
    const { header } = await client.call("describe", {});
    const window = { start: header.profilingStart, end: Math.round(header.now / 2) as typeof header.now };
    await client.call("adjust", { sliceSeconds: 10, window });
    expect((await client.call("describe", {})).header).toMatchObject({ sliceDurationSeconds: 10, window });
    const after = [await slices(RUNNING), await slices("vllm:num_requests_waiting")];
    expect(after[0]).toBeLessThan(before / 3.5);
    expect(after[1]).toBe(after[0]);
    client.dispose();
  });

  it("exports the whole run", async () => {
    const client = engine();
    await client.call("open", { path: parquet });
    const out = path.join(dir, "exported");
    await client.call("export", { directory: out, formats: ["csv", "parquet"], verify: true });
    expect((await readdir(out)).sort()).toEqual(["server_metrics_export.csv", "server_metrics_export.parquet"]);
    const again = await ParquetArtifact.open(path.join(out, "server_metrics_export.parquet"));
    const first = await ParquetArtifact.open(parquet);
    expect([again.rows, await again.families()]).toEqual([first.rows, await first.families()]);
    await Promise.all([again.close(), first.close()]);
    client.dispose();
  });
});

describe("families of a Parquet file", () => {
  async function families(budget?: number) {
    const artifact = await ParquetArtifact.open(parquet);
    const source = await ParquetFamilies.of(artifact, undefined, budget);
    if (source === undefined) throw new Error("read whole");
    return source;
  }

  it("keep the ids of their series when they are let go and read again", async () => {
    const source = await families(1);
    const first = await source.load(TTFT);
    const other = await source.load(ITL);
    const again = await source.load(TTFT);
    expect(again === first).toBe(false);
    const ids = (run: Run) => Array.from(run.store.seriesKeys(), ({ id }) => id);
    expect(ids(again)).toEqual(ids(first));
    expect(ids(other).some((id) => ids(first).includes(id))).toBe(false);
    expect(again.store.read(ids(again)[0]!)).toEqual(first.store.read(ids(first)[0]!));
    await source.close();
  });

  it("stay while there is room, and are read once for all that ask at the same time", async () => {
    const source = await families();
    const [a, b] = await Promise.all([source.load(TTFT), source.load(TTFT)]);
    expect(b === a).toBe(true);
    await source.load(ITL);
    expect((await source.load(TTFT)) === a).toBe(true);
    await source.close();
  });

  it("can be given up by one that asked without taking them from another", async () => {
    const source = await families();
    const controller = new AbortController();
    const [given, kept] = [source.load(TTFT, controller.signal), source.load(TTFT)];
    const alone = source.load(ITL, controller.signal);
    controller.abort();
    await expect(given).rejects.toBe(controller.signal.reason);
    await expect(alone).rejects.toBe(controller.signal.reason);
    expect((await kept).store.seriesCount).toBe(5);
    expect((await source.load(ITL)).store.seriesCount).toBe(5);
    await source.close();
  });
});

describe("a large Parquet file of another writer", () => {
  const rewritten = async (name: string, order: string) => {
    const file = path.join(dir, name);
    await query(
      `copy (select * from read_parquet('${parquet}') order by ${order}) to '${file}' (format parquet, row_group_size 20000)`,
    );
    return file;
  };

  it("is read by families where they lie together, whatever its row groups", async () => {
    const opened = await openForViewing(
      await rewritten("together.parquet", "metric_name, engine, timestamp_ns, bucket_le"),
    );
    if (opened.kind !== "families") throw new Error("read whole");
    const { families } = opened;
    expect(families.families.map(({ name, endpoints }) => [name, endpoints])).toEqual(
      whole.store
        .families()
        .map(({ name }) => name)
        .sort()
        .map((name) => [name, ["http://node0:8000/metrics"]]),
    );
    const run = await families.load(ITL);
    const values = (of: Run) =>
      drawn(chartData(of, { family: ITL, ...LINES })).map((line) => [
        line.labels,
        line.quantity,
        [...line.values].filter((value) => !Number.isNaN(value)).length > 0,
      ]);
    expect(values(run)).toEqual(values(whole));
    await families.close();
  });

  it("is read whole where they are scattered", async () => {
    const opened = await openForViewing(await rewritten("scattered.parquet", "timestamp_ns, metric_name, engine"));
    expect(opened.kind).toBe("samples");
  });
});

describe("an engine that reads a long JSONL file", () => {
  it("shows and draws what it has so far, and in the end all of it under the same ids", async () => {
    const file = path.join(dir, "server_metrics_export.jsonl");
    await writeLargeJsonl(file, 80e6);
    const client = engine();
    const settled: string[] = [];
    const first = pushed(client, ({ header }) => header.state === "opening");
    const opening = client.call("open", { path: file }).then(() => settled.push("open"));
    const { header } = await first;
    expect(header).toMatchObject({ adjustable: false, file: { path: file, format: "jsonl" } });
    expect(header.readShare).toBeGreaterThan(0);
    const { families } = await client.call("describe", {});
    expect(families.some(({ name }) => name === TTFT)).toBe(true);
    const series = await client.call("series", { family: RUNNING });
    const early = await client.call("chart", { family: RUNNING, ...LINES });
    await expect(client.call("adjust", { sliceSeconds: 1 })).rejects.toMatchObject({ code: "still-reading" });
    await expect(client.call("export", { directory: dir, formats: ["csv"], verify: false })).rejects.toMatchObject({
      code: "still-reading",
    });
    settled.push("chart");
    const last = pushed(client, (progress) => progress.header.state === "opened");
    await opening;
    // The chart was answered while the file was read.
    expect(settled).toEqual(["chart", "open"]);
    expect((await last).header.scrapes).toBeGreaterThan(header.scrapes!);
    expect((await client.call("series", { family: RUNNING })).map(({ id }) => id)).toEqual(series.map(({ id }) => id));
    const late = await client.call("chart", { family: RUNNING, ...LINES });
    expect(late.lines[0]!.times.at(-1)).toBeGreaterThan(early.lines[0]!.times.at(-1)!);
    await client.call("adjust", { sliceSeconds: 10 });
    client.dispose();
  });

  it("lets go of what it has when it is given up", async () => {
    const client = engine();
    const controller = new AbortController();
    const first = pushed(client, ({ header }) => header.state === "opening");
    const opening = client.call("open", { path: path.join(dir, "server_metrics_export.jsonl") }, controller.signal);
    await first;
    controller.abort();
    await expect(opening).rejects.toMatchObject({ code: "cancelled" });
    // The engine hears of it a moment later.
    await expect
      .poll(() =>
        client.call("describe", {}).then(
          () => "a run",
          (error: unknown) => (error instanceof UserError ? error.code : error),
        ),
      )
      .toBe("no-run");
    client.dispose();
  });
});
