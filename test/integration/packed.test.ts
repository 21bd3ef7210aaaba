import { execFileSync } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import * as zlib from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ARTIFACT_FORMATS, artifactName } from "../../src/core/artifacts/index.js";
import { epochNs } from "../../src/core/model/index.js";
import { runPhases } from "../../src/core/window/index.js";
import { exportArtifacts, recoverJournal } from "../../src/files/index.js";
import { bytesOf } from "../../src/files/bytes.js";
import { openArtifact } from "../../src/files/open/index.js";
import { openSeekable } from "../../src/files/packed.js";
import { ORIGIN, RunBuilder, SECOND } from "../support/run-builder.js";
import { runCli } from "../support/cli.js";

const at = (seconds: number) => epochNs(ORIGIN + BigInt(Math.round(seconds * SECOND)));

/** One zstd frame (RFC 8878) of blocks that each repeat a byte 128 KiB times: 4 bytes a block. */
function zstdBomb(blocks: number): Uint8Array {
  const header = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58);
  const size = 128 * 1024;
  const body = Buffer.alloc(blocks * 4);
  for (let i = 0; i < blocks; i++) {
    body.writeUIntLE((size << 3) | (1 << 1) | (i === blocks - 1 ? 1 : 0), i * 4, 3);
    body[i * 4 + 3] = 0x20;
  }
  return Buffer.concat([header, body]);
}

/** Without the `zstd` program a frame of raw blocks: what packs least is zstd, too. */
function zstd(bytes: Uint8Array): Uint8Array {
  try {
    return execFileSync("zstd", ["-q", "-c", "-3"], { input: bytes, maxBuffer: 1 << 28 });
  } catch {
    const blocks: Uint8Array[] = [Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58)];
    for (let i = 0; i < bytes.length; i += 1 << 17) {
      const part = bytes.subarray(i, i + (1 << 17));
      const header = Buffer.alloc(3);
      header.writeUIntLE((part.length << 3) | (i + part.length === bytes.length ? 1 : 0), 0, 3);
      blocks.push(header, part);
    }
    return Buffer.concat(blocks);
  }
}

const PACKERS = { gz: gzipSync, zst: zstd } as const;

describe("packed artifacts", () => {
  let folder: string;
  const plain = () => join(folder, "plain");

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "server-metrics-packed-"));
    const builder = new RunBuilder();
    for (let i = 0; i <= 60; i++) builder.scrape(i, [{ name: "c", type: "counter", value: i * (i < 30 ? 10 : 20) }]);
    const { run } = builder.window(5.5, 55.5);
    run.putPhase({ name: "low", kind: "profiling", start: at(5.5), end: at(29) });
    run.putPhase({ name: "high", kind: "profiling", start: at(30.5), end: at(55.5) });
    await exportArtifacts(run, { directory: plain(), formats: ARTIFACT_FORMATS, verify: false });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  describe.each(["gz", "zst"] as const)("as .%s", (ending) => {
    it.each(ARTIFACT_FORMATS)("open: %s", async (format) => {
      const name = artifactName(format);
      const directory = join(folder, `${ending}-${format}`);
      await mkdir(directory);
      // What a CSV itself does not tell, its window, is the phases'.
      await copyFile(join(plain(), "phase_manifest.json"), join(directory, "phase_manifest.json"));
      const packed = join(directory, `${name}.${ending}`);
      await writeFile(packed, PACKERS[ending](await readFile(join(plain(), name))));
      const [expected, opened] = await Promise.all([openArtifact(join(plain(), name)), openArtifact(packed)]);
      expect(opened.kind).toBe(expected.kind);
      expect(opened.format).toBe(expected.format);
      if (opened.kind === "statistics" && expected.kind === "statistics")
        expect(opened.statistics).toEqual(expected.statistics);
      else if (opened.kind === "samples" && expected.kind === "samples") {
        expect(opened.run.store.scrapes).toBe(expected.run.store.scrapes);
        expect(opened.run.metadata.benchmarkId).toBe(expected.run.metadata.benchmarkId);
      }
      // What was unpacked to be read is gone.
      expect((await readdir(tmpdir())).filter((one) => one.startsWith("server-metrics-unpacked-"))).toEqual([]);
    });

    it.runIf(process.platform === "linux")("leave nothing behind, whenever the process is killed", async () => {
      const packed = join(folder, `zeros.parquet.${ending}`);
      await writeFile(packed, PACKERS[ending](Buffer.concat([Buffer.from("PAR1"), Buffer.alloc(1 << 26)])));
      const named = await mkdtemp(join(folder, "tmp-"));
      const before = process.env["TMPDIR"];
      process.env["TMPDIR"] = named;
      let over = false;
      const opening = openSeekable(packed, {}).finally(() => (over = true));
      const seen: number[] = [];
      while (!over) {
        for (const one of await readdir(named, { recursive: true, withFileTypes: true }).catch(() => []))
          if (one.isFile()) seen.push((await stat(join(one.parentPath, one.name)).catch(() => ({ size: 0 }))).size);
        await new Promise(setImmediate);
      }
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
      const unpacked = await opening;
      expect(unpacked.size).toBe((1 << 26) + 4);
      await unpacked.close();
      // A file with a name is what a kill would have left.
      expect(seen.filter((size) => size > 0)).toEqual([]);
    });

    it("open: an exposition", async () => {
      const path = join(folder, `snapshot.prom.${ending}`);
      await writeFile(path, PACKERS[ending](Buffer.from("# TYPE a gauge\na 1\n")));
      expect((await openArtifact(path)).kind).toBe("snapshot");
      const parsed = await runCli(["parse", path]);
      expect(JSON.parse(parsed.stdout)).toMatchObject({ families: [{ name: "a" }] });
    });

    it("cut off show what is before", async () => {
      const path = join(folder, `torn.jsonl.${ending}`);
      const lines = await readFile(join(plain(), artifactName("jsonl")));
      const packed = PACKERS[ending](Buffer.concat([lines, Buffer.from(JSON.stringify(incompressible()))]));
      await writeFile(path, packed);
      await truncate(path, packed.length - 60_000);
      const opened = await openArtifact(path);
      expect(opened.kind === "samples" && opened.run.store.scrapes).toBeGreaterThan(0);
      expect(opened.notices.map(({ reason }) => reason).join(" ")).toContain("cut off");
    });
  });

  it.each([
    ["csv", "not a journal but a CSV of statistics"],
    ["parquet", "not a journal but a Parquet file"],
  ] as const)("are not recovered, and what they are is said: %s", async (format, reason) => {
    await expect(recoverJournal(join(plain(), artifactName(format)))).rejects.toThrow(reason);
  });

  it("that unpack to far more than any artifact are not read on", async () => {
    const path = join(folder, "bomb.json.zst");
    await writeFile(path, zstdBomb(40_000));
    let bytes = 0;
    await expect(
      (async () => {
        for await (const chunk of bytesOf(path, {})) bytes += chunk.length;
      })(),
    ).rejects.toThrow(/bomb\.json\.zst unpacks to more than \d+ MiB from 160006 bytes/);
    expect(bytes).toBeLessThan(600 * 1024 ** 2);
  });

  it("that ask for a window of gigabytes get no room for it", async () => {
    const path = join(folder, "window.jsonl.zst");
    // Of a frame of one byte the second of its header says 1.9 GiB.
    const frame = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa7, 0x0b, 0, 0, 0x20);
    await writeFile(path, Buffer.concat(Array.from({ length: 100 }, () => frame)));
    const { code, stderr } = await runCli(["show", path]);
    expect(stderr).toMatch(/window\.jsonl\.zst .*a frame asks for a window of 1,920 MiB; at most 128 are accepted/);
    expect(code).toBe(2);
  });

  it("are written with --compress gzip, whole with their phases", async () => {
    const out = join(folder, "out");
    const { code, stdout, stderr } = await runCli([
      "export",
      join(plain(), artifactName("jsonl")),
      ...["--formats", "json,csv,jsonl,parquet", "--compress", "gzip", "--out", out],
    ]);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    const names = ARTIFACT_FORMATS.map((format) => artifactName(format, undefined, "gzip"));
    expect(stdout.trim().split("\n").sort()).toEqual(names.map((name) => join(out, name)).sort());
    expect((await readdir(out)).sort()).toEqual([...names, "phase_manifest.json.gz", "phases"].sort());
    for (const format of ARTIFACT_FORMATS) {
      const opened = await openArtifact(join(out, artifactName(format, undefined, "gzip")));
      if (opened.kind === "samples") expect(runPhases(opened.run).map(({ name }) => name)).toEqual(["low", "high"]);
      if (format === "json")
        expect(opened.siblings.map((file) => file.format).sort()).toEqual(["csv", "jsonl", "parquet"]);
    }
    const text = (path: string) => readFile(path).then((bytes) => gunzipSync(bytes).toString());
    expect(await text(join(out, "server_metrics_export.csv.gz"))).toBe(
      await readFile(join(plain(), "server_metrics_export.csv"), "utf8"),
    );
  });

  it("are written as zstd where Node has it, and refused with the reason elsewhere", async () => {
    const out = join(folder, "out-zstd");
    const { code, stderr } = await runCli([
      "export",
      join(plain(), artifactName("jsonl")),
      ...["--formats", ARTIFACT_FORMATS.join(","), "--compress", "zstd", "--out", out],
    ]);
    if ("createZstdCompress" in zlib) {
      expect(code).toBe(0);
      for (const format of ARTIFACT_FORMATS) {
        const { kind } = await openArtifact(join(out, artifactName(format, undefined, "zstd")));
        expect(kind, format).toBe(format === "json" || format === "csv" ? "statistics" : "samples");
      }
    } else {
      expect(code).toBe(2);
      expect(stderr).toMatch(/cannot write zstd\. Use gzip/);
    }
  });
});

function incompressible(): readonly number[] {
  let state = 1;
  return Array.from({ length: 100_000 }, () => (state = (state * 48271) % 2147483647));
}
