import { readFile, rm, truncate, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { Run } from "../../src/core/store/index.js";
import { openArtifact, ParquetArtifact } from "../../src/files/open/index.js";
import { query } from "../support/duckdb.js";
import { artifactFolder, failure, reasons, samples, valuesOf } from "../support/artifact-folder.js";

const { artifact, path, write } = artifactFolder();

describe("a damaged JSONL", () => {
  const lines = async () => (await readFile(artifact("jsonl"), "utf8")).split("\n").filter((line) => line !== "");

  it("cut off in its last line shows what is before it, and says the line", async () => {
    const text = await readFile(artifact("jsonl"), "utf8");
    const total = (await lines()).length;
    const end = text.lastIndexOf('"load"');
    const opened = await samples(await write("torn.jsonl", text.slice(0, end)));
    expect(opened.run.store.scrapes).toBeGreaterThan(55);
    expect(reasons(opened)[0]).toMatch(new RegExp(`^Line (${total - 1}|${total}), the last one, is cut off`));
    expect(opened.notices[0]?.severity).toBe("warning");
  });

  it("with broken lines in the middle skips, counts and lists them", async () => {
    const all = await lines();
    const broken = all.map((line, i) => (i === 20 ? line.slice(0, 100) : i === 30 ? "garbage \u0001" : line));
    const opened = await samples(await write("broken.jsonl", `${broken.join("\n")}\n`));
    expect(opened.run.store.scrapes).toBe(58);
    expect(reasons(opened)[0]).toMatch(/^2 lines could not be read and were skipped: line 21: .*; line 31: /);
  });

  it("may have a broken first line", async () => {
    const all = await lines();
    const opened = await samples(await write("first.jsonl", [`{"endp`, ...all.slice(1)].join("\n")));
    expect(opened.run.store.scrapes).toBe(60);
    expect(reasons(opened)[0]).toContain("line 1:");
  });

  it("with fields it does not know says so", async () => {
    const all = (await lines()).map((line) => line.replace(/\}$/, ',"weather":"fine"}'));
    const opened = await samples(await write("unknown.jsonl", `${all.join("\n")}\n`));
    expect(reasons(opened).join()).toContain("Unknown fields were left out: weather");
    expect(opened.run.store.scrapes).toBe(60);
  });

  it("of one endless line is refused, not kept in memory", async () => {
    const file = await write(
      "endless.jsonl",
      '{"endpoint_url":"http://a","timestamp_ns":1765000000000000000,"metrics":{"',
    );
    const block = "x".repeat(1 << 20);
    for (let i = 0; i < 90; i++) await writeFile(file, block, { flag: "a" });
    expect(await failure(file)).toContain("line 1 cannot be read: it is longer than 80 MiB");
    await rm(file);
  });

  it("that is not a JSONL of ours says what was expected", async () => {
    expect(await failure(await write("other.jsonl", '{"a":1}\n{"a":2}\n'))).toContain(
      "a JSON object with endpoint_url, timestamp_ns and metrics was expected on each line, but line 1 cannot be read",
    );
  });
});

describe("a damaged Parquet file", () => {
  it("cut short says where PAR1 should stand", async () => {
    const file = await write("short.parquet", await readFile(artifact("parquet")));
    await truncate(file, 3000);
    expect(await failure(file)).toContain("its last four bytes (from byte 2996) should be PAR1");
  });

  it("with broken pages says in which row group", async () => {
    const bytes = await readFile(artifact("parquet"));
    bytes.fill(0xff, 4, 400);
    expect(await failure(await write("pages.parquet", bytes))).toMatch(/row group 1 of \d+: /);
  });

  it("damaged anywhere is refused in words or read, and the next file opens as before", async () => {
    const bytes = await readFile(artifact("parquet"));
    const load = valuesOf((await samples(artifact("parquet"))).run, "load");
    const messages: string[] = [];
    for (let from = 4; from < bytes.length - 4000; from += 97) {
      const damaged = Uint8Array.from(bytes);
      for (let i = from; i < from + 60; i++) damaged[i] = Math.imul(i, 2654435761) >>> 24;
      await openArtifact(await write("tripping.parquet", damaged)).catch((error: Error) =>
        messages.push(error.message),
      );
    }
    expect(messages.length).toBeGreaterThan(3);
    for (const message of messages) expect(message).not.toMatch(/unreachable|memory access/);
    expect(valuesOf((await samples(artifact("parquet"))).run, "load")).toEqual(load);
  });

  it("with a broken footer is refused", async () => {
    const bytes = await readFile(artifact("parquet"));
    bytes.fill(0xee, bytes.length - 600, bytes.length - 8);
    expect(await failure(await write("footer.parquet", bytes))).toContain("cannot be read as Parquet");
    const long = await readFile(artifact("parquet"));
    long.writeUInt32LE(0x7fffffff, long.length - 8);
    expect(await failure(await write("long.parquet", long))).toContain("is larger than the file");
  });

  it("of another kind says which columns are missing", async () => {
    await query(`copy (select 1 as a, 'x' as b) to '${path("other.parquet")}' (format parquet)`);
    expect(await failure(path("other.parquet"))).toContain(
      "it has no column endpoint_url, metric_name, metric_type, timestamp_ns, value, but a, b",
    );
  });

  it("without rows opens and says so", async () => {
    await query(`copy (select * from '${artifact("parquet")}' limit 0) to '${path("none.parquet")}' (format parquet)`);
    const opened = await samples(path("none.parquet"));
    expect(opened.run.store.seriesCount).toBe(0);
    expect(reasons(opened)[0]).toContain("has no rows");
  });

  it("of a newer major version is refused with its number", async () => {
    await query(
      `copy (select * from '${artifact("parquet")}') to '${path("newer.parquet")}' (format parquet, kv_metadata { 'aiperf.schema_version': '2.0' })`,
    );
    expect(await failure(path("newer.parquet"))).toContain("has schema version 2.0: this program reads 1.x");
  });

  it.each(["uncompressed", "snappy", "gzip", "zstd", "lz4_raw", "brotli"])(
    "with %s pages and many small row groups is read like our own",
    async (codec) => {
      const file = path(`${codec}.parquet`);
      await query(
        `copy (select * from '${artifact("parquet")}') to '${file}' (format parquet, codec ${codec}, row_group_size 2048)`,
      );
      const [ours, theirs] = [await samples(artifact("parquet")), await samples(file)];
      expect(valuesOf(theirs.run, "load")).toEqual(valuesOf(ours.run, "load"));
      const inside = (values: readonly number[] | undefined) => values?.slice(1);
      expect(inside(valuesOf(theirs.run, "jobs"))).toEqual(inside(valuesOf(ours.run, "jobs")));
      const alone = await ParquetArtifact.open(file);
      expect((await alone.families()).map(({ name, type }) => [name, type])).toEqual([
        ["jobs", "counter"],
        ["load", "gauge"],
        ["wait_seconds", "histogram"],
      ]);
      expect(valuesOf((await alone.loadFamily("load"))!, "load")).toEqual(valuesOf(ours.run, "load"));
      await alone.close();
    },
  );

  it("whose rows are in any order is sorted", async () => {
    const file = path("shuffled.parquet");
    await query(
      `copy (select * from '${artifact("parquet")}' order by hash(timestamp_ns, metric_name, bucket_le)) to '${file}' (format parquet, row_group_size 2048)`,
    );
    const [ours, theirs] = [await samples(artifact("parquet")), await samples(file)];
    expect(valuesOf(theirs.run, "load")).toEqual(valuesOf(ours.run, "load"));
    const histogram = ({ run }: { run: Run }) =>
      run.store.read([...run.store.seriesKeys()].find(({ family }) => family.type === "histogram")!.id);
    const [a, b] = [histogram(ours), histogram(theirs)];
    if (a.kind !== "histogram" || b.kind !== "histogram") throw new Error("no histogram");
    expect(b.segments[0]?.buckets.map((cells) => [...cells].slice(1))).toEqual(
      a.segments[0]?.buckets.map((cells) => [...cells].slice(1)),
    );
  });
});

it("a CSV that is cut off and has a broken row shows the rest and says which lines", async () => {
  const lines = (await readFile(artifact("csv"), "utf8")).split("\r\n");
  const row = lines.findIndex((line) => line.includes(",gauge,load,"));
  const broken = [...lines.slice(0, row + 1), "127.0.0.1:8000,gauge", ...lines.slice(row + 1)].join("\r\n");
  const opened = await openArtifact(await write("damaged.csv", broken.slice(0, -20)));
  expect(opened.kind === "statistics" ? opened.statistics.families.map(({ name }) => name) : []).toContain("load");
  const first = row + 1 + (lines[0] ?? "").split("\n").length;
  expect(reasons(opened).join("|")).toMatch(
    new RegExp(
      `Line \\d+, the last one, is cut off.*1 line could not be read and was skipped: line ${first}: it has 2 cells`,
    ),
  );
});
