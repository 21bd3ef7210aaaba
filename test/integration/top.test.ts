import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import xterm from "@xterm/headless";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDemoServer } from "../../src/demo/index.js";
import { runCli, until } from "../support/cli.js";
import { respond, serve, TEXT_FORMAT, type TestServer } from "../support/faulty-server.js";
import { startInTerminal, type InTerminal } from "../support/terminal.js";

const COLUMNS = 80;
const ROWS = 24;

/** A terminal with a program in it, as a person sees it. */
class Screen {
  private readonly terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  private readonly started: InTerminal;

  constructor(args: readonly string[], cwd: string) {
    this.started = startInTerminal(`stty rows ${ROWS} cols ${COLUMNS};`, args, path.join(cwd, "cache"), cwd);
    this.started.terminal.stdout.on("data", (data: Buffer) => this.terminal.write(data));
  }

  get closed(): Promise<number | null> {
    return this.started.closed;
  }

  get lines(): readonly string[] {
    const { active } = this.terminal.buffer;
    return Array.from({ length: ROWS }, (_, y) => active.getLine(active.viewportY + y)?.translateToString(true) ?? "");
  }

  get text(): string {
    return this.lines.join("\n");
  }

  /** Whether the program has the second screen. */
  get isWhole(): boolean {
    return this.terminal.buffer.active.type === "alternate";
  }

  press(keys: string): void {
    this.started.terminal.stdin.write(keys);
  }

  /** Settles once the screen shows it. */
  async shows(pattern: RegExp): Promise<void> {
    await until(`the screen shows ${pattern.source}`, () => pattern.test(this.text), 60_000).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${this.text}`);
    });
  }

  kill(): void {
    this.started.terminal.kill();
  }
}

const [UP, DOWN, ESCAPE, ENTER] = ["\u001b[A", "\u001b[B", "\u001b", "\r"];

describe("top", () => {
  let dir: string;
  let demos: readonly Awaited<ReturnType<typeof startDemoServer>>[];
  let urls: readonly string[];

  beforeAll(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "server-metrics-top-"));
    demos = await Promise.all([1, 2].map((seed) => startDemoServer({ port: 0, profile: "vllm", seed })));
    urls = demos.map(({ url }) => url);
  });
  afterAll(async () => {
    await Promise.all(demos.map((demo) => demo.close()));
    await rm(dir, { recursive: true, force: true });
  });

  it("shows engines, opens one, marks, keeps a run, and leaves the terminal as it was", async () => {
    const screen = new Screen(["top", ...urls, "http://127.0.0.1:1", "--interval", "250ms"], dir);
    try {
      await screen.shows(/vLLM, all 2 +\d+ +\d+ +[\d.]+ % +[\d.]+ m?s/);
      expect(screen.isWhole).toBe(true);
      await screen.shows(/127\.0\.0\.1:1 \(failing\) +- +-/);
      await screen.shows(/2\/3 up/);
      expect(screen.lines[1]).toMatch(/^ENGINE \(now\) +RUN +WAIT +KV .*TTFT p99/);
      expect(screen.text).toContain("127.0.0.1:1: Connection refused");
      for (const line of screen.lines) expect(line.length).toBeLessThanOrEqual(COLUMNS);
      screen.press("w");
      await screen.shows(/ENGINE \(so far\)/);

      for (const key of [DOWN, DOWN, UP, ENTER]) screen.press(key);
      await screen.shows(/METRIC +NOW +SO FAR +COURSE/);
      await screen.shows(/Time to first token p99 +[\d.]+ m?s +[\d.]+ m?s +[▁▂▃▄▅▆▇█ ]+/);
      expect(screen.text).not.toContain("vLLM, all 2");
      // Typed at once, as by paste.
      screen.press("mload\u001b[2J doubled\r");
      await screen.shows(/marked: load/);

      screen.press("f");
      await screen.shows(/Nothing is listening there/);
      screen.press(ESCAPE);
      await screen.shows(/vLLM, all 2/);
      screen.press("k");
      await screen.shows(/kept in \S+/);
      screen.press("q");
      expect(await screen.closed).toBe(0);
      expect(screen.isWhole).toBe(false);
    } finally {
      screen.kill();
    }
    const runs = path.join(dir, "artifacts", "server-metrics");
    const { stdout } = await runCli(["runs", runs]);
    expect(stdout).toContain("vLLM");
    const [kept = ""] = await readdir(runs);
    const shown = await runCli(["show", path.join(runs, kept)]);
    expect(shown.code, shown.stderr).toBe(0);
    expect(shown.stdout).toContain("vllm:num_requests_running");
    expect(await readFile(path.join(runs, kept, "server_metrics_export.json"), "utf8")).toMatch(/load.* doubled/);
  });

  it("has fifty endpoints in 80 × 24, each in reach of the keys", async () => {
    const server = await serve((_, response) => respond(response, 200, TEXT_FORMAT, "vllm:num_requests_running 1\n"));
    const endpoints = Array.from({ length: 50 }, (_, i) => `${server.origin}/engine-${i}/metrics`);
    const screen = new Screen(["top", ...endpoints, "--interval", "1s"], dir);
    try {
      await screen.shows(/50\/50 up/);
      await screen.shows(/engine-0 +1/);
      expect(screen.text).not.toContain("engine-49");
      for (const line of screen.lines) expect(line.length).toBeLessThanOrEqual(COLUMNS);
      expect(screen.text).toMatch(/k keep · q quit/);
      screen.press(DOWN.repeat(50));
      await screen.shows(/engine-49 +1/);
      screen.press(ENTER);
      await screen.shows(/Requests running +1 request/);
      screen.press("q");
      expect(await screen.closed).toBe(0);
    } finally {
      screen.kill();
      await server.close();
    }
  });

  it("says that nothing stands out only once it has looked", async () => {
    const quiet: TestServer = await serve((_, response) =>
      respond(response, 200, TEXT_FORMAT, `# TYPE some_total counter\nsome_total ${quiet.requests.length}\n`),
    );
    const screen = new Screen(["top", quiet.origin, "--interval", "250ms"], dir);
    try {
      await screen.shows(/q quit/);
      expect(screen.text, "at first").not.toContain("Nothing stands out");
      await screen.shows(/Nothing stands out so far/);
    } finally {
      screen.kill();
      await quiet.close();
    }
  });

  it("obeys nothing that an endpoint writes", async () => {
    const escape = "\u001b[2J\u001b]0;owned\u0007";
    const hostile: TestServer = await serve((_, response) => {
      response.setHeader("content-type", "text/plain");
      response.end(`vllm:num_requests_running{engine="${escape}0"} 1\nvllm:num_requests_running{engine="1"} 2\n`);
    });
    const screen = new Screen(["top", hostile.origin, "--interval", "250ms"], dir);
    try {
      await screen.shows(/#\\u001b\[2J/);
      screen.press(DOWN);
      screen.press(ENTER);
      await screen.shows(/Requests running +2 requests/);
      screen.press("\u0003");
      expect(await screen.closed).toBe(0);
    } finally {
      screen.kill();
      await hostile.close();
    }
  });

  it("prints lines where its output is no terminal", async () => {
    const { code, stdout, stderr } = await runCli(["top", ...urls, "--duration", "3", "--every", "2s"], { cwd: dir });
    expect(code, stderr).toBe(0);
    expect(stdout).not.toContain("\u001b");
    expect(stdout.match(/^server-metrics top · .*2\/2 up/gm)?.length).toBeGreaterThanOrEqual(2);
    expect(stdout).toMatch(/^ENGINE \(now\) .*E2E p99 +TOK\/S +REQ\/S$/m);
  });

  it("says why nothing can be shown", async () => {
    const { code, stderr } = await runCli(["top", "http://127.0.0.1:1"], { cwd: dir });
    expect(code).toBe(1);
    expect(stderr).toContain("Connection refused");
  });
});
