import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UserError } from "../../src/core/text/errors.js";
import { durationNs, epochNs, type Problem, type RunMetadata, type Scrape } from "../../src/core/model/index.js";
import { complete, runStatistics } from "../../src/core/stats/index.js";
import { JournalWriter, recoverJournal } from "../../src/files/index.js";
import { BatchBuilder, ORIGIN, RunBuilder, SECOND } from "../support/run-builder.js";

const URL_A = "http://a:1/metrics";
const METADATA: RunMetadata = {
  benchmarkId: "11111111-2222-4333-8444-555555555555",
  label: "night run",
  endpointsConfigured: [URL_A],
  sliceDurationSeconds: 2,
  inputConfig: { seed: 9_007_199_254_740_993n, note: 'a "quoted" text' },
};

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "journal-"));
  path = join(folder, "run.journal");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Distinct values that hardly compress, so that a member is longer than any buffer on the way. */
function scrapes(count: number, seriesPerScrape = 200): Scrape[] {
  const builder = new BatchBuilder();
  return Array.from({ length: count }, (_, i) => {
    const samples = Array.from({ length: seriesPerScrape }, (_, s) => ({
      name: `gauge_${s}`,
      value: Math.sin(i * seriesPerScrape + s) * 1e6,
    }));
    const time = epochNs(ORIGIN + BigInt(i) * 333_000_000n);
    const { defs, ids, values, length } = builder.batch(samples);
    return {
      endpointUrl: URL_A,
      time,
      latency: durationNs(1_000_000),
      requestSent: epochNs(time - 1_000_000n),
      outcome: { kind: "samples", batch: { defs, ids, values, length } },
    };
  });
}

async function journalOf(
  all: readonly Scrape[],
  membersOf: number,
  limitBytes = 1e9,
  onNotice: (problem: Problem) => void = () => undefined,
): Promise<number[]> {
  const journal = await JournalWriter.open(path, {
    metadata: METADATA,
    time: ORIGIN,
    limitBytes,
    onNotice,
    batch: 1e9,
  });
  journal.event({ kind: "profiling_start", time: ORIGIN });
  const ends: number[] = [];
  for (const [i, scrape] of all.entries()) {
    journal.scrape(scrape, "profiling");
    if ((i + 1) % membersOf !== 0) continue;
    await journal.flush();
    ends.push((await stat(path)).size);
  }
  await journal.close();
  return ends;
}

describe("a journal", () => {
  it("gives back the run that went in: samples, failures, duplicates, gaps, events and configuration", async () => {
    const builder = new RunBuilder(2);
    const journal = await JournalWriter.open(path, {
      metadata: METADATA,
      time: ORIGIN,
      limitBytes: 1e9,
      onNotice: () => undefined,
    });
    const histogram = (n: number) => ({
      name: "h",
      buckets: { "0.5": n, "1.0": 2 * n, "+Inf": 3 * n },
      sum: n / 3,
      count: 3 * n,
    });
    journal.event({ kind: "profiling_start", time: epochNs(ORIGIN + BigInt(SECOND)) });
    for (let i = 0; i < 8; i++) {
      builder.scrape(
        i,
        i === 3
          ? "duplicate"
          : i === 5
            ? "failed"
            : [
                histogram(i + 1),
                { name: "c", type: "counter", value: i * i },
                { name: "g", value: i === 2 ? NaN : -i, labels: { a: 'x"\n\\' } },
                { name: "server_info", labels: { version: "1" }, value: 1 },
              ],
      );
    }
    builder.window(1, 7);
    for (const scrape of builder.run.store.scrapesInOrder()) journal.scrape(scrape, "profiling");
    journal.event({ kind: "mark", time: epochNs(ORIGIN + 4n * BigInt(SECOND)), label: "concurrency 8" });
    journal.event({ kind: "profiling_end", time: epochNs(ORIGIN + 7n * BigInt(SECOND)) });
    await journal.close();
    const { run, problems } = await recoverJournal(path);
    expect(problems).toEqual([]);
    const marks = [{ time_ns: ORIGIN + 4n * BigInt(SECOND), label: "concurrency 8" }];
    expect(run.metadata).toEqual({ ...METADATA, inputConfig: { ...METADATA.inputConfig, marks } });
    expect(run.marks).toEqual([{ time: ORIGIN + 4n * BigInt(SECOND), label: "concurrency 8" }]);
    const statistics = (of: typeof run) => complete(runStatistics(of, { unitOf: () => undefined, sliceSeconds: 2 }));
    const { benchmarkId: _, endpointsConfigured: __, inputConfig: ___, ...before } = statistics(builder.run);
    expect(statistics(run)).toMatchObject(before);
    expect(statistics(run).families.find(({ name }) => name === "g")?.series[0]?.stats).toHaveProperty("gaps", 2);
    expect(
      [...run.store.scrapesInOrder()].map(({ time, requestSent, latency, outcome }) => [
        time,
        requestSent,
        latency,
        outcome.kind,
      ]),
    ).toEqual(
      [...builder.run.store.scrapesInOrder()].map(({ time, requestSent, latency, outcome }) => [
        time,
        requestSent,
        latency,
        outcome.kind,
      ]),
    );
  });

  it("loses of a torn end only what was torn", async () => {
    const ends = await journalOf(scrapes(200), 20);
    for (const [whole, cut] of [
      [9, 1],
      [5, 3],
      [3, 2000],
      [1, 17],
    ] as const) {
      const bytes = (await readFile(path)).subarray(0, (ends[whole - 1] ?? 0) + cut);
      const torn = join(folder, `torn-${whole}.journal`);
      await writeFile(torn, bytes);
      const { run, problems } = await recoverJournal(torn);
      expect(run.store.scrapes).toBeGreaterThanOrEqual(whole * 20);
      expect(run.store.scrapes).toBeLessThan((whole + 1) * 20);
      expect(problems.map(({ reason }) => reason).join(" ")).toContain("is cut off");
      expect(run.profilingEnd).toBe(ORIGIN + BigInt(run.newest));
    }
  });

  it("gives back every scrape of its whole members wherever in the last ones it is cut, and says that it was cut", async () => {
    const all = scrapes(9, 2);
    const ends = await journalOf(all, 3);
    const whole = await readFile(path);
    const cut = join(folder, "cut.journal");
    const wrong: string[] = [];
    for (let length = ends[0]!; length < whole.length; length++) {
      await writeFile(cut, whole.subarray(0, length));
      const { run, problems } = await recoverJournal(cut);
      const safe = 3 * ends.filter((end) => end <= length).length;
      const times = Array.from(run.store.scrapesInOrder(), ({ time }) => time);
      const isPrefix = times.every((time, i) => time === all[i]!.time);
      if (times.length < safe || !isPrefix) wrong.push(`${length}: ${times.length} of ${safe}`);
      // Of a member cut before its second byte nothing shows that it was begun.
      const inside = !ends.some((end) => length - end >= 0 && length - end < 2);
      if (inside && !problems.some(({ reason }) => reason.includes("is cut off"))) wrong.push(`${length}: not said`);
    }
    expect(wrong).toEqual([]);
  });

  it.each([
    ["text after the last member", (bytes: Buffer) => Buffer.concat([bytes, Buffer.from("junk junk junk")]), 5],
    [
      "a member that is none",
      (bytes: Buffer) =>
        Buffer.concat([bytes, Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]), Buffer.alloc(300, 0xa7)]),
      5,
    ],
    ["zeros in the last member", (bytes: Buffer, last: number) => Buffer.from(bytes).fill(0, last + 40, last + 120), 4],
    [
      "another byte in the last member",
      (bytes: Buffer, last: number) => Buffer.from(bytes).fill(0xff, last + 30, last + 31),
      4,
    ],
  ])("gives back every whole member before damage: %s", async (_, damage, members) => {
    const all = scrapes(100);
    const ends = await journalOf(all, 20);
    const damaged = join(folder, "damaged.journal");
    await writeFile(damaged, damage(await readFile(path), ends[3] ?? 0));
    const { run, problems } = await recoverJournal(damaged);
    const times = Array.from(run.store.scrapesInOrder(), ({ time }) => time);
    expect(times).toEqual(all.slice(0, members * 20).map(({ time }) => time));
    expect(problems.map(({ reason }) => reason).join(" ")).toContain("is cut off");
  });

  it("loses nothing whole before an end that the disk filled with garbage", async () => {
    const ends = await journalOf(scrapes(100), 20);
    await truncate(path, (ends[3] ?? 0) + 500);
    await appendFile(path, Buffer.alloc(70_000, 0x5a));
    const { run, problems } = await recoverJournal(path);
    expect(run.store.scrapes).toBeGreaterThanOrEqual(80);
    expect(problems.length).toBeGreaterThan(0);
  });

  it("stops at its limit with one notice, and stays recoverable", async () => {
    const notices: Problem[] = [];
    await journalOf(scrapes(100), 10, 50_000, (problem) => notices.push(problem));
    expect(notices.map(({ severity }) => severity)).toEqual(["warning"]);
    expect(notices[0]?.reason).toMatch(/limit/);
    const { run } = await recoverJournal(path);
    expect(run.store.scrapes).toBeGreaterThan(0);
    expect(run.store.scrapes).toBeLessThan(100);
    expect((await stat(path)).size).toBeLessThan(150_000);
  });

  it("refuses to overwrite, and says so of a file that is not there, a folder and a file that is none", async () => {
    await journalOf(scrapes(1), 1);
    await expect(
      JournalWriter.open(path, { metadata: METADATA, time: ORIGIN, limitBytes: 1, onNotice: () => undefined }),
    ).rejects.toThrow(UserError);
    await expect(recoverJournal(join(folder, "none.journal"))).rejects.toThrow(
      /none\.journal cannot be read: there is no such file/,
    );
    await expect(recoverJournal(folder)).rejects.toThrow(/ is a folder, not a file/);
    await writeFile(join(folder, "noise"), Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 37) % 251)));
    await expect(recoverJournal(join(folder, "noise"))).rejects.toThrow(/noise/);
    await writeFile(join(folder, "empty"), "");
    await expect(recoverJournal(join(folder, "empty"))).rejects.toThrow(/empty/);
  });

  it("says of a capture cut off during its warm-up that the statistics cover it", async () => {
    const journal = await JournalWriter.open(path, {
      metadata: METADATA,
      time: ORIGIN,
      limitBytes: 1e9,
      onNotice: () => undefined,
    });
    for (const scrape of scrapes(3, 1)) journal.scrape(scrape, "profiling");
    await journal.close();
    const { run, problems } = await recoverJournal(path);
    expect([run.startIsSet, run.profilingStart]).toEqual([true, ORIGIN]);
    expect(problems.map(({ reason }) => reason).join(" ")).toContain("during its warm-up");
  });

  it("deletes itself", async () => {
    const journal = await JournalWriter.open(path, {
      metadata: METADATA,
      time: ORIGIN,
      limitBytes: 1e9,
      onNotice: () => undefined,
    });
    await journal.delete();
    await expect(stat(path)).rejects.toThrow(/ENOENT/);
  });
});

describe("a process that is killed", () => {
  let child: ChildProcess | undefined;
  afterEach(() => child?.kill("SIGKILL"));

  // How much is missing after a kill in the middle of work is measured: `npm run torture`.
  it("leaves every scrape that it flushed, which it does without being asked", async () => {
    const script = join(folder, "writer.mjs");
    await build({
      stdin: {
        resolveDir: join(import.meta.dirname, "../.."),
        loader: "ts",
        contents: `
          import { JournalWriter } from "./src/files/journal/writer.js";
          import { BatchBuilder, ORIGIN } from "./test/support/run-builder.js";
          const journal = await JournalWriter.open(process.argv[2], { metadata: { benchmarkId: "b", endpointsConfigured: [], sliceDurationSeconds: 5, inputConfig: {} }, time: ORIGIN, limitBytes: 1e9, onNotice() {} });
          const builder = new BatchBuilder();
          let n = 0;
          const tick = () => {
            const time = ORIGIN + BigInt(++n) * 1000000n;
            journal.scrape({ endpointUrl: "http://a:1/metrics", time, latency: 1, requestSent: time, outcome: { kind: "samples", batch: builder.batch([{ name: "g", value: n }]) } });
          };
          for (let i = 0; i < 50; i++) tick();
          process.on("message", () => {
            tick();
            process.send(n);
          });
        `,
      },
      bundle: true,
      platform: "node",
      format: "esm",
      outfile: script,
      logLevel: "silent",
    });
    child = fork(script, [path]);
    const kept = async () => (await recoverJournal(path)).run.store.scrapes;
    await expect.poll(() => kept().catch(() => 0), { timeout: 60_000 }).toBe(50);
    child.send("one more");
    expect((await once(child, "message"))[0]).toBe(51);
    child.kill("SIGKILL");
    await once(child, "exit");
    const { run } = await recoverJournal(path);
    expect(run.store.scrapes).toBeGreaterThanOrEqual(50);
    expect([...run.store.scrapesInOrder()].map(({ time }) => Number(time - ORIGIN) / 1e6)).toEqual(
      Array.from({ length: run.store.scrapes }, (_, i) => i + 1),
    );
  });
});
