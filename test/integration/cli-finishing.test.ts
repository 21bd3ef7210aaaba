import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runCli, startCli, until } from "../support/cli.js";
import { serve, type TestServer } from "../support/faulty-server.js";

/** Enough for exports that take a while. */
const SERIES = 8_000;
const ARTIFACTS = [
  ...["csv", "json", "jsonl", "parquet"].map((format) => `server_metrics_export.${format}`),
  "summary.md",
];

let server: TestServer;
let served = 0;
let dir: string;
const made: string[] = [];

beforeAll(async () => {
  const noise = Array.from({ length: SERIES }, (_, i) => `noise{i="${i}"} ${Math.random()}\n`).join("");
  server = await serve(({ method }, response) => {
    if (method === "GET") served++;
    response.end(`# TYPE served counter\nserved_total ${served}\n# TYPE noise gauge\n${noise}`);
  });
});
beforeEach(async () => {
  made.push((dir = await mkdtemp(path.join(tmpdir(), "server-metrics-finishing-"))));
});
afterAll(async () => {
  await server.close();
  await Promise.all(made.map((folder) => rm(folder, { recursive: true, force: true })));
});

const namesIn = (folder: string) => readdir(folder).catch((): string[] => []);
const journalIn = async (folder: string) => (await namesIn(folder)).find((name) => name.includes("journal")) ?? "";
const numbersOf = async (folder: string) => {
  const text = await readFile(path.join(folder, "server_metrics_export.jsonl"), "utf8");
  return [...text.matchAll(/"served":\[\{"value":(\d+)/g)].map(([, value]) => Number(value));
};

/** A capture with a few scrapes, whose exports have begun. */
async function finishing(out: string, ...first: readonly NodeJS.Signals[]) {
  const args = ["capture", "--url", server.origin, "--interval", "100ms", "--formats", "json,csv,jsonl,parquet"];
  const running = startCli([...args, "--out", out]);
  await until("the capture", () => running.stderrSoFar().includes("reachable"));
  const before = served;
  await until("some scrapes", () => served > before + 5);
  for (const signal of first) {
    running.child.kill(signal);
    await until("its end to begin", () => running.stderrSoFar().includes("stopping"));
  }
  await until("the exports", async () => (await namesIn(out)).some((name) => /tmp|\.json$/.test(name)));
  return running;
}

describe("a capture that writes its artifacts", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("writes them to their end when %s comes again", async (signal) => {
    const out = path.join(dir, "out");
    const running = await finishing(out, signal);
    running.child.kill(signal);
    expect((await running.finished).code).toBe(0);
    expect((await readdir(out)).sort()).toEqual(ARTIFACTS);
    const numbers = await numbersOf(out);
    expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] ?? 0) + i));
  });

  it("is ended by a third signal, and leaves a journal with all of it", async () => {
    const out = path.join(dir, "out");
    const running = await finishing(out, "SIGINT", "SIGINT");
    running.child.kill("SIGTERM");
    expect((await running.finished).signal).toBe("SIGTERM");
    const recovered = path.join(dir, "recovered");
    const journal = path.join(out, await journalIn(out));
    const { code } = await runCli(["recover", journal, "--out", recovered, "--formats", "jsonl"]);
    expect(code).toBe(0);
    const numbers = await numbersOf(recovered);
    expect(numbers.length).toBeGreaterThan(5);
    expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] ?? 0) + i));
  });

  it("goes on when nobody reads what it prints any more", async () => {
    const out = path.join(dir, "out");
    const running = await finishing(out, "SIGTERM");
    running.finished.catch(() => undefined);
    const ended = new Promise((resolve) => running.child.once("exit", resolve));
    running.child.stdout?.destroy();
    running.child.stderr?.destroy();
    expect(await ended).toBe(0);
    expect((await readdir(out)).sort()).toEqual(ARTIFACTS);
  });
});

/** A disk of its own that is nearly full; skipped where none can be mounted. */
async function onFullDisk(skip: () => void, work: (disk: string) => Promise<void>): Promise<void> {
  const disk = path.join(dir, "disk");
  await mkdir(disk);
  if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", disk]).status !== 0) return skip();
  try {
    await writeFile(path.join(disk, "ballast"), Buffer.alloc(63_500_000));
    await work(disk);
  } finally {
    spawnSync("umount", ["-l", disk]);
  }
}

/** A capture that has ended and finds room nowhere. */
async function waitingForRoom(disk: string) {
  // Of all the noise, each member of the journal takes more than the rest of a page that a full disk still has for it.
  const args = ["capture", "--url", server.origin, "--interval", "100ms", "--formats", "json,jsonl"];
  const running = startCli([...args, "--out", path.join(disk, "out")], { env: { TMPDIR: disk, HOME: disk } });
  await until("the capture", () => running.stderrSoFar().includes("reachable"));
  // From here on no page is free.
  spawnSync("sh", ["-c", `head -c 10000000 /dev/zero > "${path.join(disk, "rest")}"`]);
  const before = served;
  await until("some scrapes", () => served > before + 5);
  running.child.kill("SIGTERM");
  await until("it to wait", () => running.stderrSoFar().includes("Waiting for space"), 60_000);
  return running;
}

describe("a capture that has ended and finds no room anywhere", () => {
  it("waits for it, whoever reads what it prints, and then writes everything", async ({ skip }) => {
    await onFullDisk(skip, async (disk) => {
      const running = await waitingForRoom(disk);
      running.finished.catch(() => undefined);
      const ended = new Promise((resolve) => running.child.once("exit", resolve));
      running.child.stderr?.destroy();
      await rm(path.join(disk, "ballast"));
      expect(await ended).toBe(0);
      const numbers = await numbersOf(path.join(disk, "out"));
      expect(numbers.length).toBeGreaterThan(5);
      expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] ?? 0) + i));
    });
  });

  it("gives up at the next signal, and says how much is lost", async ({ skip }) => {
    await onFullDisk(skip, async (disk) => {
      const running = await waitingForRoom(disk);
      running.child.kill("SIGINT");
      const { code, stderr } = await running.finished;
      expect(code).toBe(1);
      expect(stderr).toMatch(/the disk is full.* \d+ of \d+ scrapes are lost/);
    });
  });
});
