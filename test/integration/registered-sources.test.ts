import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { request } from "node:http";
import { afterEach, expect, it } from "vitest";
import { RegisteredSources } from "../../src/extension/registered-sources.js";
import { openArtifact } from "../../src/files/open/index.js";
import { startCli, until } from "../support/cli.js";

const sources = new RegisteredSources();
afterEach(() => sources.dispose());

it("a registered source is captured as an endpoint, with gaps where it fails", async () => {
  const folder = await mkdtemp(join(tmpdir(), "server-metrics-sources-"));
  let asked = 0;
  const { url } = await sources.registerSource({
    id: "simulator",
    scrape: () => {
      if (++asked % 4 === 0) return Promise.reject(new Error("the simulator is paused"));
      return Promise.resolve(`# TYPE simulator_steps counter\nsimulator_steps_total ${asked}\n`);
    },
  });
  try {
    const options = ["--interval", "50ms", "--formats", "jsonl", "--out", join(folder, "out")];
    const running = startCli(["capture", url, ...options]);
    await until("a dozen scrapes", () => asked > 12);
    running.child.kill("SIGINT");
    const { code, stderr } = await running.finished;
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("the simulator is paused");
    const opened = await openArtifact(join(folder, "out", "server_metrics_export.jsonl"));
    if (opened.kind !== "samples") throw new Error("no samples");
    const [axis] = opened.run.store.endpoints;
    expect(axis?.url).toBe(url);
    expect(axis?.failures).toBeGreaterThan(1);
    expect([...opened.run.store.seriesKeys()].map(({ family }) => family.name)).toEqual(["simulator_steps"]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it("ids are unique and fit into an address; a disposed one is gone, and other hosts' names get nothing", async () => {
  const scrape = () => Promise.resolve("a 1\n");
  const first = await sources.registerSource({ id: "one", scrape });
  await expect(sources.registerSource({ id: "one", scrape })).rejects.toThrow("already");
  await expect(sources.registerSource({ id: "a/b", scrape })).rejects.toThrow("letters");
  expect((await fetch(first.url)).status).toBe(200);
  const { port } = new URL(first.url);
  const status = await new Promise((resolve, reject) => {
    request(
      { port, host: "127.0.0.1", path: "/sources/one/metrics", headers: { host: "evil.example" } },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    )
      .on("error", reject)
      .end();
  });
  expect(status).toBe(403);
  first.dispose();
  const ended = await fetch(first.url);
  expect([ended.status, await ended.text()]).toEqual([410, expect.stringContaining("has ended it")]);
  expect((await fetch(first.url.replace("one", "other"))).status).toBe(404);
  await expect(sources.registerSource({ id: "one", scrape })).resolves.toMatchObject({ url: first.url });
});
