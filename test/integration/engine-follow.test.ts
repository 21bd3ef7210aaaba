import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recordDemo } from "../../src/demo/index.js";
import { exportArtifacts, replayScrapeLog } from "../../src/files/index.js";
import type { ChannelClient, EngineEvents, EngineRequests, RunHeader } from "../../src/protocol/index.js";
import { engineInThread } from "../support/engine-in-thread.js";

type Client = ChannelClient<EngineRequests, EngineEvents>;
const RUNNING = "vllm:num_requests_running";

let dir: string;
let lines: readonly string[];
let files = 0;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "server-metrics-follow-"));
  const scrapes: string[] = [];
  await recordDemo({ durationSeconds: 20, seed: 5 }, (line) => void scrapes.push(line));
  const log = path.join(dir, "scrapes.jsonl");
  await writeFile(log, `${scrapes.join("\n")}\n`);
  const { run } = await replayScrapeLog(log, { sliceDurationSeconds: 5 });
  await exportArtifacts(run, { directory: dir, formats: ["jsonl", "csv"], verify: false });
  lines = (await readFile(path.join(dir, "server_metrics_export.jsonl"), "utf8")).trimEnd().split("\n");
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const text = (some: readonly string[]) => some.map((line) => `${line}\n`).join("");

/** A file of the run's first lines, opened. */
async function opened(count: number): Promise<{ readonly client: Client; readonly file: string }> {
  const file = path.join(dir, `${files++}.jsonl`);
  await writeFile(file, text(lines.slice(0, count)));
  const client = engineInThread();
  await client.call("open", { path: file });
  return { client, file };
}

/** The first header that an engine pushes and that is as wanted. */
function pushed(client: Client, wanted: (header: RunHeader) => boolean): Promise<RunHeader> {
  return new Promise((resolve) => {
    const end = client.on("progress", ({ header }) => {
      if (!wanted(header)) return;
      end();
      resolve(header);
    });
  });
}

const scrapesOf = ({ scrapes }: RunHeader) => scrapes ?? NaN;
const header = async (client: Client) => (await client.call("describe", {})).header;

describe("an engine that follows a file", () => {
  it("tells of new scrapes by itself, draws them, and ends as if the file had been opened whole", async () => {
    const { client, file } = await opened(20);
    const before = await header(client);
    expect([before.state, before.profilingEnd, await client.call("hasGrown", {})]).toEqual([
      "opened",
      before.now,
      false,
    ]);
    await client.call("follow", { on: true });
    const following = await header(client);
    expect([following.state, following.adjustable, following.profilingEnd]).toEqual(["following", false, undefined]);
    expect(following.problems.map(({ reason }) => reason).join()).not.toContain("end of profiling");

    const grown = pushed(client, ({ scrapes }) => scrapes === scrapesOf(before) + 2);
    const [half, rest] = [lines[22]!.slice(0, 300), lines[22]!.slice(300)];
    await appendFile(file, text(lines.slice(20, 22)) + half);
    expect((await grown).now).toBeGreaterThan(before.now);
    const points = async () =>
      (await client.call("chart", { family: RUNNING, maxSeries: 5, maxPoints: 1000 })).lines[0]!.times.length;
    const drawn = await points();
    const more = pushed(client, ({ scrapes }) => scrapes === scrapesOf(before) + 3);
    await appendFile(file, `${rest}\n`);
    await more;
    expect(await points()).toBe(drawn + 1);

    const whole = pushed(client, ({ profilingEnd }) => profilingEnd !== undefined);
    await appendFile(file, text(lines.slice(23)));
    await whole;
    const stopped = pushed(client, ({ state }) => state === "opened");
    await client.call("follow", { on: false });
    const end = await stopped;
    expect(end.adjustable).toBe(true);
    const { client: other } = await opened(lines.length);
    const plain = await header(other);
    expect({ ...end, file: undefined }).toEqual({ ...plain, file: undefined });
    expect(end.file?.bytes).toBe(plain.file?.bytes);
    for (const type of ["gauge", "counter", "histogram"] as const) {
      expect(await client.call("statistics", { type })).toEqual(await other.call("statistics", { type }));
    }
    client.dispose();
    other.dispose();
  });

  it("takes the last scrape for the end once it no longer follows, and can go on later", async () => {
    const { client, file } = await opened(20);
    await client.call("follow", { on: true });
    await client.call("follow", { on: false });
    const rested = await header(client);
    expect([rested.state, rested.profilingEnd]).toEqual(["opened", rested.now]);
    await appendFile(file, text(lines.slice(20, 30)));
    expect(await client.call("hasGrown", {})).toBe(true);
    const again = pushed(client, ({ scrapes }) => scrapes === scrapesOf(rested) + 10);
    await client.call("follow", { on: true });
    await again;
    await expect(client.call("adjust", { window: "recorded" })).rejects.toMatchObject({ code: "unusable-settings" });
    await client.call("follow", { on: false });
    client.dispose();
  });

  it("reads what has come once, though it is asked to follow twice at once", async () => {
    const { client, file } = await opened(20);
    const { scrapes } = await header(client);
    await appendFile(file, text(lines.slice(20)));
    await Promise.all([client.call("follow", { on: true }), client.call("follow", { on: true })]);
    const { client: whole } = await opened(lines.length);
    expect((await header(client)).scrapes).toBe(scrapesOf(await header(whole)));
    expect(scrapesOf(await header(client))).toBeGreaterThan(scrapes ?? NaN);
    client.dispose();
    whole.dispose();
  });

  it("stops on request while it reads for the first time, and can follow again", async () => {
    const { client, file } = await opened(20);
    await appendFile(file, text(lines.slice(20)));
    const [followed] = await Promise.all([
      client.call("follow", { on: true }),
      client.call("follow", { on: false }),
      client.call("follow", { on: true }),
      client.call("follow", { on: false }),
    ]);
    expect(followed).toBeNull();
    expect((await header(client)).state).toBe("opened");
    await client.call("follow", { on: true });
    const { client: whole } = await opened(lines.length);
    const end = await header(client);
    expect([end.state, end.scrapes]).toEqual(["following", scrapesOf(await header(whole))]);
    client.dispose();
    whole.dispose();
  });

  it("ends with a notice when the file is cut, replaced or gone, and keeps what was read", async () => {
    const ways: readonly ((file: string) => Promise<void>)[] = [
      (file) => writeFile(file, text(lines.slice(0, 5))),
      (file) => writeFile(file, text(lines.slice(1))),
      (file) => rm(file),
    ];
    for (const way of ways) {
      const { client, file } = await opened(20);
      await client.call("follow", { on: true });
      const { scrapes } = await header(client);
      const notice = new Promise<EngineEvents["notice"]>((resolve) => client.on("notice", resolve));
      const ended = pushed(client, ({ state }) => state === "opened");
      await way(file);
      expect((await notice).reason).toMatch(new RegExp(`^The file is no longer followed\\. .*${file}`));
      expect((await ended).scrapes).toBe(scrapes);
      await expect(client.call("follow", { on: true })).rejects.toMatchObject({
        message: expect.stringContaining(file) as string,
      });
      client.dispose();
    }
  });

  it("refuses what is written once", async () => {
    const client = engineInThread();
    await client.call("open", { path: path.join(dir, "server_metrics_export.csv") });
    expect(await client.call("hasGrown", {})).toBe(false);
    await expect(client.call("follow", { on: true })).rejects.toMatchObject({ code: "not-followable" });
    client.dispose();
  });
});
