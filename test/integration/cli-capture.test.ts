import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { capturedFleet, journalBytes, readArtifact } from "../support/captured-fleet.js";
import { runCli, startCli, until } from "../support/cli.js";
import { serve } from "../support/faulty-server.js";

const { urls, folder } = capturedFleet();
const NOTHING_LISTENS = "http://127.0.0.1:9/metrics";

describe("capture", () => {
  it("captures for a duration, prints reachability, key metrics and paths, and leaves only artifacts", async () => {
    const result = await runCli([
      "capture",
      "--url",
      urls()[0]!,
      "--url",
      NOTHING_LISTENS,
      "--duration",
      "1.5",
      "--interval",
      "100ms",
      "--out",
      folder(),
      "--formats",
      "json,csv,parquet,jsonl",
    ]);
    expect(result.stderr).toContain("1/2 endpoints reachable");
    expect(result.stderr).toMatch(/refused/);
    expect(result.code).toBe(0);
    expect((await readdir(folder())).sort()).toEqual([
      ...["csv", "json", "jsonl", "parquet"].map((format) => `server_metrics_export.${format}`),
      "summary.md",
    ]);
    const artifact = await readArtifact(folder());
    expect(artifact.summary.endpoints_successful).toEqual([urls()[0]]);
    // The baseline, the first tick and the final scrape at least: a busy machine misses ticks.
    expect(artifact.summary.endpoint_info[urls()[0]!]!.total_fetches).toBeGreaterThanOrEqual(3);
    expect(artifact.metrics["fleet:requests"]!.series).toHaveLength(148);
    expect(result.stdout).toContain(path.join(folder(), "server_metrics_export.json"));
  });

  it("runs a command, captures while it runs and ends with its exit code", async () => {
    // The command's own request is answered after ten scrapes: so long it runs.
    let scrapes = 0;
    let endLoad = () => {};
    const server = await serve(({ method, url }, response) => {
      if (url === "/load") return void (endLoad = () => response.end());
      if (method === "GET") scrapes++;
      response.end(`# TYPE fleet:requests_total counter\nfleet:requests_total ${scrapes}\n`);
      if (scrapes > 10) endLoad();
    });
    const script = `fetch("${server.origin}/load").then(() => { console.log("load done"); process.exit(7); });`;
    const args = ["capture", "--url", server.origin, "--interval", "50ms", "--out", folder()];
    const result = await runCli([...args, "--", process.execPath, "-e", script]);
    await server.close();
    expect(result.code).toBe(7);
    expect(result.stdout).toContain("load done");
    const artifact = await readArtifact(folder());
    // One of the requests was the test of the endpoint.
    expect(artifact.summary.endpoint_info[`${server.origin}/metrics`]!.total_fetches).toBeGreaterThanOrEqual(10);
    expect(artifact.metrics["fleet:requests"]!.series[0]!.stats["total"]).toBeGreaterThan(0);
  });

  it("passes a signal on to the command, and still writes artifacts", async () => {
    const script = `process.on("SIGTERM", () => process.exit(42)); setInterval(() => {}, 1000); console.error("ready");`;
    const running = startCli([
      "capture",
      "--url",
      urls()[0]!,
      "--interval",
      "50ms",
      "--out",
      folder(),
      "--",
      process.execPath,
      "-e",
      script,
    ]);
    await until("the command to run", () => running.stderrSoFar().includes("ready"));
    running.child.kill("SIGTERM");
    const result = await running.finished;
    expect(result.code).toBe(42);
    expect(await readdir(folder())).toContain("server_metrics_export.parquet");
  });

  it("runs the command with a warning when no endpoint answers", async () => {
    const result = await runCli([
      "capture",
      "--url",
      NOTHING_LISTENS,
      "--out",
      folder(),
      "--",
      process.execPath,
      "-e",
      "process.exit(3)",
    ]);
    expect(result.code).toBe(3);
    expect(result.stderr).toContain("0/1 endpoints reachable");
    expect(result.stderr).toContain("No endpoint answered with metrics during the capture");
    expect(await readdir(folder())).toEqual([]);
  });

  it("ends with 1 when nothing is reachable and there is no command", async () => {
    const result = await runCli(["capture", "--url", NOTHING_LISTENS, "--duration", "1", "--out", folder()]);
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/0\/1 endpoints reachable.*refused/s);
    expect(result.stderr).not.toMatch(/\n\s+at /);
  });

  it("says why nothing came of an endpoint that answered the test and nothing afterwards", async () => {
    let answers = 0;
    const server = await serve((_, response) => {
      // The test asks with HEAD, then GET.
      if (answers++ < 2) response.writeHead(200, { "content-type": "text/plain" }).end("# TYPE a gauge\na 1\n");
      else response.writeHead(503).end("warming up");
    });
    try {
      const given = [
        "--url",
        server.origin,
        "--duration",
        "0.3",
        "--interval",
        "50ms",
        "--out",
        path.join(folder(), "none"),
      ];
      const result = await runCli(["capture", ...given]);
      expect(result.code).toBe(1);
      expect(result.stderr).toContain("1/1 endpoints reachable");
      expect(result.stderr).toMatch(/No endpoint answered with metrics.*\nwarning: .*HTTP 503/);
    } finally {
      await server.close();
    }
  });

  it("ends with 1 when what answers brings no metric, and leaves no folder", async () => {
    const server = await serve((_, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end("[]"),
    );
    try {
      const out = path.join(folder(), "results");
      const result = await runCli(["capture", "--url", server.origin, "--duration", "0.3", "--out", out]);
      expect(result.code).toBe(1);
      expect(result.stderr).toContain("No endpoint answered with metrics during the capture");
      expect(await readdir(folder())).toEqual([]);
    } finally {
      await server.close();
    }
  });

  it("says when an endpoint fails in the middle of a capture, when it answers again, and how much was lost", async () => {
    let gets = 0;
    const server = await serve(({ method }, response) => {
      if (method === "GET") gets++;
      if (gets > 5 && gets <= 9) response.writeHead(500).end("out of memory");
      else response.end(`fleet:requests_total ${gets}\n`);
    });
    try {
      const running = startCli(["capture", "--url", server.origin, "--interval", "50ms", "--out", folder()]);
      await until("the endpoint to have recovered", () => running.stderrSoFar().includes("answers again"));
      running.child.kill("SIGINT");
      const { code, stderr } = await running.finished;
      expect(code).toBe(0);
      expect(stderr.match(/warning: .*HTTP 500 \("out of memory"\)/g)).toHaveLength(1);
      expect(stderr).toMatch(new RegExp(`warning: 127\\.0\\.0\\.1:${server.port}: 4 of \\d+ scrapes failed`));
    } finally {
      await server.close();
    }
  });

  it("gives runs that begin in one second folders of their own", async () => {
    const runs = await Promise.all(
      ["1", "2", "3"].map(() =>
        runCli(["capture", "--url", urls()[0]!, "--duration", "0.3", "--formats", "json", "--label", "a b"], {
          cwd: folder(),
        }),
      ),
    );
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
    const folders = await readdir(path.join(folder(), "artifacts", "server-metrics"));
    expect(folders).toHaveLength(3);
    for (const name of folders) {
      expect(name).toMatch(/^\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d-a-b(-\d)?$/);
      expect((await readdir(path.join(folder(), "artifacts", "server-metrics", name))).sort()).toEqual([
        "server_metrics_export.json",
        "summary.md",
      ]);
    }
  });

  it("says when the patterns leave no family", async () => {
    const result = await runCli([
      "capture",
      "--url",
      urls()[0]!,
      "--duration",
      "0.3",
      "--out",
      folder(),
      "--include",
      "nothing:*",
    ]);
    expect(result.stderr).toMatch(/warning: .*no family.*--include/);
  });

  it("ends cleanly with artifacts on Ctrl-C", async () => {
    const running = startCli([
      "capture",
      "--url",
      urls()[0]!,
      "--interval",
      "50ms",
      "--out",
      folder(),
      "--warmup",
      "0.2",
    ]);
    await until("scrapes in the journal", async () => (await journalBytes(folder())) > 0);
    running.child.kill("SIGINT");
    const result = await running.finished;
    expect(result.code).toBe(0);
    expect((await readdir(folder())).sort()).toEqual([
      ...["csv", "json", "parquet"].map((format) => `server_metrics_export.${format}`),
      "summary.md",
    ]);
  });

  it("keeps headers and credentials out of everything it writes or prints", async () => {
    const url = urls()[0]!.replace("http://", "http://operator:hunter2@");
    const result = await runCli([
      "capture",
      "--url",
      url,
      "--header",
      "X-Token: s3cr3t-value",
      "--duration",
      "0.5",
      "--interval",
      "50ms",
      "--out",
      folder(),
      "--formats",
      "json,csv,parquet,jsonl",
      "--summary",
      "all",
    ]);
    expect(result.code).toBe(0);
    const written = await Promise.all(
      (await readdir(folder())).map((file) => readFile(path.join(folder(), file), "latin1")),
    );
    for (const text of [...written, result.stdout, result.stderr])
      expect(text).not.toMatch(/hunter2|s3cr3t-value|b3BlcmF0b3I6aHVudGVyMg/);
  });

  it("takes AIPerf's environment names as fallbacks for its own", async () => {
    const server = await serve((_, response) => void response.end("jobs 1\n"));
    const env = {
      AIPERF_SERVER_METRICS_COLLECTION_INTERVAL: "300",
      SERVER_METRICS_COLLECTION_INTERVAL: "0.05",
      AIPERF_SERVER_METRICS_DEFAULT_ENDPOINTS: server.origin,
    };
    const running = startCli(["capture", "--out", folder()], { env });
    // With the other interval they would take an hour.
    await until("a dozen scrapes", () => server.requests.length > 12);
    running.child.kill("SIGINT");
    expect((await running.finished).code).toBe(0);
    await server.close();
    expect((await readArtifact(folder())).summary.endpoints_successful).toEqual([`${server.origin}/metrics`]);
    const bad = await runCli(["capture", "--duration", "1", "--out", folder()], {
      env: { ...env, SERVER_METRICS_COLLECTION_INTERVAL: "often" },
    });
    expect([bad.code, bad.stderr]).toEqual([
      2,
      expect.stringMatching(
        /^server-metrics: environment variable SERVER_METRICS_COLLECTION_INTERVAL: "often" is not a number of seconds/,
      ),
    ]);
  });

  it("ends with 1 where nothing is given and nothing answers at the usual ports", async () => {
    const { code, stderr } = await runCli(["capture"], { cwd: folder() });
    expect(stderr).toMatch(/no endpoint: give --url/);
    expect(code).toBe(1);
  });

  for (const [what, args, words] of [
    ["a URL that is none", ["capture", "--url", "http://"], /Endpoint "http:\/\/"/],
    ["a negative duration", ["capture", "--url", "localhost:1", "--duration", "-1"], /--duration/],
    ["an unknown format", ["capture", "--url", "localhost:1", "--formats", "xlsx"], /json, csv, jsonl, parquet/],
    ["an empty pattern", ["capture", "--url", "localhost:1", "--include", ""], /--include.*such as vllm:\*/],
    [
      "a prefix that is a path",
      ["capture", "--url", "localhost:1", "--prefix", "../other"],
      /--prefix.*a file name may have none of/i,
    ],
    ["an unknown option", ["capture", "--frobnicate"], /unknown option '--frobnicate'/],
    [
      "a header without a colon",
      ["capture", "--url", "localhost:1", "--header", "s3cr3t"],
      /Write a header as 'Name: value'/,
    ],
    ["no command", ["captur"], /unknown command 'captur'/],
  ] as const) {
    it(`answers ${what} with 2 and one clear line`, async () => {
      const result = await runCli(args, { cwd: folder() });
      expect(result.stderr).toMatch(words);
      expect(result.stderr).not.toMatch(/\n\s+at /);
      expect(result.code).toBe(2);
    });
  }
});
