import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WriterPropertiesBuilder } from "parquet-wasm/esm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RowGroupLimits } from "../../../src/core/artifacts/parquet/row-groups.js";
import type { SeriesSamples } from "../../../src/core/model/index.js";
import { recordedWindow } from "../../../src/core/stats/index.js";
import type { Run } from "../../../src/core/store/index.js";
import { ParquetArtifact } from "../../../src/files/open/index.js";
import { inspectParquet } from "../../../src/files/parquet/file.js";
import { loadParquetWasm } from "../../../src/files/parquet/wasm.js";
import { writeParquet } from "../../../src/files/parquet/write.js";
import { ORIGIN, RunBuilder, SECOND, type TestSample } from "../../support/run-builder.js";

let directory: string;
let files = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "server-metrics-parquet-read-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function readBack(builder: RunBuilder, limits?: RowGroupLimits): Promise<Run> {
  return runOf(await written(builder, limits));
}

async function written({ run }: RunBuilder, limits?: RowGroupLimits): Promise<string> {
  const path = join(directory, `${files++}.parquet`);
  await writeParquet(
    path,
    run,
    {
      window: recordedWindow(run),
      sliceDurationSeconds: 5,
      exporter: { version: "1" },
      exportTime: ORIGIN,
      hostname: "host",
    },
    limits === undefined ? {} : { limits },
  );
  return path;
}

async function runOf(path: string): Promise<Run> {
  const artifact = await ParquetArtifact.open(path);
  try {
    return await artifact.loadAll();
  } finally {
    await artifact.close();
  }
}

/** The samples of every series, on the wall clock. */
function samplesOf(run: Run): Map<string, unknown> {
  const shift = Number(run.store.origin - ORIGIN);
  const at = (times: Float64Array) => [...times].map((time) => time + shift);
  const plain = (samples: SeriesSamples) =>
    samples.kind === "scalar"
      ? { times: at(samples.times), values: [...samples.values], gaps: at(samples.gapTimes) }
      : samples.segments.map(({ bounds, times, sums, counts, buckets }) => ({
          bounds,
          times: at(times),
          sums: [...sums],
          counts: [...counts],
          buckets: buckets.map((cells) => [...cells]),
        }));
  return new Map(
    [...run.store.seriesKeys()].map(({ id, endpointUrl, family, labels }) => [
      JSON.stringify([endpointUrl, family.name, family.type, labels]),
      plain(run.store.read(id)),
    ]),
  );
}

const BOUNDS = ["0.1", "0.5", "1", "5", "+Inf"];
const histogram = (i: number, labels: Record<string, string>): TestSample => ({
  name: "latency_seconds",
  labels,
  buckets: Object.fromEntries(BOUNDS.map((bound, b) => [bound, i * (b + 1)])),
  sum: i / 8,
  count: 5 * i,
});

/** More rows than are decoded at a time, of series that come and go. */
function built(scrapes: number): RunBuilder {
  const builder = new RunBuilder();
  for (let i = 0; i < scrapes; i++) {
    builder.scrape(i / 4, [
      { name: "level", labels: { part: "a" }, value: Math.sin(i) },
      ...(i % 7 === 3 ? [] : [{ name: "level", labels: { part: "b", only: "here" }, value: i }]),
      { name: "steps", type: "counter" as const, value: 3 * i },
      histogram(i, { engine: "0" }),
      ...(i % 5 === 2 ? [] : [histogram(2 * i, { engine: "1" })]),
    ]);
  }
  return builder.window(0, scrapes / 4);
}

/** Series by series as text: comparing tens of thousands of numbers one by one takes seconds. */
async function expectSame(builder: RunBuilder, limits?: RowGroupLimits): Promise<void> {
  const [read, own] = [samplesOf(await readBack(builder, limits)), samplesOf(builder.run)];
  expect([...read.keys()].sort()).toEqual([...own.keys()].sort());
  for (const [key, samples] of own) expect(JSON.stringify(read.get(key)) === JSON.stringify(samples), key).toBe(true);
}

describe("a Parquet file that is read back", { timeout: 30_000 }, () => {
  it("has the run's label again, which its configuration holds", async () => {
    const builder = new RunBuilder(5, { label: "batch 64" }).scrape(0, [{ name: "g", value: 1 }]).window(0, 0);
    expect((await readBack(builder)).metadata.label).toBe("batch 64");
  });

  it("holds every sample as it was, over the borders of what is decoded at once", async () => {
    await expectSame(built(7400));
  });

  it("holds them whatever the row groups: several families in one, one sample in two", async () => {
    await expectSame(built(60), { shared: 1_000_000, single: 1_000_000 });
    await expectSame(built(60), { shared: 40, single: 37 });
    await expectSame(built(12), { shared: 1, single: 1 });
  });
});

describe("a Parquet file of many endpoints", { timeout: 30_000 }, () => {
  const urlOf = (e: number) => `http://h${e}/metrics`;

  it("has their scrapes in the order of time again, those of one moment in the file's", async () => {
    const builder = new RunBuilder();
    const scrapes = Array.from({ length: 400 }, (_, i) => ({ second: (i * 37) % 60, url: urlOf((i * 13) % 41) }));
    scrapes.sort((a, b) => a.second - b.second || (a.url < b.url ? -1 : 1));
    for (const { second, url } of scrapes) builder.scrape(second, [{ name: "g", value: second }], url);
    const { store } = await readBack(builder.window(0, 60));
    const read = [...store.scrapesInOrder()].map(({ time, endpointUrl }) => ({
      second: Number(time - ORIGIN) / SECOND,
      url: endpointUrl,
    }));
    const known = new Set<string>();
    const once = scrapes.filter(({ second, url }) => !known.has(`${second} ${url}`) && known.add(`${second} ${url}`));
    expect(read).toEqual(once);
  });

  it("is not read where there are more than of any capture", async () => {
    const builder = new RunBuilder();
    for (let e = 0; e <= 10_000; e++) builder.scrape(e % 3, [{ name: "g", value: e }], urlOf(e));
    const path = await written(builder.window(0, 3));
    const refused = `${path} cannot be read as Parquet: the file has more than the 10,000 endpoints that are read.`;
    const artifact = await ParquetArtifact.open(path);
    await expect(artifact.loadAll()).rejects.toThrow(refused);
    await artifact.close();
    const another = await ParquetArtifact.open(path);
    await expect(another.families()).rejects.toThrow(refused);
    await another.close();
  });

  it("shows the addresses of a family without secrets, however its rows lie", async () => {
    const secret = "http://h/metrics?token=abc";
    const builder = new RunBuilder();
    for (let i = 0; i < 8; i++)
      builder.scrape(
        i,
        [
          { name: "a", value: i },
          { name: "b", value: i },
        ],
        secret,
      );
    builder.window(0, 8);
    for (const limits of [
      { shared: 1, single: 1_000_000 },
      { shared: 1000, single: 1000 },
    ]) {
      const artifact = await ParquetArtifact.open(await written(builder, limits));
      const shown = (await artifact.families()).map(({ endpoints }) => endpoints);
      expect(shown.flat().join(), JSON.stringify(limits)).not.toContain("abc");
      const { store } = await artifact.loadAll();
      expect(shown).toEqual([store.endpoints.map(({ url }) => url), store.endpoints.map(({ url }) => url)]);
      await artifact.close();
    }
  });
});

/** The same rows as another program writes them. */
async function rewritten(path: string, change: (properties: WriterPropertiesBuilder) => WriterPropertiesBuilder) {
  const wasm = await loadParquetWasm();
  const table = wasm.readParquet(await readFile(path));
  const copy = `${path}.copy.parquet`;
  const properties = change(new wasm.WriterPropertiesBuilder().setKeyValueMetadata(await metadataOf(path))).build();
  await writeFile(copy, wasm.writeParquet(table, properties));
  return copy;
}

async function metadataOf(path: string): Promise<Map<string, string>> {
  const { metadata } = await inspectParquet(path);
  return new Map([...metadata].filter(([key]) => key !== "ARROW:schema"));
}

describe("a Parquet file that another program wrote", { timeout: 30_000 }, () => {
  it("is read whatever its compression, pages and encodings", async () => {
    const builder = built(300);
    const path = await written(builder);
    const { Compression, Encoding, WriterVersion } = await loadParquetWasm();
    const changes: ((properties: WriterPropertiesBuilder) => WriterPropertiesBuilder)[] = [
      (properties) => properties.setCompression(Compression.ZSTD),
      (properties) => properties.setCompression(Compression.GZIP).setDataPageSizeLimit(1000),
      (properties) => properties.setCompression(Compression.BROTLI).setMaxRowGroupSize(500),
      (properties) => properties.setCompression(Compression.UNCOMPRESSED).setDictionaryEnabled(false),
      (properties) => properties.setWriterVersion(WriterVersion.V2).setDictionaryEnabled(false),
      (properties) => properties.setDictionaryEnabled(false).setEncoding(Encoding.PLAIN),
    ];
    const own = JSON.stringify([...samplesOf(await runOf(path))]);
    for (const [i, change] of changes.entries())
      expect(JSON.stringify([...samplesOf(await runOf(await rewritten(path, change)))]) === own, String(i)).toBe(true);
  });
});
