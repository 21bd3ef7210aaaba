import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli, type Finished } from "../support/cli.js";
import { serve, type TestServer } from "../support/faulty-server.js";
import { startInTerminal } from "../support/terminal.js";

/** Clears the screen, sets the title, overwrites the line, is CSI in one character, turns the writing. */
const ESCAPES = "\u001b[2J\u001b]0;owned\u0007\r\u009b31m\u0085\u202e\u2066";
const EXPOSITION = `# HELP hostile Help${ESCAPES}
# TYPE hostile gauge
hostile{a="x${ESCAPES}y"} 3
# TYPE hostile_total counter
hostile_total{a="x${ESCAPES}y"} 3
`;
/** Anything a terminal would obey, but line feeds and tabs. */
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

function expectHarmless({ stdout, stderr }: Finished): void {
  expect(stdout).not.toMatch(RAW);
  expect(stderr).not.toMatch(RAW);
  // What could act is written out, not cut away.
  expect(stdout + stderr).toContain("\\u001b[2J");
}

describe("terminal escapes of an endpoint", () => {
  let dir: string;
  let good: TestServer;
  let bad: TestServer;
  let artifact: string;

  beforeAll(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "server-metrics-terminal-"));
    good = await serve((_, response) => void response.setHeader("content-type", "text/plain").end(EXPOSITION));
    bad = await serve((_, response) => void response.writeHead(500, { "content-type": "text/plain" }).end(ESCAPES));
    artifact = path.join(dir, "server_metrics_export.jsonl");
  });
  afterAll(async () => {
    await Promise.all([good.close(), bad.close()]);
    await rm(dir, { recursive: true, force: true });
  });

  it("are never printed raw by capture and its summary", async () => {
    const url = ["--url", good.origin, "--url", `${bad.origin}/metrics`];
    const finished = await runCli(
      ["capture", ...url, "--duration", "1", "--formats", "jsonl,json", "--out", dir, "--summary", "all"],
      { cwd: dir },
    );
    expect(finished.code).toBe(0);
    expectHarmless(finished);
  });

  it.each([
    ["snapshot", () => ["snapshot", good.origin]],
    ["show", () => ["show", artifact]],
    ["compare", () => ["compare", artifact, path.join(dir, "other.jsonl"), "--metrics", "hostile"]],
    ["check", () => ["check", artifact, "--assert", "hostile avg > 1e9"]],
    ["parse", () => ["parse", path.join(dir, "metrics.txt")]],
  ])("are never printed raw by %s", async (_, args) => {
    const { copyFile } = await import("node:fs/promises");
    await copyFile(artifact, path.join(dir, "other.jsonl"));
    await writeFile(path.join(dir, "metrics.txt"), EXPOSITION);
    const finished = await runCli(args());
    if (!args().includes("compare")) expectHarmless(finished);
    expect(finished.stdout + finished.stderr).not.toMatch(RAW);
  });

  it("leave JSON the same JSON", async () => {
    const { stdout } = await runCli(["snapshot", good.origin, "--json"]);
    expect(stdout).not.toMatch(RAW);
    const [first] = JSON.parse(stdout) as readonly { readonly labels: { readonly a: string } }[];
    expect(first?.labels.a).toBe(`x${ESCAPES}y`);
  });

  it("are not in a report for a CI system, which prints it", async () => {
    const report = path.join(dir, "junit.xml");
    await runCli(["check", artifact, "--assert", "hostile avg > 1e9", "--junit", report]);
    const xml = await readFile(report, "utf8");
    expect(xml).toContain("\\u001b[2J");
    expect(xml).not.toMatch(RAW);
  });

  it("are never printed raw in an error", async () => {
    const finished = await runCli(["show", path.join(dir, `no${ESCAPES}file`)]);
    expect(finished.code).toBe(2);
    expectHarmless(finished);
    expect((await runCli(["snapshot", `${bad.origin}/metrics`])).stderr).not.toMatch(RAW);
    expect((await runCli(["capture", `--no-${ESCAPES}`])).stderr).not.toMatch(RAW);
  });
});

describe("a capture on a terminal", () => {
  let scrapes = 0;
  let server: TestServer;
  let dir: string;

  beforeAll(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "server-metrics-terminal-"));
    server = await serve((_, response) => {
      scrapes++;
      // Fails for a while, which is worth a message.
      if (scrapes > 12 && scrapes < 16) return void response.writeHead(503).end();
      response
        .setHeader("content-type", "text/plain")
        .end(`# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running{model_name="m"} ${scrapes % 7}\n`);
    });
  });
  afterAll(async () => {
    await server.close();
    await rm(dir, { recursive: true, force: true });
  });

  const args = () => ["capture", server.origin, "--duration", "4", "--interval", "100ms", "--out", dir, "--force"];

  it("shows its key metrics while it runs, and messages in lines of their own", async () => {
    const { terminal, closed } = startInTerminal("stty rows 30 cols 90;", args(), path.join(dir, "cache"));
    let shown = "";
    terminal.stdout.on("data", (data: Buffer) => (shown += data.toString()));
    expect(await closed).toBe(0);
    expect(shown).toMatch(/KEY METRIC +NOW +SO FAR/);
    expect(shown).toMatch(/Requests running +\d requests? +avg +[\d.]+ requests?/);
    expect(shown).toMatch(/[█░]{30} \d+ % \d+ s profiling · \d+ scrapes? · 1\/1 up/);
    // Before a message the drawing is cleared, which ends at the first column.
    expect(shown).toContain("warning: ");
    for (const [, before] of shown.matchAll(/([^\r\n]*)warning: /g))
      expect(before).toMatch(/^(?:.*\u001b\[(?:G|1G|2K|\?2026l))?$/);
    // At the end the table of the whole run stands alone.
    expect(shown.slice(shown.lastIndexOf("scrapes"))).not.toContain("NOW");
  });

  it("prints plain lines elsewhere", async () => {
    const { code, stdout, stderr } = await runCli(args());
    expect(code).toBe(0);
    expect(stdout + stderr).not.toMatch(/[█░\u001b]|NOW/);
    expect(stdout).toMatch(/KEY METRIC +FAMILY/);
  });
});
