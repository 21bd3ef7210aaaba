import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundles } from "../../esbuild.mjs";
import { startCli, until } from "../support/cli.js";
import { serve, serveRaw, type TestServer } from "../support/faulty-server.js";

/*
 * undici asserts what a server sends. node:assert parses the file of an assertion that fails without a message to quote
 * it, which of a minified bundle takes seconds in which nobody is scraped: the bundle that ships is what has to be
 * tested.
 */
const TELLS_ASSERTIONS = `
const assert = require("node:assert");
const { ok } = assert;
assert.ok = (value, message) => {
  if (!value) process.stderr.write("failed with the message: " + message + "\\n");
  return ok(value, message);
};`;

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
  const tells = path.join(dir, "tells-assertions.cjs");
  await writeFile(tells, TELLS_ASSERTIONS);
  const running = startCli(
    [
      ...["capture", "--url", bad.origin, "--url", good.origin, "--interval", "200ms"],
      ...["--formats", "jsonl", "--out", dir],
    ],
    { cli: path.join(dir, "cli.js"), env: { NODE_OPTIONS: `--require ${tells}` } },
  );
  const asked = () => good.requests.filter((one) => one === "GET /metrics").length;
  await until("a failed assertion", () => running.stderrSoFar().includes("failed with the message: an assumption"));
  const before = asked();
  await until("the neighbour", () => asked() > before + 3);
  running.child.kill("SIGINT");
  const { code, stderr } = await running.finished;
  expect(code).toBe(0);
  expect(stderr).toMatch(/The answer of 127\.0\.0\.1:\d+ is not HTTP/);
});
