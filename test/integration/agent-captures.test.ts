import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AgentCaptures, RunFolder } from "../../src/agents/index.js";
import { serve, type TestServer } from "../support/faulty-server.js";

/** Who answers for a name may say anything. */
const answers = vi.hoisted(() => ({ address: "" }));
vi.mock("node:dns", () => ({
  lookup: (
    _: string,
    { all }: { all?: boolean },
    done: (error: null, found: string | object[], family?: number) => void,
  ) => (all === true ? done(null, [{ address: answers.address, family: 4 }]) : done(null, answers.address, 4)),
}));

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

it("a capture by an agent in which nothing answered says why by a class, and leaves nothing", async () => {
  const captures = new AgentCaptures(await RunFolder.at(folder));
  const { id } = await captures.start({ urls: [server.origin], durationSeconds: 60 }, new Set());
  await expect(captures.stop(id)).rejects.toThrow(
    /^No endpoint answered with metrics during the capture: there is nothing to write\. 127\.0\.0\.1:\d+: no metrics$/,
  );
  expect(await readdir(folder)).toEqual([]);
});

it("a name that leads to a link-local address is contacted only when its server is named", async () => {
  const captures = new AgentCaptures(await RunFolder.at(folder));
  const urls = [`http://rebound.example:${new URL(server.origin).port}/metrics`];
  const start = (named: readonly string[]) => captures.start({ urls, durationSeconds: 60 }, new Set(named));
  for (const address of ["169.254.169.254", "127.0.0.1"]) {
    answers.address = address;
    const isReserved = address !== "127.0.0.1";
    const started = await start([]).then(
      ({ id }) => id,
      (error: unknown) => String(error),
    );
    expect(started).toMatch(isReserved ? /rebound\.example:\d+: other/ : /^\d{4}-/);
    if (isReserved) expect(await readdir(folder)).toEqual([]);
    else await expect(captures.stop(started)).rejects.toThrow("No endpoint answered");
  }
});
