import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { spawnWorker } from "../../src/engine/client.js";
import { spawnEngine, type SpawnedEngine } from "../../src/engine/index.js";
import { withinMemory } from "../../src/files/index.js";
import { COMPRESSORS } from "../../src/files/parquet/compressors.js";
import { bytesOnDisk, memoryFor, type MemoryOptions } from "../../src/files/memory.js";
import { query } from "../support/duckdb.js";

const BUNDLE = path.resolve("dist/engine.js");
let folder: string;
const file = (name: string) => path.join(folder, name);
const engines: SpawnedEngine[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "server-metrics-engine-memory-"));
  await writeFile(
    file("good.jsonl"),
    lines((i) => `{"f":[{"value":${i}}]}`, 20),
  );
  // Parsed in one go, in which nothing can look at the memory. An object of two bytes takes fifty.
  await writeFile(
    file("line.jsonl"),
    lines((i) => `{"f":[${i === 0 ? '{"value":1}' : `${"{},".repeat(2_500_000)}{}`}]}`, 2),
  );
});
afterEach(() => Promise.all(engines.splice(0).map((engine) => engine.dispose())));
afterAll(() => rm(folder, { recursive: true, force: true }));

function lines(
  metrics: (i: number) => string,
  count: number,
  url: (i: number) => string = () => "http://a/metrics",
): string {
  return Array.from(
    { length: count },
    (_, i) =>
      `{"endpoint_url":"${url(i)}","timestamp_ns":${1_763_800_000_000_000_000n + BigInt(i) * 1_000_000n},"endpoint_latency_ns":1,"metrics":${metrics(i)}}\n`,
  ).join("");
}

function engineWith(memoryMiB: number): SpawnedEngine {
  const engine = spawnEngine(BUNDLE, memoryMiB);
  engines.push(engine);
  return engine;
}

/** A Parquet artifact of two rows, each with a text of so many letters. */
async function longTexts(compression: string, letters: number): Promise<string> {
  const path = file(`${compression}-${letters}.parquet`);
  await query(`COPY (
    SELECT 'http://a/metrics' endpoint_url, 'f' metric_name, 'gauge' metric_type, '' unit, '' description,
      1763800000000000000 + i timestamp_ns, i || repeat('x', ${letters}) model_name, i::DOUBLE "value"
    FROM range(2) t(i)
  ) TO '${path}' (FORMAT parquet, COMPRESSION ${compression}, KV_METADATA {'aiperf.schema_version': '1.0'})`);
  return path;
}

describe.each(["zstd", "gzip", "snappy", "brotli", "lz4_raw"])("Parquet compressed with %s", (compression) => {
  it("is read", async () => {
    const { client } = engineWith(100);
    await client.call("open", { path: await longTexts(compression, 10) });
    expect((await client.call("describe", {})).header).toMatchObject({ scrapes: 2 });
  });

  it("is refused before a page takes more than the limit", async () => {
    const { client } = engineWith(100);
    await expect(client.call("open", { path: await longTexts(compression, 30_000_000) })).rejects.toMatchObject({
      message: expect.stringMatching(/\.parquet needs more than 100 MiB of memory, so it is not read/) as string,
    });
  });
});

it.each([
  ["GZIP", gzipSync(new Uint8Array(1e6))],
  ["BROTLI", brotliCompressSync(new Uint8Array(1e6))],
  // RFC 8878: magic number, a frame of 1,000,000 bytes, eight blocks of one repeated byte.
  ["ZSTD", zeros(1_000_000)],
] as const)("a page of %s that holds more than it says is refused", (codec, page) => {
  expect(COMPRESSORS[codec]?.(page, 1_000_000)).toHaveLength(1_000_000);
  for (const stated of [0, 10, 999_999]) expect(() => COMPRESSORS[codec]?.(page, stated)).toThrow();
});

it("a page of zstd never becomes a text of its numbers, which would have no room", () => {
  expect(COMPRESSORS.ZSTD?.(zeros(300_000_000), 300_000_000)).toHaveLength(300_000_000);
});

/** zstd of so many zeros. */
function zeros(length: number): Uint8Array {
  const head = [0x28, 0xb5, 0x2f, 0xfd, 0b1010_0000, ...new Uint8Array(Uint32Array.of(length).buffer)];
  const blocks: number[] = [];
  for (let left = length; left > 0;) {
    const size = Math.min(left, 1 << 17);
    left -= size;
    const header = (size << 3) | 0b010 | (left === 0 ? 1 : 0);
    blocks.push(header & 255, (header >> 8) & 255, header >> 16, 0);
  }
  return Uint8Array.from([...head, ...blocks]);
}

describe("a limit of memory", () => {
  it("refuses a file that needs more, and says so", async () => {
    const path = file("good.jsonl");
    const taken: Uint8Array[] = [];
    const reading = withinMemory<MemoryOptions, void>(path, { memoryMiB: 1 }, async ({ signal }) => {
      taken.push(new Uint8Array(64 * 1024 ** 2));
      await once(signal ?? new EventTarget(), "abort");
      signal?.throwIfAborted();
    });
    await expect(reading).rejects.toMatchObject({
      code: "memory",
      message: `${path} needs more than 1 MiB of memory, so it is not read.`,
      remedy: expect.stringContaining("serverMetrics.memoryLimit") as string,
    });
    expect(taken).toHaveLength(1);
    expect(await withinMemory(path, { memoryMiB: 100_000 }, () => Promise.resolve("read"))).toBe("read");
  });

  it("allows nine times the size of a large file, as the command line does", () => {
    expect(memoryFor(1000)).toBe(900 * 1024 ** 2);
    expect(memoryFor(1000, 100)).toBe(9000);
  });

  it("counts what is there of a sparse file, and the size where a file system knows no blocks", () => {
    expect(bytesOnDisk({ size: 2e12, blocks: 8 })).toBe(4096);
    expect(bytesOnDisk({ size: 1000, blocks: 8 })).toBe(1000);
    expect(bytesOnDisk({ size: 1000, blocks: 0 })).toBe(1000);
  });

  it("is that of each run of a folder: one that needs more is left out, the others are read", async () => {
    const sweep = await mkdtemp(path.join(folder, "sweep-"));
    for (const [name, text] of [
      ["concurrency_1", lines((i) => `{"vllm:num_requests_running":[{"value":${i}}]}`, 20)],
      // A scrape of an endpoint of its own on each line.
      [
        "concurrency_2",
        lines(
          () => `{"vllm:num_requests_running":[{"value":1}]}`,
          60_000,
          (i) => `http://a${i}/metrics`,
        ),
      ],
    ] as const) {
      await mkdir(path.join(sweep, name));
      await writeFile(path.join(sweep, name, "server_metrics_export.jsonl"), text);
    }
    const { runs } = await engineWith(100).client.call("reportedRuns", { folder: sweep });
    expect(runs.filter(({ measured }) => measured !== undefined)).toHaveLength(1);
    expect(runs.map(({ problem }) => problem ?? "").join("\n")).toMatch(
      /concurrency_2\S* needs more than 100 MiB of memory, so it is not read/,
    );
  });

  it("refuses a line that takes more at once, and the engine stays", async () => {
    const { client } = engineWith(100);
    await expect(client.call("open", { path: file("line.jsonl") })).rejects.toMatchObject({
      message: expect.stringMatching(/line\.jsonl needs more than \d+ MiB of memory, so it is not read/) as string,
    });
    await client.call("open", { path: file("good.jsonl") });
    expect((await client.call("describe", {})).header).toMatchObject({ scrapes: 20 });
  });

  it("ends a thread alone that takes without end, and names the reason", async () => {
    const other = engineWith(100);
    await other.client.call("open", { path: file("good.jsonl") });
    await writeFile(
      file("endless.cjs"),
      `require("node:worker_threads").parentPort.once("message", () => {
        for (const taken = []; ; ) taken.push(new Array(1e4).fill(0.5));
      });`,
    );
    const engine: SpawnedEngine = spawnWorker(file("endless.cjs"), "endless", { memoryMiB: 100 });
    engines.push(engine);
    const died = expect(engine.exited).rejects.toThrow("it needed more than 100 MiB of memory");
    await expect(engine.client.call("open", { path: file("good.jsonl") })).rejects.toMatchObject({
      code: "engine-ended",
      message: expect.stringContaining("serverMetrics.memoryLimit") as string,
    });
    await died;
    expect((await other.client.call("describe", {})).header.endpoints).toHaveLength(1);
  });
});
