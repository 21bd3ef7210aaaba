import { describe, expect, it } from "vitest";
import { answering, cliFolder, expectRefused } from "../support/cli-folder.js";
import { runCli } from "../support/cli.js";

const { file, folder, server } = cliFolder();

const EXPOSITION = `# HELP vllm:num_requests_running Running.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="10"} 1
vllm:num_requests_running{engine="9"} 2
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
    expect(lines).toHaveLength(7);
    expect(lines[0]).toMatch(/^Gauge\s+vllm:num_requests_running\{engine="0"\} 3\b/);
    expect(lines[1]).toMatch(/^Gauge\s+vllm:num_requests_running\{engine="9"\} 2\b/);
    expect(lines[2]).toMatch(/^Gauge\s+vllm:num_requests_running\{engine="10"\} 1\b/);
    expect(lines[3]).toMatch(/^Counter\s+vllm:prompt_tokens 12\b/);
    expect(lines[4]).toMatch(/^Vector\s+vllm:spec_decode_num_accepted_tokens_per_pos \[9\b.*5\b.*1\b.*\] by position/);
    expect(lines[5]).toMatch(/^Histogram\s+vllm:time_to_first_token_seconds count 8, .*avg 2.5 s/);
    expect(lines[6]?.trim()).toBe("buckets 0.5=4;10.0=7;+Inf=8");
  });

  it("gives the same as JSON, buckets in their order", async () => {
    const { origin, requests } = await server(answering(EXPOSITION));
    const metrics = JSON.parse((await runCli(["snapshot", "--json", `${origin}/metrics`])).stdout) as Record<
      string,
      unknown
    >[];
    expect(metrics.map(({ kind }) => kind)).toEqual(["Gauge", "Gauge", "Gauge", "Counter", "Vector", "Histogram"]);
    expect(metrics[4]).toMatchObject({
      label: "position",
      values: [9, null, 5, null, null, null, null, null, null, null, 1],
    });
    expect(metrics[5]).toMatchObject({ count: 8, sum: 20, buckets: { "0.5": 4, "10.0": 7, "+Inf": 8 } });
    // It asked the server and left again: a probe or two and one scrape.
    expect(requests.length).toBeLessThanOrEqual(3);
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
    expectRefused(await runCli(["parse", folder()]), 2, /it is a folder/);
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
