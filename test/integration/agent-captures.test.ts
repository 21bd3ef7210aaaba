import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { AgentCaptures, RunFolder } from "../../src/agents/index.js";
import { serve, type TestServer } from "../support/faulty-server.js";

let folder: string;
let server: TestServer;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "server-metrics-agents-"));
  server = await serve((_, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><html></html>"),
  );
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

it("a capture by an agent in which nothing answered says why as any other does, and leaves nothing", async () => {
  const captures = new AgentCaptures(await RunFolder.at(folder));
  const { id } = await captures.start({ urls: [server.origin] });
  await expect(captures.stop(id)).rejects.toThrow(
    /^No endpoint answered with metrics during the capture: there is nothing to write\. .*text\/html/,
  );
  expect(await readdir(folder)).toEqual([]);
});
