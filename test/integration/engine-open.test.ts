import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseWithPatterns } from "../../src/core/compare/index.js";
import { epochNs } from "../../src/core/model/index.js";
import { recordDemo } from "../../src/demo/index.js";
import { exportArtifacts, replayScrapeLog } from "../../src/files/index.js";
import { runFilesOf } from "../../src/files/open/siblings.js";
import type { StatisticsTable, Tile } from "../../src/protocol/index.js";
import { engineInThread as engine } from "../support/engine-in-thread.js";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "server-metrics-open-"));
  const lines: string[] = [];
  await recordDemo({ durationSeconds: 40, seed: 5 }, (line) => void lines.push(line));
  const log = path.join(dir, "scrapes.jsonl");
  await writeFile(log, `${lines.join("\n")}\n`);
  const { run } = await replayScrapeLog(log, { sliceDurationSeconds: 5 });
  run.addMark({ time: epochNs(run.profilingStart + 10_000_000_000n), label: "concurrency 32" });
  await exportArtifacts(run, { directory: dir, formats: ["json", "csv", "jsonl", "parquet"], verify: true });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

function cell(table: StatisticsTable, key: string): number {
  return table.rows[0]?.values[key] ?? NaN;
}

const artifact = (format: string) => `server_metrics_export.${format}`;

/** What a tile says; its line is of samples outside the window, too, where the file has them. */
const plain = ({ sparkline: _, ...tile }: Tile) => tile;

/** Numbers to nine digits, for sums are added in another order; a Parquet's window begins a nanosecond later. */
function rounded(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, one: unknown) =>
      typeof one !== "number" ? one : one === 1 ? 0 : Number(one.toPrecision(9)),
    ),
  );
}

const TTFT = "vllm:time_to_first_token_seconds";

describe("an engine that opens a file", () => {
  it("never writes to the file itself, not even through a link to its folder", async () => {
    const link = path.join(dir, "link");
    await symlink(dir, link);
    const before = await readFile(path.join(dir, "server_metrics_export.jsonl"));
    for (const [file, directory] of [
      [dir, link],
      [link, dir],
    ] as const) {
      const client = engine();
      await client.call("open", { path: path.join(file, "server_metrics_export.jsonl") });
      await expect(client.call("export", { directory, formats: ["jsonl"], verify: false })).rejects.toThrow(
        /server_metrics_export\.jsonl is the file that was opened/,
      );
    }
    expect((await readFile(path.join(dir, "server_metrics_export.jsonl"))).equals(before)).toBe(true);
    await rm(link);
  });

  it("never writes to a packed file itself", async () => {
    const folder = path.join(dir, "packed");
    await mkdir(folder);
    const packed = path.join(folder, "server_metrics_export.jsonl.gz");
    const before = gzipSync(await readFile(path.join(dir, "server_metrics_export.jsonl")));
    await writeFile(packed, before);
    const client = engine();
    await client.call("open", { path: packed });
    const options = { directory: folder, formats: ["jsonl"], verify: false, compression: "gzip" } as const;
    await expect(client.call("export", options)).rejects.toThrow(/server_metrics_export\.jsonl\.gz is the file/);
    expect((await readFile(packed)).equals(before)).toBe(true);
    await rm(folder, { recursive: true });
  });

  it("shows the same statistics from each of a run's four files", async () => {
    const shown: number[][] = [];
    for (const format of ["jsonl", "parquet", "json", "csv"] as const) {
      const client = engine();
      const file = await client.call("open", { path: path.join(dir, `server_metrics_export.${format}`) });
      expect(file.format).toBe(format);
      expect(file.siblings.map((sibling) => sibling.format).sort()).toEqual(
        ["csv", "json", "jsonl", "parquet"].filter((other) => other !== format),
      );
      const { header, families, tiles } = await client.call("describe", {});
      expect([header.state, header.adjustable]).toEqual(["opened", format === "jsonl" || format === "parquet"]);
      expect(header.endpoints[0]?.servers).toEqual(["vLLM"]);
      expect(families.length).toBeGreaterThan(40);
      expect(tiles.find((tile) => tile.family === "vllm:num_requests_running")?.value).toBeGreaterThan(1);
      const gauge = await client.call("statistics", { family: "vllm:num_requests_running" });
      const counter = await client.call("statistics", { family: "vllm:generation_tokens" });
      const histogram = await client.call("statistics", { family: TTFT });
      shown.push([
        cell(gauge, "avg"),
        cell(gauge, "p95"),
        cell(counter, "total"),
        cell(counter, "rate"),
        cell(histogram, "count"),
        cell(histogram, "p99_estimate"),
      ]);
      client.dispose();
    }
    const [jsonl, parquet, json, csv] = shown;
    for (const other of [parquet, json]) other!.forEach((value, i) => expect(value).toBeCloseTo(jsonl![i]!, 9));
    // CSV keeps four decimals.
    csv!.forEach((value, i) => expect(Math.abs(value - jsonl![i]!)).toBeLessThanOrEqual(5.1e-5));
  });

  it("shows one run alike whichever of its files is asked for, and whichever of them holds the samples", async () => {
    const shown: unknown[] = [];
    for (const formats of [["jsonl", "parquet", "json", "csv"], ["parquet", "json", "csv"], ["jsonl"]]) {
      const folder = await mkdtemp(path.join(dir, "run-"));
      for (const format of formats)
        await copyFile(path.join(dir, artifact(format)), path.join(folder, artifact(format)));
      for (const format of formats) {
        const client = engine();
        const [best = "", ...instead] = (await runFilesOf(path.join(folder, artifact(format)))).paths;
        const file = await client.call("open", { path: best, instead });
        expect([file.format, file.alone]).toEqual([formats[0], undefined]);
        const { header, tiles } = await client.call("describe", {});
        const { findings } = await client.call("findings", {});
        const slices = await client.call("timeslices", { family: TTFT });
        shown.push(
          rounded({
            marks: header.marks,
            label: header.label,
            tiles: tiles.map(plain),
            findings,
            slices: slices.rows.map(({ values }) => values),
          }),
        );
        client.dispose();
      }
    }
    for (const other of shown) expect(other).toEqual(shown[0]);
  });

  it("shows the next file of the run where the best cannot be read, and says so", async () => {
    const folder = await mkdtemp(path.join(dir, "damaged-"));
    await copyFile(path.join(dir, artifact("json")), path.join(folder, artifact("json")));
    await writeFile(path.join(folder, artifact("parquet")), "PAR1 no more");
    const client = engine();
    const [best = "", ...instead] = (await runFilesOf(path.join(folder, artifact("json")))).paths;
    expect((await client.call("open", { path: best, instead })).format).toBe("json");
    const { header } = await client.call("describe", {});
    expect(header.problems[0]).toMatchObject({
      severity: "warning",
      reason: expect.stringMatching(
        /server_metrics_export\.parquet .*server_metrics_export\.json of the same run is shown\.$/,
      ) as string,
    });
    await expect(engine().call("open", { path: best })).rejects.toThrow("server_metrics_export.parquet");
    client.dispose();
  });

  it("answers a slice length that makes no sense with those that do, and keeps the one it had", async () => {
    const client = engine();
    await client.call("open", { path: path.join(dir, "server_metrics_export.jsonl") });
    for (const sliceSeconds of [0.001, 0.0999, 86_401, NaN])
      await expect(client.call("adjust", { sliceSeconds })).rejects.toMatchObject({
        code: "unusable-settings",
        remedy: "Choose a length from 0.1 s to 86400 s.",
      });
    expect((await client.call("describe", {})).header.sliceDurationSeconds).toBe(5);
    await client.call("adjust", { sliceSeconds: 0.1 });
    expect((await client.call("describe", {})).header.sliceDurationSeconds).toBe(0.1);
    client.dispose();
  });

  it("draws what each file holds, and says once, beside the file, what every file of its format lacks", async () => {
    for (const [format, drawn, lacks] of [
      ["jsonl", true, undefined],
      ["parquet", true, /^Parquet holds the window only/],
      ["json", true, /^JSON holds statistics and slices/],
      ["csv", false, /^CSV holds statistics only/],
    ] as const) {
      const client = engine();
      await client.call("open", { path: path.join(dir, `server_metrics_export.${format}`) });
      const { header } = await client.call("describe", {});
      expect(header.file?.lacks).toEqual(lacks === undefined ? undefined : expect.stringMatching(lacks));
      expect([header, ...header.endpoints].flatMap(({ problems }) => problems)).toEqual([]);
      const chart = await client.call("chart", { family: TTFT, maxSeries: 5, maxPoints: 1000 });
      expect(chart.lines.some((line) => line.values.some((value) => value > 0))).toBe(drawn);
      if (!drawn) expect(chart.empty?.remedy).toMatch(/Parquet or JSONL/);
      const heatmap = await client.call("heatmap", { family: TTFT, maxColumns: 20 });
      expect(heatmap.rates.some((rate) => rate > 0)).toBe(drawn);
      const distribution = await client.call("distribution", { family: TTFT });
      expect(distribution.counts.reduce((sum, n) => sum + n, 0)).toBeGreaterThan(100);
      client.dispose();
    }
  });

  it("ranks series, shares them out and orders vectors alike from each of the files, over the window in view", async () => {
    const vector = "vllm:spec_decode_num_accepted_tokens_per_pos";
    const answers = async (client: ReturnType<typeof engine>) => {
      const ranking = await client.call("ranking", { family: "vllm:request_success", statistic: "total", count: 2 });
      const shares = await client.call("shares", { family: "vllm:request_success", by: "finished_reason" });
      const positions = await client.call("vector", { family: vector });
      return { ranking, shares, positions };
    };
    const numbers: number[][] = [];
    for (const format of ["jsonl", "parquet", "json", "csv"] as const) {
      const client = engine();
      await client.call("open", { path: path.join(dir, `server_metrics_export.${format}`) });
      const { ranking, shares, positions } = await answers(client);
      expect(
        ranking.rows.map(({ labels }) => labels.find(([name]) => name === "finished_reason")?.[1]),
        format,
      ).toEqual(["stop", "length"]);
      expect(ranking.seriesTotal).toBe(shares.parts.length);
      expect(shares.shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
      expect(shares.parts.map(({ name }) => name)).toEqual([...shares.parts.map(({ name }) => name)].sort());
      expect(positions.positions).toEqual(["0", "1", "2"]);
      // A draft token is accepted only after those before it.
      expect(positions.values[0]).toBeGreaterThanOrEqual(positions.values[1] ?? NaN);
      expect(positions.edges.length > 0).toBe(format !== "csv");
      expect(positions.unsliced === undefined).toBe(format !== "csv");
      numbers.push([...ranking.values, ...shares.values, ...positions.values]);
      client.dispose();
    }
    const [jsonl, ...others] = numbers;
    for (const other of others) other.forEach((value, i) => expect(value).toBeCloseTo(jsonl![i]!, 3));

    const client = engine();
    await client.call("open", { path: path.join(dir, "server_metrics_export.parquet") });
    const whole = await answers(client);
    const { header } = await client.call("describe", {});
    await client.call("adjust", {
      window: { start: header.profilingStart, end: ((header.profilingStart + header.now) / 2) as typeof header.now },
    });
    const half = await answers(client);
    expect(half.positions.values[0]).toBeLessThan((whole.positions.values[0] ?? NaN) * 0.7);
    expect(half.ranking.values[0]).toBeLessThan((whole.ranking.values[0] ?? NaN) * 0.7);
    client.dispose();
  });

  it("holds each of the files against assertions, over the window in view", async () => {
    const assertions = [
      "vllm:generation_tokens rate > 1e9",
      `${TTFT} p99_estimate < 1e9`,
      "vllm:nothing_of_the_kind avg < 1",
      "vllm:num_requests_running p50_estimate < 3",
    ].map(parseWithPatterns);
    for (const format of ["jsonl", "parquet", "json", "csv"] as const) {
      const client = engine();
      await client.call("open", { path: path.join(dir, `server_metrics_export.${format}`) });
      const results = await client.call("check", { assertions });
      expect(
        results.map(({ passed }) => passed),
        format,
      ).toEqual([false, true, false, false]);
      const rate = cell(await client.call("statistics", { family: "vllm:generation_tokens" }), "rate");
      expect(results[0]?.series).toMatchObject([{ value: rate, passed: false }]);
      expect(results[1]).toMatchObject({ family: TTFT, unit: "seconds" });
      expect(results[2]?.reason).toMatch(/there is no metric/);
      expect(results[3]?.reason).toMatch(/a gauge has no p50_estimate/);
      client.dispose();
    }
    const client = engine();
    await client.call("open", { path: path.join(dir, "server_metrics_export.parquet") });
    const total = async () =>
      (await client.call("check", { assertions: [parseWithPatterns("vllm:generation_tokens total > 0")] }))[0]
        ?.series[0]?.value ?? NaN;
    const whole = await total();
    const { header } = await client.call("describe", {});
    await client.call("adjust", {
      window: { start: header.profilingStart, end: ((header.profilingStart + header.now) / 2) as typeof header.now },
    });
    expect(await total()).toBeLessThan(whole * 0.7);
    client.dispose();
  });

  it("follows a changed slice length and window, and goes back", async () => {
    const client = engine();
    await client.call("open", { path: path.join(dir, "server_metrics_export.parquet") });
    const rows = async () => (await client.call("timeslices", { family: "vllm:num_requests_running" })).rows.length;
    const total = async () => cell(await client.call("statistics", { family: "vllm:generation_tokens" }), "total");
    const [before, whole] = [await rows(), await total()];
    await client.call("adjust", { sliceSeconds: 10 });
    expect(await rows()).toBe(Math.ceil(before / 2));
    const { header } = await client.call("describe", {});
    const half = { start: header.profilingStart, end: ((header.profilingStart + header.now) / 2) as typeof header.now };
    await client.call("adjust", { window: half });
    expect(await total()).toBeLessThan(whole * 0.7);
    expect((await client.call("describe", {})).header.window).toEqual(half);
    await client.call("adjust", { window: "recorded", sliceSeconds: 5 });
    expect([await rows(), await total()]).toEqual([before, whole]);
    await expect(client.call("adjust", { sliceSeconds: 0 })).rejects.toMatchObject({ code: "unusable-settings" });
    client.dispose();
  });

  it("says that statistics alone cannot be cut anew, and writes a JSON as CSV", async () => {
    const client = engine();
    await client.call("open", { path: path.join(dir, "server_metrics_export.json") });
    expect((await client.call("describe", {})).header.exportable).toEqual(["csv", "json"]);
    const {
      files: [written],
    } = await client.call("export", { directory: path.join(dir, "converted"), formats: ["csv"], verify: false });
    const lines = async (file: string) =>
      (await readFile(file, "utf8")).split(/\r?\n/).filter((line) => !line.startsWith("#"));
    expect(await lines(written!.path)).toEqual(await lines(path.join(dir, "server_metrics_export.csv")));
    await expect(
      client.call("export", { directory: path.join(dir, "converted"), formats: ["parquet"], verify: false }),
    ).rejects.toMatchObject({ message: expect.stringContaining("parquet") as string });
    await expect(client.call("adjust", { sliceSeconds: 1 })).rejects.toMatchObject({
      code: "no-samples",
      remedy: expect.stringContaining("JSONL") as string,
    });
    await expect(client.call("open", { path: dir })).rejects.toMatchObject({ code: "busy" });
    client.dispose();
  });

  it("says what a JSONL lacks that a Parquet has, and nothing of what is whole", async () => {
    const losses = async (from: string, formats: readonly ("json" | "jsonl")[]) => {
      const client = engine();
      await client.call("open", { path: path.join(dir, `server_metrics_export.${from}`) });
      const answer = await client.call("export", {
        directory: path.join(dir, "converted"),
        prefix: from,
        formats,
        verify: false,
      });
      client.dispose();
      expect(answer.files).toHaveLength(formats.length);
      return answer.losses.map(({ reason }) => reason);
    };
    expect(await losses("parquet", ["json", "jsonl"])).toEqual([
      expect.stringMatching(/^The JSONL holds the window's samples without the capture's latencies and fetches\./),
    ]);
    expect(await losses("parquet", ["json"])).toEqual([]);
    expect(await losses("jsonl", ["json", "jsonl"])).toEqual([]);
  });

  it("shows a plain exposition as one moment, which is not a run to be cut or written", async () => {
    const prom = path.join(dir, "metrics.prom");
    await writeFile(
      prom,
      '# HELP up Up.\n# TYPE up gauge\nup{gpu="0"} 3\n# TYPE h histogram\nh_bucket{le="1"} 4\nh_bucket{le="2"} 8\nh_bucket{le="+Inf"} 8\nh_sum 9\nh_count 8\n',
    );
    const client = engine();
    await client.call("open", { path: prom });
    const { header } = await client.call("describe", {});
    expect([header.file?.format, header.adjustable, header.exportable]).toEqual(["snapshot", false, []]);
    const { rows } = await client.call("snapshot", {});
    expect(rows.map(({ family, type, labels }) => [family, type, labels])).toEqual([
      ["up", "gauge", [["gpu", "0"]]],
      ["h", "histogram", []],
    ]);
    expect([rows[0]?.values["value"], rows[1]?.values["count"]]).toEqual([3, 8]);
    client.dispose();
  });

  it("tells what its file says of the configuration, whatever the format, and of its labels", async () => {
    const asked = await Promise.all(
      ["json", "parquet", "jsonl"].map(async (format) => {
        const client = engine();
        await client.call("open", { path: path.join(dir, `server_metrics_export.${format}`) });
        const answers = [await client.call("configuration", {}), await client.call("labels", {})] as const;
        client.dispose();
        return answers;
      }),
    );
    const [[config]] = asked as [(typeof asked)[number]];
    expect(config.length).toBeGreaterThan(0);
    for (const [other] of asked) expect(other).toEqual(config);
    for (const [, labels] of asked)
      expect(
        labels.filter(({ family, label }) => family === "vllm:request_success" && label === "finished_reason").length,
      ).toBeGreaterThan(1);
  });

  it("opens a compressed scrape log whatever its name", async () => {
    const packed = path.join(dir, "yesterday.log");
    await writeFile(packed, gzipSync(await readFile(path.join(dir, "scrapes.jsonl"))));
    const client = engine();
    expect((await client.call("open", { path: packed })).format).toBe("scrape-log");
    expect((await client.call("describe", {})).header.scrapes).toBe(121);
    client.dispose();
  });

  it("refuses what is not an artifact with the reason", async () => {
    const bad = path.join(dir, "server_metrics_export-bad.json");
    await writeFile(bad, '{"hello": ');
    await expect(engine().call("open", { path: bad })).rejects.toThrow(`${bad} cannot be read as `);
  });
});
