import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RowGroupLimits } from "../../../src/core/artifacts/parquet-groups.js";
import type { SeriesSamples } from "../../../src/core/model/index.js";
import { recordedWindow } from "../../../src/core/stats/index.js";
import type { Run } from "../../../src/core/store/index.js";
import { ParquetArtifact } from "../../../src/files/open/index.js";
import {
  integer,
  readStruct,
  writeStruct,
  type ThriftStruct,
  type ThriftValue,
} from "../../../src/files/parquet/thrift.js";
import { writeParquet } from "../../../src/files/parquet/write.js";
import { ORIGIN, RunBuilder, type TestSample } from "../../support/run-builder.js";

let directory: string;
let files = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "server-metrics-parquet-read-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function readBack({ run }: RunBuilder, limits?: RowGroupLimits): Promise<Run> {
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
  it("holds every sample as it was, over the borders of what is decoded at once", async () => {
    await expectSame(built(7400));
  });

  it("holds them whatever the row groups: several families in one, one sample in two", async () => {
    await expectSame(built(60), { shared: 1_000_000, single: 1_000_000 });
    await expectSame(built(60), { shared: 40, single: 37 });
    await expectSame(built(12), { shared: 1, single: 1 });
  });
});

describe("a footer's structs", () => {
  it("are the same whether their lists are decoded at once or item by item", () => {
    const inner = (n: bigint): ThriftValue => ({
      kind: "struct",
      fields: new Map<number, ThriftValue>([
        [1, integer(n)],
        [18, { kind: "bool", value: n % 2n === 0n }],
      ]),
    });
    const whole: ThriftStruct = {
      kind: "struct",
      fields: new Map<number, ThriftValue>([
        [1, integer(-77n, 5)],
        [
          4,
          {
            kind: "list",
            type: 12,
            items: [inner(2n ** 62n), inner(-1n), inner(2n ** 49n + 1n), inner(2n ** 48n), inner(0n)],
          },
        ],
        [5, { kind: "list", type: 8, items: [{ kind: "binary", bytes: Uint8Array.of(1, 2, 3) }] }],
      ]),
    };
    const bytes = writeStruct(whole);
    expect(readStruct(bytes)).toEqual(whole);
    const lazy = readStruct(bytes, 4);
    const items = lazy.fields.get(4);
    if (items?.kind !== "list") throw new Error("no list");
    const list = whole.fields.get(4);
    expect({
      ...items,
      items: items.items.map((item) => (item.kind === "encoded" ? readStruct(item.bytes) : item)),
    }).toEqual(list);
    expect(writeStruct(lazy)).toEqual(bytes);
  });
});
