import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseScrapeLogLine } from "../../src/core/artifacts/index.js";
import { runCli, startCli, until, type Finished } from "../support/cli.js";
import { serve, type Handler, type TestServer } from "../support/faulty-server.js";

let dir: string;
const servers: TestServer[] = [];

beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "server-metrics-tools-"));
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
  await rm(dir, { recursive: true, force: true });
});

const file = (name: string) => path.join(dir, name);

async function server(handler: Handler): Promise<TestServer> {
  const started = await serve(handler);
  servers.push(started);
  return started;
}

const answering =
  (body: string, contentType = "text/plain; version=0.0.4"): Handler =>
  (_, response) =>
    void response.setHeader("content-type", contentType).end(body);

/** One line on standard error that says what and why; nothing on standard output, no stack trace. */
function expectRefused({ code, stdout, stderr }: Finished, exitCode: number, ...parts: RegExp[]): void {
  for (const part of parts) expect(stderr).toMatch(part);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect({ code, stdout }).toEqual({ code: exitCode, stdout: "" });
}

const EXPOSITION = `# HELP vllm:num_requests_running Running.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0"} 3
# TYPE vllm:prompt_tokens_total counter
vllm:prompt_tokens_total 12
# TYPE vllm:spec_decode_num_accepted_tokens_per_pos_total counter
vllm:spec_decode_num_accepted_tokens_per_pos_total{position="10"} 1
vllm:spec_decode_num_accepted_tokens_per_pos_total{position="2"} 5
vllm:spec_decode_num_accepted_tokens_per_pos_total{position="0"} 9
# TYPE vllm:time_to_first_token_seconds histogram
vllm:time_to_first_token_seconds_bucket{le="0.5"} 4
vllm:time_to_first_token_seconds_bucket{le="10.0"} 7
vllm:time_to_first_token_seconds_bucket{le="+Inf"} 8
vllm:time_to_first_token_seconds_sum 20
vllm:time_to_first_token_seconds_count 8
`;

describe("snapshot", () => {
  it("lists gauges, counters, histograms and vectors in numeric order", async () => {
    const { origin } = await server(answering(EXPOSITION));
    const result = await runCli(["snapshot", origin]);
    expect(result).toMatchObject({ code: 0, stderr: "" });
    const lines = result.stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^Gauge\s+vllm:num_requests_running\{engine="0"\} 3\b/);
    expect(lines[1]).toMatch(/^Counter\s+vllm:prompt_tokens 12\b/);
    expect(lines[2]).toMatch(/^Vector\s+vllm:spec_decode_num_accepted_tokens_per_pos \[9\b.*5\b.*1\b.*\] by position/);
    expect(lines[3]).toMatch(/^Histogram\s+vllm:time_to_first_token_seconds count 8, .*avg 2.5 s/);
  });

  it("gives the same as JSON, buckets in their order", async () => {
    const { origin } = await server(answering(EXPOSITION));
    const metrics = JSON.parse((await runCli(["snapshot", "--json", `${origin}/metrics`])).stdout) as Record<
      string,
      unknown
    >[];
    expect(metrics.map(({ kind }) => kind)).toEqual(["Gauge", "Counter", "Vector", "Histogram"]);
    expect(metrics[2]).toMatchObject({
      label: "position",
      values: [9, null, 5, null, null, null, null, null, null, null, 1],
    });
    expect(metrics[3]).toMatchObject({ count: 8, sum: 20, buckets: { "0.5": 4, "10.0": 7, "+Inf": 8 } });
    // It asked the server and left again: a probe or two and one scrape.
    expect(servers[0]!.requests.length).toBeLessThanOrEqual(3);
  });

  it("sends headers and credentials, and shows neither", async () => {
    let seen = "";
    const { port } = await server((request, response) => {
      seen = `${request.headers.authorization} ${String(request.headers["x-key"])}`;
      response.statusCode = 403;
      response.end("no");
    });
    const result = await runCli([
      "snapshot",
      `http://someone:pa55word@127.0.0.1:${port}/metrics`,
      "--header",
      "X-Key: s3cret",
    ]);
    expect(seen).toBe(`Basic ${Buffer.from("someone:pa55word").toString("base64")} s3cret`);
    expectRefused(result, 1, /403/);
    expect(result.stderr).not.toMatch(/pa55word|s3cret/);
  });

  it("says why there is nothing to show, and ends with 1", async () => {
    const { origin } = await server((request, response) => {
      if (request.url === "/empty/metrics") response.end("");
      else if (request.url === "/comments/metrics") response.end("# nothing\n");
      else if (request.url === "/prometheus/metrics") response.writeHead(404).end();
      else if (request.url === "/hanging/metrics") return;
      else if (request.url === "/html/metrics")
        response.setHeader("content-type", "text/html").end("<!doctype html><html></html>");
      else if (request.url === "/json/metrics") response.setHeader("content-type", "application/json").end("[]");
      else response.writeHead(404).end("not here");
    });
    const snapshot = (what: string) =>
      runCli(["snapshot", `${origin}/${what}/metrics`], { env: { SERVER_METRICS_REACHABILITY_TIMEOUT: "1" } });
    for (const [what, why] of [
      ["empty", /empty/],
      ["comments", /exposes no metrics/],
      ["hanging", /did not answer .* within 1 s/],
      ["missing", /404/],
    ] as const) {
      expectRefused(await snapshot(what), 1, why);
    }
    for (const [what, why] of [
      ["html", /html/i],
      ["json", /application\/json/],
    ] as const) {
      const result = await snapshot(what);
      expect(result.stderr).toMatch(why);
      expect(result).toMatchObject({ code: 1, stdout: "" });
    }
    expectRefused(await runCli(["snapshot", "http://127.0.0.1:9"]), 1, /refused/);
    expectRefused(await runCli(["snapshot", "ftp://host"]), 2, /ftp/);
    expectRefused(await runCli(["snapshot", "two words"]), 2, /spaces/);
  });
});

describe("parse", () => {
  const parse = (input: string | Uint8Array, ...args: string[]) => runCli(["parse", "-", ...args], { input });

  it("gives families and samples, numbers that JSON has not as the exposition writes them", async () => {
    const result = await parse(
      `# TYPE a gauge\na{k="v"} NaN\na -Inf\n# TYPE b_total counter\nb_total 9007199254740993\n`,
    );
    expect(result).toMatchObject({ code: 0, stderr: "" });
    const { format, families } = JSON.parse(result.stdout) as { format: string; families: { name: string }[] };
    expect(format).toBe("text");
    expect(families.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(result.stdout).toContain('"NaN"');
    expect(result.stdout).toContain('"-Inf"');
  });

  it("takes a document that ends in # EOF for OpenMetrics, unless --format says otherwise", async () => {
    expect(JSON.parse((await parse("# TYPE a gauge\na 1\n# EOF\n")).stdout)).toMatchObject({ format: "openmetrics" });
    expect(JSON.parse((await parse("# TYPE a gauge\na 1\n# EOF\n", "--format", "text")).stdout)).toMatchObject({
      format: "text",
    });
    expectRefused(
      await parse("# TYPE a gauge\na 1\n", "--format", "openmetrics"),
      2,
      /standard input: line \d+, column \d+: .*EOF/,
    );
  });

  it("says line and column, what was expected and what stood there", async () => {
    expectRefused(await parse('fine 1\nbad{k="v} 2\n'), 2, /standard input: line 2, column \d+: expected .*, found/);
    expectRefused(await parse(Uint8Array.of(0x61, 0x20, 0xff, 0x0a)), 2, /line 1, column 3: expected .*, found/);
    expectRefused(await parse("a one\n"), 2, /line 1, column 3/);
  });

  it("says that a file cannot be read, or a format is none", async () => {
    expectRefused(await runCli(["parse", file("none")]), 2, /none cannot be read: there is no such file/);
    expectRefused(await runCli(["parse", dir]), 2, /it is a folder/);
    const wrong = await parse("a 1\n", "--format", "xml");
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
    expect(wrong.stderr).toMatch(/xml.*text, openmetrics/);
  });

  it("refuses more lines than it can print in bounded memory", async () => {
    const result = await runCli(["parse", "-"], { input: "a 1\n".repeat(600_001) });
    expect(result.code).toBe(2);
    expect(result.stderr).toMatch(/more than 600,000 lines/);
  });

  it("reads nothing as nothing", async () => {
    expect(JSON.parse((await parse("")).stdout)).toEqual({ format: "text", families: [] });
  });
});

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
      expect((await readdir(file(out))).sort()).toEqual(
        ["csv", "json", "jsonl", "parquet"].map((format) => `server_metrics_export.${format}`),
      );
    }
    const metrics = async (out: string) =>
      (JSON.parse(await readFile(path.join(file(out), "server_metrics_export.json"), "utf8")) as { metrics: object })
        .metrics;
    expect(await metrics("one")).toEqual(await metrics("two"));
    expect(Object.keys(await metrics("one"))).toContain("vllm:time_to_first_token_seconds");
  });

  it("says what is missing or cannot be written", async () => {
    expectRefused(await record(dir), 2, /cannot be written: it is a folder/);
    expectRefused(await record(file("no/such/folder.jsonl")), 2, /cannot be written: there is no such/);
    expectRefused(
      await record(file("no/such/folder.jsonl.gz"), "--duration", "3600"),
      2,
      /cannot be written: there is no such/,
    );
    expectRefused(await runCli(["demo", "--record", file("x")]), 2, /--record needs --duration/);
    expectRefused(await runCli(["demo", "--duration", "5"]), 2, /--duration goes with --record/);
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
    expectRefused(await replay(dir), 2, /it is a folder/);
    expectRefused(await replay(file("text")), 2, /text is not a scrape log: line 1/);
    expectRefused(await replay(file("other.jsonl")), 2, /line 1: "url" is missing/);
    expectRefused(await replay(file("empty.jsonl")), 2, /it contains no scrape/);
    expectRefused(await replay(file("plain.jsonl.gz")), 2, /plain\.jsonl\.gz is not a scrape log/);
    expect(await readdir(dir)).not.toContain("out");
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
      ["--slice-duration", "0"],
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

describe("writing, interrupted", () => {
  it("leaves no file, no temporary one and no folder", async () => {
    expect(await runCli(["demo", "--record", file("log"), "--duration", "200"])).toMatchObject({ code: 0 });
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      const running = startCli(["replay", file("log"), "--out", file("out"), "--formats", "jsonl,parquet,json,csv"]);
      await until("the first temporary file", () =>
        readdir(file("out")).then(
          (names) => names.length > 0,
          () => false,
        ),
      );
      running.child.kill(signal);
      expect(await running.finished).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(/server-metrics: interrupted: nothing was written\.\n$/) as string,
      });
      expect(await readdir(dir)).toEqual(["log"]);
    }
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
    }, 30_000);
  }

  it("end at once when asked to", async () => {
    await writeFile(file("log"), scrapes(66_000));
    // As the watched process itself, which nobody ends after a second: on a busy machine it may need longer.
    const env = { SERVER_METRICS_WATCHED_MEMORY: String(4 * 1024 ** 3) };
    const running = startCli(["replay", file("log"), "--out", file("out")], { env });
    await until("the statistics", () =>
      readdir(file("out")).then(
        () => true,
        () => false,
      ),
    );
    running.child.kill("SIGTERM");
    expect(await running.finished).toMatchObject({ code: 1, stdout: "" });
    expect(await readdir(dir)).toEqual(["log"]);
  }, 30_000);
});

describe("capture, interrupted or in trouble", () => {
  const capture = (url: string, ...args: string[]) =>
    startCli(["capture", "--url", url, "--interval", "50", "--out", file("out"), ...args]);

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it(`leaves nothing behind when ${signal} comes before it has begun`, async () => {
      const { origin, requests } = await server(() => undefined);
      const running = capture(origin);
      await until("the first request", () => requests.length > 0);
      running.child.kill(signal);
      expectRefused(await running.finished, 1, /interrupted before the capture began/);
      expect(await readdir(dir)).toEqual([]);
    });

    it(`leaves nothing behind when ${signal} comes during the baseline scrape`, async () => {
      let answered = 0;
      // HEAD and GET of the probe are answered, the scrape is not.
      const { origin, requests } = await server((_, response) => void (answered++ < 2 && response.end("a 1\n")));
      const running = capture(`${origin}/metrics`);
      await until("the scrape", () => requests.length > 2);
      running.child.kill(signal);
      expectRefused(await running.finished, 1, /interrupted before the capture began/);
      expect(await readdir(dir)).toEqual([]);
    });

    it(`does not wait for the final scrape after a second ${signal}, and writes all the same`, async () => {
      let slow = false;
      const { origin } = await server(
        (_, response) =>
          void (slow || response.end("# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running 1\n")),
      );
      const running = startCli(
        ["capture", "--url", origin, "--interval", "50", "--out", file("out"), "--formats", "json"],
        { env: { SERVER_METRICS_FLUSH_PERIOD: "30" } },
      );
      await until("the capture to run", () => running.stderrSoFar().includes("1/1 endpoints reachable"));
      slow = true;
      running.child.kill(signal);
      await until("the first signal to be heard", () => running.stderrSoFar().includes("waiting for the final scrape"));
      running.child.kill(signal);
      const result = await running.finished;
      expect(result.code).toBe(0);
      // Waited for, it would have been a scrape that failed after the flush period.
      expect(result.stderr).not.toMatch(/did not answer|scrapes failed/);
      expect(await readdir(file("out"))).toEqual(["server_metrics_export.json"]);
    });
  }

  it("makes no folder when nothing is reachable, and keeps one that was there", async () => {
    expect(await capture("http://127.0.0.1:9").finished).toMatchObject({ code: 1 });
    expect(await readdir(dir)).toEqual([]);
    await mkdir(file("out"));
    expect(await capture("http://127.0.0.1:9").finished).toMatchObject({ code: 1 });
    expect(await readdir(dir)).toEqual(["out"]);
  });

  it("keeps the journal when the artifacts cannot be written, and says how to get them", async () => {
    const { origin } = await server(answering(EXPOSITION));
    await mkdir(path.join(file("out"), "server_metrics_export.json"), { recursive: true });
    const result = await capture(origin, "--force", "--duration", "0.5", "--formats", "json").finished;
    expect(result).toMatchObject({ code: 1, stdout: "" });
    const journal = /server-metrics recover '(.*)' --out DIR/.exec(result.stderr)?.[1] ?? "";
    expect(result.stderr).toMatch(/server_metrics_export\.json cannot be written: it is a folder/);
    const recovered = await runCli(["recover", journal, "--out", file("elsewhere"), "--formats", "json"]);
    expect(recovered.code).toBe(0);
    expect(await readdir(file("elsewhere"))).toEqual(["server_metrics_export.json"]);
  });
});
