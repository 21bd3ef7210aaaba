import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { spawnEngine, type SpawnedEngine } from "../../src/engine/index.js";
import { withinMemory } from "../../src/files/index.js";
import { bytesOnDisk, memoryFor, type MemoryOptions } from "../../src/files/memory.js";

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
    lines((i) => `{"f":[${i === 0 ? '{"value":1}' : `${"{},".repeat(4_900_000)}{}`}]}`, 2),
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

  it("is that of each file of a sweep: one that needs more is left out, the others are read", async () => {
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
    const { skipped } = await engineWith(100).client.call("sweep", { folder: sweep });
    expect(skipped.map(({ reason }) => reason).join("\n")).toMatch(
      /concurrency_2\S* needs more than 100 MiB of memory, so it is not read/,
    );
  });

  it("ends an engine alone that takes too much at once, and names the reason", async () => {
    const other = engineWith(100);
    await other.client.call("open", { path: file("good.jsonl") });
    const engine = engineWith(100);
    const died = expect(engine.exited).rejects.toThrow("it needed more than 100 MiB of memory");
    await expect(engine.client.call("open", { path: file("line.jsonl") })).rejects.toMatchObject({
      code: "engine-ended",
      message: expect.stringContaining("serverMetrics.memoryLimit") as string,
    });
    await died;
    expect((await other.client.call("snapshot", {})).header.endpoints).toHaveLength(1);
  });
});
