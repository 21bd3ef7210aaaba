import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundles } from "../../esbuild.mjs";
import { startCli } from "../support/cli.js";
import { serve, serveRaw, type TestServer } from "../support/faulty-server.js";

/*
 * undici asserts what a server sends. node:assert parses the file of a failed assertion to quote it, which of a
 * minified bundle takes seconds: the bundle that ships is what has to be tested.
 */
let dir: string;
let bad: TestServer;
let good: TestServer;

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "server-metrics-status-"));
  await build({ ...bundles(true)["cli"], outdir: dir });
  bad = await serveRaw((socket) => socket.write("HTTP/1.1 000 Nothing\r\nContent-Length: 2\r\n\r\nok"));
  good = await serve((_, response) => void response.setHeader("content-type", "text/plain").end("up 1\n"));
});
afterAll(async () => {
  await Promise.all([bad.close(), good.close()]);
  await rm(dir, { recursive: true, force: true });
});

it("a status line of 000 is a failed scrape, and holds up no neighbour", async () => {
  const running = startCli(
    [
      ...["capture", "--url", bad.origin, "--url", good.origin, "--interval", "200", "--duration", "3"],
      ...["--formats", "jsonl", "--out", dir],
    ],
    { cli: path.join(dir, "cli.js") },
  );
  const { code, stderr } = await running.finished;
  expect(code).toBe(0);
  expect(stderr).toMatch(/The answer of 127\.0\.0\.1:\d+ is not HTTP/);
  // Fifteen ticks, the test, the baseline and the final scrape, less what a busy machine misses. A stall of 3 s
  // at each answer of the neighbour would leave hardly one.
  expect(good.requests.filter((one) => one === "GET /metrics").length).toBeGreaterThanOrEqual(8);
});
