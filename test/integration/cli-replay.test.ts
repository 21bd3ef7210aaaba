import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { parseScrapeLogLine } from "../../src/core/artifacts/index.js";
import { answering, cliFolder, expectRefused, UNWATCHED } from "../support/cli-folder.js";
import { runCli, startCli, until } from "../support/cli.js";

const { file, folder, server } = cliFolder();

describe("demo --record", () => {
  const record = (log: string, ...args: string[]) => runCli(["demo", "--record", log, "--duration", "10", ...args]);

  it("writes the same log for the same seed, compressed when asked, and another for another", async () => {
    expect(await record(file("a.jsonl"))).toMatchObject({ code: 0, stdout: "" });
    await record(file("b.jsonl.gz"));
    await record(file("c.jsonl"), "--seed", "2");
    const [a, b, c] = [
      await readFile(file("a.jsonl"), "utf8"),
      gunzipSync(await readFile(file("b.jsonl.gz"))).toString(),
      await readFile(file("c.jsonl"), "utf8"),
    ];
    expect(a === b).toBe(true);
    expect(a === c).toBe(false);
    const lines = a.trimEnd().split("\n").map(parseScrapeLogLine);
    // Every 333 ms, both ends included.
    expect(lines.length).toBeGreaterThanOrEqual(30);
    expect(Number(lines.at(-1)!.time - lines[0]!.time) / 1e9).toBeGreaterThan(9.5);
  });

  it("gives artifacts through replay, and the same ones for the same log", async () => {
    await record(file("log.jsonl.gz"));
    for (const out of ["one", "two"]) {
      expect(
        await runCli(["replay", file("log.jsonl.gz"), "--out", file(out), "--formats", "json,csv,jsonl,parquet"]),
      ).toMatchObject({ code: 0 });
      expect((await readdir(file(out))).sort()).toEqual([
        ...["csv", "json", "jsonl", "parquet"].map((format) => `server_metrics_export.${format}`),
        "summary.md",
      ]);
    }
    const metrics = async (out: string) =>
      (JSON.parse(await readFile(path.join(file(out), "server_metrics_export.json"), "utf8")) as { metrics: object })
        .metrics;
    expect(await metrics("one")).toEqual(await metrics("two"));
    expect(Object.keys(await metrics("one"))).toContain("vllm:time_to_first_token_seconds");
  });

  it("gives artifacts without timeslices where they are turned off", async () => {
    // Its counters restart: what is ours beside AIPerf's statistics has slices, too.
    await record(file("log.jsonl"), "--scenario", "restart", "--duration", "30");
    const replayed = async (out: string, ...args: string[]) => {
      const formats = ["--formats", "json,csv,jsonl,parquet"];
      expect(await runCli(["replay", file("log.jsonl"), "--out", file(out), ...formats, ...args])).toMatchObject({
        code: 0,
      });
      return readFile(path.join(file(out), "server_metrics_export.json"), "utf8");
    };
    const [sliced, whole] = [await replayed("sliced"), await replayed("whole", "--slice-duration", "0")];
    expect(sliced).toMatch(/"timeslices".*"rate_avg"/s);
    expect(whole).not.toMatch(/timeslices|rate_avg|rate_std/);
    const total = /"vllm:generation_tokens".*?"total": (\d+)/s;
    expect(total.exec(whole)?.[1]).toBe(total.exec(sliced)?.[1]);
    for (const format of ["json", "csv", "jsonl", "parquet"]) {
      const shown = await runCli(["show", path.join(file("whole"), `server_metrics_export.${format}`)]);
      expect(shown).toMatchObject({ code: 0 });
      expect(shown.stdout).toMatch(/vllm:generation_tokens/);
    }
  });

  it("says what is missing or cannot be written", async () => {
    expectRefused(await record(folder()), 2, /cannot be written: it is a folder/);
    expectRefused(await record(file("no/such/folder.jsonl")), 2, /cannot be written: there is no such/);
    expectRefused(
      await record(file("no/such/folder.jsonl.gz"), "--duration", "3600"),
      2,
      /cannot be written: there is no such/,
    );
    expectRefused(await runCli(["demo", "--record", file("x")]), 2, /--record needs --duration/);
    expectRefused(await runCli(["demo", "--duration", "5"]), 2, /--duration needs --record/);
    const seed = await record(file("x"), "--seed", "-1");
    expect(seed).toMatchObject({ code: 2, stdout: "" });
    expect(seed.stderr).toMatch(/-1/);
  });

  it("says that a port is taken, when it serves", async () => {
    const { port } = await server(answering(""));
    expectRefused(await runCli(["demo", "--port", String(port)]), 1, new RegExp(`port ${port} is in use`));
  });
});

describe("replay", () => {
  const replay = (log: string, ...args: string[]) => runCli(["replay", log, "--out", file("out"), ...args]);
  const line = (t: number, body: string, status = 200) =>
    JSON.stringify({ url: "http://a:1/metrics", t_ns: t, latency_ns: 5, status, content_type: "text/plain", body });

  it("says that a log cannot be read or is none", async () => {
    await writeFile(file("text"), "hello\n");
    await writeFile(file("other.jsonl"), '{"endpoint_url":"http://a"}\n');
    await writeFile(file("empty.jsonl"), "");
    await writeFile(file("plain.jsonl.gz"), "hello\n");
    expectRefused(await replay(file("none")), 2, /none cannot be read: there is no such file/);
    expectRefused(await replay(folder()), 2, /is a folder/);
    expectRefused(await replay(file("text")), 2, /text is not a scrape log: line 1/);
    expectRefused(await replay(file("other.jsonl")), 2, /line 1: "url" is missing/);
    expectRefused(await replay(file("empty.jsonl")), 2, /it contains no scrape/);
    expectRefused(await replay(file("plain.jsonl.gz")), 2, /plain\.jsonl\.gz is not a scrape log/);
    expect(await readdir(folder())).not.toContain("out");
  });

  it("skips broken lines and says how many, and the first", async () => {
    await writeFile(
      file("log"),
      `${[line(1e9, "a 1\n"), "{broken", line(2e9, "a 2\n"), '{"url": 5}', line(3e9, "a 4\n")].join("\n")}\n`,
    );
    const result = await replay(file("log"), "--formats", "json");
    expect(result.code).toBe(0);
    expect(result.stderr).toMatch(/2 lines of .*log could not be read and were skipped, the first line 2/);
    const { metrics } = JSON.parse(await readFile(path.join(file("out"), "server_metrics_export.json"), "utf8")) as {
      metrics: Record<string, { series: { stats: { avg: number } }[] }>;
    };
    expect(metrics["a"]!.series[0]!.stats.avg).toBeCloseTo(7 / 3, 12);
  });

  it("ends with 1 when no scrape of a log succeeded", async () => {
    await writeFile(file("log"), `${line(1e9, "down", 503)}\n${line(2e9, "a b c d\n")}\n`);
    expectRefused(await replay(file("log")), 1, /no scrape of .*log succeeded \(the first: .*503/);
  });

  it("refuses an unusable window, slice length, format or folder", async () => {
    await writeFile(file("log"), `${line(1e9, "a 1\n")}\n${line(5e9, "a 2\n")}\n`);
    expectRefused(
      await replay(file("log"), "--start-ns", "4000000000", "--end-ns", "2000000000"),
      2,
      /it ends \(2000000000\) before it starts \(4000000000\)/,
    );
    expectRefused(
      await replay(file("log"), "--start-ns", "0", "--end-ns", "2"),
      2,
      /has no scrape in the window from 0 to 2: its scrapes lie between 1000000000 and 5000000000\./,
    );
    expectRefused(
      await replay(file("log"), "--start-ns", "0", "--end-ns", "9000000000000000", "--slice-duration", "1"),
      2,
      /over 1000000 slices of 1 s. Choose a shorter window/,
    );
    for (const [flag, value] of [
      ["--start-ns", "1e9"],
      ["--end-ns", "-5"],
      ["--slice-duration", "-1"],
      ["--formats", "json,xml"],
      ["--summary", "some"],
    ] as const) {
      const result = await replay(file("log"), flag, value);
      expect(result).toMatchObject({ code: 2, stdout: "" });
      expect(result.stderr).toContain(value);
    }
    await writeFile(file("out"), "in the way");
    expectRefused(await replay(file("log")), 2, /there is a file where a folder should be/);
    expect(await readFile(file("out"), "utf8")).toBe("in the way");
  });
});

describe("histograms with very many buckets", () => {
  /** Eight scrapes of one histogram, all of its buckets populated. */
  function scrapes(buckets: number): string {
    return Array.from({ length: 8 }, (_, t) => {
      let count = 0;
      const lines = Array.from({ length: buckets }, (_, b) => {
        count += (t + 1) * (1 + (b % 3));
        return `h_bucket{le="${b + 1}.0"} ${count}`;
      });
      const body = [
        "# TYPE h histogram",
        ...lines,
        `h_bucket{le="+Inf"} ${count}`,
        `h_sum ${(count * buckets) / 2}`,
        `h_count ${count}`,
        "",
      ].join("\n");
      return `{"url":"http://127.0.0.1:9/metrics","t_ns":${1_765_200_000 + t}000000000,"latency_ns":1000000,"status":200,"content_type":"text/plain; version=0.0.4","body":${JSON.stringify(body)}}\n`;
    }).join("");
  }

  for (const buckets of [1_000, 66_000]) {
    it(`are replayed in seconds with ${buckets}, percentiles linear and said to be so`, async () => {
      await writeFile(file("log"), scrapes(buckets));
      const args = ["replay", file("log"), "--out", file("out"), "--formats", "json,csv,parquet,jsonl"];
      expect(await runCli(args)).toMatchObject({ code: 0 });
      const { metrics } = JSON.parse(await readFile(file("out/server_metrics_export.json"), "utf8")) as {
        metrics: { h: { series: { stats: Record<string, number>; estimate_note: string }[] } };
      };
      const [series] = metrics.h.series;
      expect(series?.estimate_note).toMatch(/^linear: \d+ populated buckets/);
      expect(series?.stats["p50_estimate"]).toBeCloseTo(buckets / 2, -2);
      expect(series?.stats["p99_estimate"]).toBeCloseTo(buckets * 0.99, -2);
    });
  }

  it("end at once when asked to", async () => {
    await writeFile(file("log"), scrapes(66_000));
    const running = startCli(["replay", file("log"), "--out", file("out")], { env: UNWATCHED });
    await until("the statistics", () =>
      readdir(file("out")).then(
        () => true,
        () => false,
      ),
    );
    running.child.kill("SIGTERM");
    expect(await running.finished).toMatchObject({ code: 1, stdout: "" });
    expect(await readdir(folder())).toEqual(["log"]);
  });
});
