import { mkdir, mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ARTIFACT_FORMATS, artifactName, JsonlWriter, type ArtifactFormat } from "../../src/core/artifacts/index.js";
import { epochNs } from "../../src/core/model/index.js";
import { Run } from "../../src/core/store/index.js";
import { exportArtifacts, FileError } from "../../src/files/index.js";
import { convertArtifact } from "../../src/files/open/convert.js";
import { openArtifact, ParquetArtifact, type OpenedArtifact, type OpenOptions } from "../../src/files/open/index.js";
import { query } from "../support/duckdb.js";
import { ORIGIN, RunBuilder } from "../support/run-builder.js";

let directory: string;
const path = (name: string) => join(directory, name);
const artifact = (format: ArtifactFormat) => path(artifactName(format));

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "server-metrics-files-"));
  await exportArtifacts(built().run, { directory, formats: ARTIFACT_FORMATS, verify: false });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

function built(scrapes = 60): RunBuilder {
  const builder = new RunBuilder();
  for (let i = 0; i < scrapes; i++) {
    builder.scrape(i, [
      { name: "jobs", type: "counter", labels: { state: "done" }, value: i * 2 },
      { name: "wait_seconds", buckets: { "0.5": i, "1": 2 * i, "+Inf": 3 * i }, sum: i / 2, count: 3 * i },
      { name: "load", value: Math.sin(i) },
    ]);
  }
  return builder.window(4.5, scrapes - 1);
}

async function write(name: string, content: string | Uint8Array): Promise<string> {
  await writeFile(path(name), content);
  return path(name);
}

async function samples(file: string, options?: OpenOptions): Promise<OpenedArtifact & { kind: "samples" }> {
  const opened = await openArtifact(file, options);
  if (opened.kind !== "samples") throw new Error(`${file} opened as ${opened.kind}`);
  return opened;
}

/** The error of a file that must not open: one for a person, which names the file. */
async function failure(file: string): Promise<string> {
  const error: unknown = await openArtifact(file).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(FileError);
  const { message } = error as FileError;
  expect(message).toContain(file);
  expect(message).toMatch(/\.$/);
  return message;
}

const reasons = ({ notices }: OpenedArtifact) => notices.map(({ reason }) => reason);
const valuesOf = (run: Run, family: string) => {
  const key = [...run.store.seriesKeys()].find((series) => series.family.name === family);
  const read = key === undefined ? undefined : run.store.read(key.id);
  return read?.kind === "scalar" ? [...read.values] : undefined;
};

describe("the format is detected by content", () => {
  it.each(ARTIFACT_FORMATS)("%s under another name", async (format) => {
    const file = await write(`renamed-${format}.bin`, await readFile(artifact(format)));
    const opened = await openArtifact(file);
    expect(opened.format).toBe(format);
    expect(opened.kind).toBe(format === "json" || format === "csv" ? "statistics" : "samples");
    expect(opened.siblings.map((sibling) => sibling.format)).toEqual(["jsonl", "parquet", "json", "csv"]);
  });

  it("a journal: JSONL in gzip members, with the run's start", async () => {
    const writer = new JsonlWriter();
    const lines = (await readFile(artifact("jsonl"), "utf8")).split("\n").filter((line) => line !== "");
    const start = writer.event({ kind: "run_start", time: ORIGIN, metadata: built().run.metadata });
    const members = [start, ...lines.slice(1)].map((line) => gzipSync(`${line}\n`));
    const { format, run } = await samples(await write("capture.journal", Buffer.concat(members)));
    expect([format, run.store.scrapes]).toEqual(["journal", 60]);
    // A torn last member: all before it is there.
    const torn = await samples(await write("torn.journal", Buffer.concat(members.slice(0, -1)).subarray(0, -30)));
    expect(torn.run.store.scrapes).toBe(59);
    expect(reasons(torn).join()).toContain("cut off");
  });

  it("a scrape log", async () => {
    const line = (i: number) =>
      JSON.stringify({
        url: "http://a:1/metrics",
        t_ns: 0,
        latency_ns: 5,
        status: 200,
        content_type: "text/plain",
        body: `# TYPE g gauge\ng ${i}\n`,
      }).replace('"t_ns":0', `"t_ns":${ORIGIN + BigInt(i)}`);
    const { format, run } = await samples(await write("scrapes.log", `${line(1)}\n${line(2)}\n`));
    expect(format).toBe("scrape-log");
    expect(valuesOf(run, "g")).toEqual([1, 2]);
  });

  it("an exposition: one moment, as a table", async () => {
    const opened = await openArtifact(
      await write("metrics.prom", '# HELP g A gauge.\n# TYPE g gauge\ng{a="b"} 3\n# TYPE c_total counter\nc_total 5\n'),
    );
    expect(opened.kind).toBe("snapshot");
    if (opened.kind === "snapshot") expect(valuesOf(opened.run, "c")).toEqual([5]);
    expect((await openArtifact(await write("bare.txt", "up 1\n"))).kind).toBe("snapshot");
  });

  it("the earlier layouts", async () => {
    const csv = await openArtifact(await write("metrics.csv", "## Server: http://a\nMetric,avg\nm,1\n"));
    const json = await openArtifact(
      await write(
        "aiperf.json",
        '{"llm_metrics":{},"server_metrics":{"endpoints":{"http://a":{"servers":{"s":{"metrics":{"m":1}}}}}}}',
      ),
    );
    expect([csv.format, csv.kind, json.format, json.kind]).toEqual([
      "earlier-csv",
      "statistics",
      "earlier-json",
      "statistics",
    ]);
  });
});

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

it("a CSV with a NUL in a label opens, and is written again as it was", async () => {
  const builder = new RunBuilder();
  for (let i = 0; i < 5; i++) builder.scrape(i, [{ name: "load", labels: { id: "a\0b" }, value: i }]);
  const [file] = await exportArtifacts(builder.window(0, 4).run, {
    directory: path("nul"),
    formats: ["csv"],
    verify: true,
  });
  const opened = await openArtifact(file!.path);
  if (opened.kind !== "statistics") throw new Error(`it opened as ${opened.kind}`);
  expect(opened.statistics.families[0]?.series[0]?.labels).toEqual([["id", "a\0b"]]);
});

it.each(["json", "jsonl", "parquet"] as const)(
  "secrets in the URLs of a %s file are neither shown nor written again, and its endpoints stay apart",
  async (format) => {
    const builder = new RunBuilder();
    const url = (secret: string) => `http://user:pa55word@a:1/metrics?max_tokens=7&token=${secret}`;
    for (let i = 0; i < 6; i++)
      for (const secret of ["s3cr3t-one", "s3cr3t-two"])
        builder.scrape(
          i,
          [
            { name: "jobs", type: "counter", labels: { tokenizer: "t" }, value: i * secret.length },
            { name: "wait_seconds", buckets: { "1": i, "+Inf": i }, sum: i, count: i },
          ],
          url(secret),
        );
    const [file] = await exportArtifacts(builder.window(1, 5).run, {
      directory: path(`secret-${format}`),
      formats: [format],
      verify: false,
    });
    expect((await readFile(file!.path)).includes("s3cr3t")).toBe(true);
    const opened = await openArtifact(file!.path);
    const formats = opened.kind === "samples" ? ARTIFACT_FORMATS : (["json", "csv"] as const);
    const directory = path(`clean-${format}`);
    const written = await convertArtifact(opened, { directory, formats, verify: false });
    for (const { path: clean } of written) {
      const bytes = await readFile(clean);
      expect(bytes.includes("s3cr3t"), clean).toBe(false);
      expect(bytes.includes("pa55word"), clean).toBe(false);
    }
    const again = await openArtifact(written[0]!.path);
    if (again.kind !== "statistics") throw new Error(`it opened as ${again.kind}`);
    expect(again.statistics.endpointsSuccessful).toEqual([
      "http://a:1/metrics?max_tokens=7&token=REDACTED",
      "http://a:1/metrics?max_tokens=7&token=REDACTED#2",
    ]);
    expect(again.statistics.families.flatMap(({ series }) => series.map(({ endpointUrl }) => endpointUrl))).toEqual([
      ...again.statistics.endpointsSuccessful,
      ...again.statistics.endpointsSuccessful,
    ]);
  },
);

it("a JSON of a million brackets is refused where it nests too deep, before it takes memory", async () => {
  const file = await write("deep.json", `{"schema_version":"1.0","input_config":${"[".repeat(1e6)}${"]".repeat(1e6)}}`);
  expect(await failure(file)).toMatch(/nests more than 500 levels deep at byte 5\d\d/);
});

it("an exposition has at most as many series as an endpoint, and the rest is reported", async () => {
  const wide = `wide{${Array.from({ length: 300 }, (_, i) => `l${i}="x"`).join(",")}} 1\nb 2\n`;
  const opened = await openArtifact(await write("wide.prom", wide));
  if (opened.kind !== "snapshot") throw new Error(`it opened as ${opened.kind}`);
  expect(opened.run.store.seriesCount).toBe(1);
  expect(opened.notices.map(({ reason }) => reason).join()).toMatch(
    /1 line of a scrape of .*wide.prom was dropped: more than 256 labels/,
  );
});

describe("other bad files", () => {
  it.each([
    ["empty.json", "", "is empty"],
    ["blank.csv", "   \n  ", "cannot be read as a CSV artifact"],
    ["binary.json", Uint8Array.from({ length: 4000 }, (_, i) => (i * 7919) % 256), "binary data"],
    ["page.html", "<html><body>404</body></html>", 'it begins with "<html>'],
    [
      "other.json",
      '{"name":"x","scripts":{}}',
      "it has none of schema_version, benchmark_id and metrics, but name, scripts",
    ],
    [
      "cut.json",
      '{"schema_version":"1.0","benchmark_id":"b","metrics":{"m":{"type":"ga',
      "it breaks off at byte 69 within metrics › m",
    ],
    ["newer.json", '{"schema_version":"3.1","metrics":{}}', "has schema version 3.1: this program reads 1.x"],
    ["newer.csv", "# schema_version: 2.0\n# benchmark_id: b\n", "has schema version 2.0: this program reads 1.x"],
    ["cells.csv", "# benchmark_id: b\nEndpoint,Type,Metric,Unit,avg,Description\nh,gauge\n", "line 3: it has 2 cells"],
    ["bad.prom", "# TYPE g gauge\ng{a=} 1\n", "cannot be read as an exposition: line 2"],
  ])("%s", async (name, content, message) => {
    expect(await failure(await write(name, content))).toContain(message);
  });

  it("a folder, and nothing", async () => {
    await mkdir(path("folder.json"));
    expect(await failure(path("folder.json"))).toContain("is a folder");
    expect(await failure(path("missing.json"))).toContain("there is no such file");
  });

  it("two gigabytes of zeros are recognised by their beginning", async () => {
    const file = await write("zeros.jsonl", "");
    await truncate(file, 2 ** 31 + 10);
    expect(await failure(file)).toContain("binary data");
    await rm(file);
  });

  it("a newer minor version opens and is said", async () => {
    const text = (await readFile(artifact("json"), "utf8"))
      .replace('"schema_version": "1.1"', '"schema_version": "1.7"')
      .replace('"metrics": {', '"future": [1],\n  "metrics": {');
    const opened = await openArtifact(await write("minor.json", text));
    expect(reasons(opened).join("|")).toMatch(/schema version 1\.7, newer than 1\.1.*future/);
    expect(opened.kind === "statistics" ? opened.statistics.families.length : 0).toBe(3);
  });

  it("hundreds of labels and label sets are kept", async () => {
    const builder = new RunBuilder();
    const labels = (s: number) => Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`label_${i}`, `${s}`]));
    for (let i = 0; i < 3; i++)
      builder.scrape(
        i,
        Array.from({ length: 40 }, (_, s) => ({ name: "wide", labels: labels(s), value: s })),
      );
    const wide = path("wide");
    await exportArtifacts(builder.window(0, 2).run, { directory: wide, formats: ARTIFACT_FORMATS, verify: false });
    for (const format of ARTIFACT_FORMATS) {
      const opened = await openArtifact(join(wide, artifactName(format)));
      const series =
        opened.kind === "statistics" ? opened.statistics.families[0]?.series : [...opened.run.store.seriesKeys()];
      expect([format, series?.length, series?.[0]?.labels.length]).toEqual([format, 40, 300]);
    }
  });

  it("nothing that is opened is written to", async () => {
    const before = await Promise.all(ARTIFACT_FORMATS.map((format) => readFile(artifact(format))));
    for (const format of ARTIFACT_FORMATS) await openArtifact(artifact(format));
    const after = await Promise.all(ARTIFACT_FORMATS.map((format) => readFile(artifact(format))));
    expect(after.every((bytes, i) => bytes.equals(before[i]!))).toBe(true);
  });
});

describe("opening", () => {
  it("tells progress, gives a first view early, and can be cancelled", async () => {
    const line = (await readFile(artifact("jsonl"), "utf8")).split("\n");
    const head = line.slice(0, 3);
    const one = line.find((text) => text.includes('"load"') && !text.includes("metadata"))!;
    const many = Array.from({ length: 12_000 }, (_, i) =>
      one.replaceAll(/"timestamp_ns":\d+/g, `"timestamp_ns":${ORIGIN + BigInt(i) * 333_000_000n}`),
    );
    const file = await write("long.jsonl", `${[...head, ...many].join("\n")}\n`);
    const seen: { scrapes: number; fraction: number }[] = [];
    let fraction = 0;
    const { run } = await samples(file, {
      onProgress: (share) => (fraction = share),
      onFirstSamples: (first) => seen.push({ scrapes: first.store.scrapes, fraction }),
    });
    expect(seen).toHaveLength(1);
    expect(seen[0]?.scrapes).toBeGreaterThan(100);
    expect(seen[0]?.scrapes).toBeLessThan(run.store.scrapes);
    expect(seen[0]?.fraction).toBeLessThan(0.7);
    expect(fraction).toBe(1);
    const controller = new AbortController();
    const opening = openArtifact(file, {
      signal: controller.signal,
      onFirstSamples: () => controller.abort(new Error("enough")),
    });
    await expect(opening).rejects.toThrow("enough");
    const parquet = openArtifact(artifact("parquet"), { signal: AbortSignal.abort(new Error("not now")) });
    await expect(parquet).rejects.toThrow("not now");
  });

  it("keeps integers of a configuration exact", async () => {
    const { metadata, store } = built().run;
    const run = new Run({ ...metadata, inputConfig: { seed: 12345678901234567890n } }, store);
    run.setProfilingEnd(epochNs(ORIGIN + 1_000_000_000n));
    const folder = path("exact");
    await exportArtifacts(run, { directory: folder, formats: ["json", "jsonl", "parquet"], verify: false });
    for (const format of ["json", "jsonl", "parquet"] as const) {
      const opened = await openArtifact(join(folder, artifactName(format)));
      const config = opened.kind === "statistics" ? opened.statistics.inputConfig : opened.run.metadata.inputConfig;
      expect([format, config["seed"]]).toEqual([format, 12345678901234567890n]);
    }
  });

  it("reads as many series of an endpoint as the limit allows, and says how many samples it left out", async () => {
    const line = (host: string, i: number, metrics: string) =>
      `{"endpoint_url":"http://${host}/metrics","timestamp_ns":${ORIGIN + BigInt(i) * 1_000_000_000n},"endpoint_latency_ns":1,"metrics":{${metrics}}}\n`;
    const file = await write(
      "families.jsonl",
      Array.from(
        { length: 1500 },
        (_, i) =>
          line("many", i, `"steady":[{"value":${i}}],"new_${i}":[{"value":1}]`) +
          line("one", i, `"x":[{"value":${i}}]`),
      ).join(""),
    );
    const { run, notices } = await samples(file, { seriesLimit: 1000 });
    // 999 of the new families have room beside the steady one.
    expect(run.store.seriesCount).toBe(1001);
    expect(run.store.scrapes).toBe(3000);
    const steady = [...run.store.seriesKeys()].find(({ family }) => family.name === "steady");
    const read = run.store.read(steady!.id);
    expect(read.kind === "scalar" && [...read.values]).toEqual(Array.from({ length: 1500 }, (_, i) => i));
    expect(notices.filter(({ severity }) => severity === "warning")).toEqual([
      {
        severity: "warning",
        reason:
          "Samples were left out: 501 of http://many/metrics. An endpoint may have 1,000 series in a file. The rest is shown.",
        remedy: "To read them too, give show or export a higher --series-limit.",
      },
    ]);
    expect((await samples(file)).run.store.seriesCount).toBe(1502);
  });
});
