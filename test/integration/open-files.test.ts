import { mkdir, readFile, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { ARTIFACT_FORMATS, artifactName, JsonlWriter } from "../../src/core/artifacts/index.js";
import { epochNs } from "../../src/core/model/index.js";
import { Run } from "../../src/core/store/index.js";
import { exportArtifacts } from "../../src/files/index.js";
import { convertArtifact } from "../../src/files/open/convert.js";
import { readClientFiles } from "../../src/files/open/client.js";
import { openArtifact, type OpenedStatistics } from "../../src/files/open/index.js";
import { artifactFolder, built, failure, reasons, samples, valuesOf } from "../support/artifact-folder.js";
import { ORIGIN, RunBuilder } from "../support/run-builder.js";

const { artifact, path, write } = artifactFolder();

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

  it("the earlier aiperf.json: server metrics, and those of the client beside them", async () => {
    const llm = {
      request_latency: { unit: "ms", avg: 400, p99: 900 },
      time_to_first_token: { unit: "ms", avg: 120, p99: 300 },
      request_count: 40,
    };
    const servers = { s1: { metrics: { running: { unit: "requests", avg: 2 } } } };
    const server = { server_metrics: { endpoints: { "http://a:1/metrics": { servers } } } };
    const shown = async (document: object) => {
      const opened = await openArtifact(await write("aiperf.json", JSON.stringify(document)));
      expect([opened.format, opened.kind]).toEqual(["earlier-json", "statistics"]);
      const { families } = (opened as OpenedStatistics).statistics;
      return Object.fromEntries(
        families.flatMap(({ name, series: [first] }) =>
          first?.kind === "gauge" ? [[name, `${first.endpointUrl} ${first.stats.avg}`]] : [],
        ),
      );
    };
    const client = {
      "client:request_count": "client://aiperf 40",
      "client:request_latency_seconds": "client://aiperf 0.4",
      "client:time_to_first_token_seconds": "client://aiperf 0.12",
    };
    const running = { running: "http://a:1/metrics 2" };
    expect(await shown({ llm_metrics: llm, ...server })).toEqual({ ...client, ...running });
    expect(await shown({ llm_metrics: llm })).toEqual(client);
    expect(await shown(server)).toEqual(running);
    const named = await write("named.json", JSON.stringify({ metadata: { model: "m-8b" }, llm_metrics: llm }));
    expect((await readClientFiles([named])).results).toMatchObject([{ tool: "AIPerf", model: "m-8b" }]);
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

describe("a file that cannot be opened", () => {
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

describe("opening a file", () => {
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
