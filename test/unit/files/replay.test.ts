import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { formatScrapeLogLine } from "../../../src/core/artifacts/index.js";
import { durationNs, epochNs, NS_PER_MS } from "../../../src/core/model/index.js";
import { replayScrapeLog } from "../../../src/files/index.js";
import { openArtifact } from "../../../src/files/open/index.js";

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

it("a scrape log has the same id at each opening, and another one has its own", async () => {
  const folder = await mkdtemp(join(tmpdir(), "server-metrics-replay-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const write = async (name: string, start: bigint) => {
    const lines = [0, 1].map((i) =>
      formatScrapeLogLine({
        url: "http://h/metrics",
        time: epochNs(start + BigInt(i) * BigInt(NS_PER_MS)),
        latency: durationNs(1000),
        status: 200,
        contentType: "text/plain; version=0.0.4",
        body: `a ${i}\n`,
      }),
    );
    await writeFile(join(folder, name), lines.map((line) => `${line.trimEnd()}\n`).join(""));
  };
  await write("one.jsonl", 1_765_000_000_000_000_000n);
  await write("other.jsonl", 1_765_000_001_000_000_000n);
  const idOf = async (name: string) => {
    const opened = await openArtifact(join(folder, name));
    return opened.kind === "samples" ? opened.run.metadata.benchmarkId : "";
  };
  const id = await idOf("one.jsonl");
  expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect(await idOf("one.jsonl")).toBe(id);
  expect(await idOf("other.jsonl")).not.toBe(id);
});
