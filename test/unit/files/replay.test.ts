import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { formatScrapeLogLine } from "../../../src/core/artifacts/index.js";
import { durationNs, epochNs, NS_PER_MS } from "../../../src/core/model/index.js";
import { replayScrapeLog } from "../../../src/files/index.js";

it("a scrape log is read up to as many endpoints as a run's JSONL", async () => {
  const folder = await mkdtemp(join(tmpdir(), "server-metrics-replay-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const line = (host: string, i: number) =>
    formatScrapeLogLine({
      url: `http://${host}/metrics`,
      time: epochNs(1_765_000_000_000_000_000n + BigInt(i) * BigInt(NS_PER_MS)),
      latency: durationNs(1000),
      status: 200,
      contentType: "text/plain; version=0.0.4",
      body: `a ${i}\n`,
    });
  const hosts = [...Array.from({ length: 10_000 }, (_, i) => `h${i}`), "beyond", "h0"];
  const log = join(folder, "scrapes.jsonl");
  await writeFile(log, hosts.map((host, i) => `${line(host, i).trimEnd()}\n`).join(""));
  const { run, problems } = await replayScrapeLog(log, { sliceDurationSeconds: 5 });
  expect(run.store.endpoints).toHaveLength(10_000);
  expect(run.store.endpoints[0]?.rows).toBe(2);
  expect(problems.map(({ reason }) => reason)).toContainEqual(
    expect.stringContaining("line 10001: the file has more than the 10,000 endpoints that are read"),
  );
});
