import { appendFile, mkdtemp, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { UserError } from "../../src/core/text/errors.js";
import { epochNs, type Problem } from "../../src/core/model/index.js";
import type { Run } from "../../src/core/store/index.js";
import { JournalWriter } from "../../src/files/index.js";
import { openArtifact, openGrowing } from "../../src/files/open/index.js";
import { jsonlLines } from "../support/jsonl-lines.js";
import { ORIGIN, RunBuilder } from "../support/run-builder.js";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "server-metrics-growing-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** The lines of a run whose bodies, phases and marks change on the way. */
function lines(): readonly string[] {
  const builder = new RunBuilder();
  for (let i = 0; i < 60; i++) {
    builder.scrape(i, [
      { name: "jobs", type: "counter", labels: { state: "done" }, value: i * 2 },
      { name: "wait_seconds", buckets: { "0.5": i, "1": 2 * i, "+Inf": 3 * i }, sum: i / 2, count: 3 * i },
      ...(i < 30 ? [] : [{ name: "late", value: Math.sin(i) }]),
    ]);
  }
  builder.run.addMark({ time: epochNs(ORIGIN + 40_000_000_000n), label: "half" });
  return jsonlLines(builder.window(4.5, 59).run);
}

const text = (some: readonly string[]) => some.map((line) => `${line}\n`).join("");
/** All that a run holds, as lines. */
const linesOf = (run: Run) => text(jsonlLines(run));
const bytesOf = { plain: (content: string) => Buffer.from(content), gzip: (content: string) => gzipSync(content) };
let files = 0;
const newPath = () => join(directory, `${files++}.jsonl`);

describe.each(["plain", "gzip"] as const)("a file that grows, %s", (packing) => {
  const packed = bytesOf[packing];
  const whole = async () => {
    const path = newPath();
    await writeFile(path, packed(text(lines())));
    const opened = await openArtifact(path);
    if (opened.kind !== "samples") throw new Error(`opened as ${opened.kind}`);
    return linesOf(opened.run);
  };

  it("is the same run in the end, however it was written", async () => {
    const all = lines();
    for (const step of [1, 7, 25]) {
      const path = newPath();
      await writeFile(path, packed(text(all.slice(0, 10))));
      const growing = await openGrowing(path);
      for (let at = 10; at < all.length; at += step) {
        const before = growing.run.store.scrapes;
        expect(await growing.hasGrown()).toBe(false);
        await appendFile(path, packed(text(all.slice(at, at + step))));
        expect(await growing.hasGrown()).toBe(true);
        const { grown } = await growing.readMore();
        expect(grown).toBe(growing.run.store.scrapes > before);
      }
      expect(await growing.readMore()).toEqual({ grown: false, notices: growing.notices });
      expect(linesOf(growing.run)).toBe(await whole());
      expect(growing.run.marks.map(({ label }) => label)).toEqual(["half"]);
      expect(growing.notices).toEqual([]);
    }
  });

  it("is read up to what is there of a line or a member, and no scrape twice", async () => {
    const all = lines();
    const path = newPath();
    const content = Buffer.concat([packed(text(all.slice(0, 3))), packed(text(all.slice(3)))]);
    let at = packed(text(all.slice(0, 3))).length;
    await writeFile(path, content.subarray(0, at));
    const growing = await openGrowing(path);
    const scrapes: number[] = [];
    const step = Math.ceil((content.length - at) / 97);
    for (; at < content.length; at += step) {
      await appendFile(path, content.subarray(at, at + step));
      await growing.readMore();
      scrapes.push(growing.run.store.scrapes);
    }
    expect(scrapes).toEqual([...scrapes].sort((a, b) => a - b));
    // What was half a line at first is a line in the end.
    expect(new Set(scrapes).size).toBeGreaterThan(10);
    expect(linesOf(growing.run)).toBe(await whole());
    expect(growing.notices).toEqual([]);
  });

  it("has no end until it tells one", async () => {
    const all = lines();
    const path = newPath();
    await writeFile(path, packed(text(all.slice(0, 20))));
    const opened = await openArtifact(path);
    if (opened.kind !== "samples" || opened.growing === undefined) throw new Error("it cannot be followed");
    expect(opened.run.profilingEnd).toBe(epochNs(opened.run.store.origin + BigInt(opened.run.newest)));
    await appendFile(path, packed(text(all.slice(20, -1))));
    await opened.growing.readMore();
    expect(opened.run.profilingEnd).toBeUndefined();
    await appendFile(path, packed(text(all.slice(-1))));
    expect(await opened.growing.readMore()).toEqual({ grown: false, notices: [] });
    expect(opened.run.profilingEnd).toBe(epochNs(ORIGIN + 59_000_000_000n));
  });

  it("is refused once it has been cut, replaced or removed, and its run stays", async () => {
    const all = lines();
    const path = newPath();
    const refusal = async () => {
      const growing = await openGrowing(path);
      const before = linesOf(growing.run);
      return async () => {
        const errors = await Promise.all(
          [growing.readMore(), growing.hasGrown()].map((asked) =>
            asked.then(
              () => undefined,
              (error: unknown) => error,
            ),
          ),
        );
        expect(linesOf(growing.run)).toBe(before);
        const [error, other] = errors;
        expect(error).toEqual(other);
        if (!(error instanceof UserError)) throw new Error("it was not refused");
        expect(error.message).toContain(path);
        return error.code;
      };
    };
    const original = packed(text(all.slice(0, 20)));

    await writeFile(path, original);
    let refused = await refusal();
    await writeFile(path, original.subarray(0, original.length - 5));
    expect(await refused()).toBe("replaced");

    await writeFile(path, original);
    refused = await refusal();
    // Longer than it was, and of another beginning.
    await writeFile(path, packed(text(all.slice(20))));
    await appendFile(path, original);
    expect((await stat(path)).size).toBeGreaterThan(original.length);
    expect(await refused()).toBe("replaced");

    await writeFile(path, original);
    refused = await refusal();
    await rm(path);
    expect(await refused()).toBe("failed");
  });

  it("goes on in a longer copy of itself", async () => {
    const all = lines();
    const path = newPath();
    await writeFile(path, packed(text(all.slice(0, 20))));
    const growing = await openGrowing(path);
    await writeFile(`${path}.part`, Buffer.concat([packed(text(all.slice(0, 20))), packed(text(all.slice(20)))]));
    await rename(`${path}.part`, path);
    expect(await growing.readMore()).toMatchObject({ grown: true });
    expect(linesOf(growing.run)).toBe(await whole());
  });
});

describe("the journal of a capture under way", () => {
  it("is read on member by member", async () => {
    const path = join(directory, "journal.jsonl.gz");
    const builder = new RunBuilder();
    for (let i = 0; i < 30; i++) builder.scrape(i, [{ name: "load", value: i }]);
    // Each is overwritten by the next.
    const scrapes = Array.from(builder.run.store.scrapesInOrder(), (scrape) => structuredClone(scrape));
    const journal = await JournalWriter.open(path, {
      metadata: builder.run.metadata,
      time: ORIGIN,
      limitBytes: 1e9,
      onNotice: ({ reason }) => expect.fail(reason),
    });
    const flushed = async (from: number, to: number) => {
      for (const scrape of scrapes.slice(from, to)) journal.scrape(scrape, "profiling");
      await journal.flush();
    };
    await flushed(0, 3);
    const growing = await openGrowing(path);
    for (let at = 3; at < scrapes.length; at += 9) {
      await flushed(at, at + 9);
      expect(await growing.readMore()).toEqual({ grown: true, notices: [] });
      expect(growing.run.store.scrapes).toBe(at + 9);
      expect(growing.bytes).toBe((await stat(path)).size);
    }
    await journal.close();
    expect(growing.benchmarkId).toBe(builder.run.metadata.benchmarkId);
    expect(growing.run.profilingEnd).toBeUndefined();
    expect([...growing.run.store.seriesKeys()].map(({ id }) => growing.run.store.read(id))).toEqual(
      [...builder.run.store.seriesKeys()].map(({ id }) => builder.run.store.read(id)),
    );
  });
});

describe("a file of another tool that grows", () => {
  const line = (i: number, value: number, more = "") =>
    `{"endpoint_url":"http://a/metrics","timestamp_ns":${1_765_000_000_000_000_000n + BigInt(i) * 1_000_000_000n},"endpoint_latency_ns":5,"metrics":{"app_things_count":[{"value":${value}}]${more}}}\n`;

  it("turns a counter by name into a gauge when it falls, whatever comes with it", async () => {
    const path = newPath();
    await writeFile(path, line(0, 1) + line(1, 2));
    const growing = await openGrowing(path);
    const types = () => [...growing.run.store.seriesKeys()].map(({ family }) => `${family.name} ${family.type}`);
    expect(types()).toEqual(["app_things_count counter"]);
    await appendFile(path, line(2, 1));
    await growing.readMore();
    expect(types()).toEqual(["app_things_count gauge"]);
    await appendFile(path, line(3, 5) + line(4, 7, ',"load":[{"value":1}]'));
    await growing.readMore();
    expect(types()).toEqual(["app_things_count gauge", "load gauge"]);
    const [key] = growing.run.store.seriesKeys();
    const read = key === undefined ? undefined : growing.run.store.read(key.id);
    expect(read?.kind === "scalar" ? [...read.values] : undefined).toEqual([1, 2, 1, 5, 7]);
  });

  it("takes a last line without its end once", async () => {
    const path = newPath();
    await writeFile(path, (line(0, 1) + line(1, 2)).trimEnd());
    const growing = await openGrowing(path);
    expect(growing.run.store.scrapes).toBe(2);
    await appendFile(path, "\r");
    await growing.readMore();
    await appendFile(path, `\n${line(2, 3).slice(0, 40)}`);
    const { grown, notices } = await growing.readMore();
    const said = (problems: readonly Problem[]) => problems.map(({ reason }) => reason).join();
    expect(grown).toBe(false);
    expect(said(notices)).not.toContain("cut off");
    expect(said(growing.notices)).toContain("Line 3, the last one, is cut off");
    await appendFile(path, line(2, 3).slice(40));
    await growing.readMore();
    expect(said(growing.notices)).not.toContain("cut off");
    expect(growing.run.store.scrapes).toBe(3);
  });

  it("names what can be followed when it cannot be", async () => {
    const path = join(directory, "values.txt");
    await writeFile(path, "# TYPE up gauge\nup 1\n");
    await expect(openGrowing(path)).rejects.toThrow("only JSONL and journals");
  });
});
