import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runCli, startCli, until } from "../support/cli.js";
import { serve, type TestServer } from "../support/faulty-server.js";

let server: TestServer;
let scraped = 0;
let dir: string;
const made: string[] = [];

beforeAll(async () => {
  // Numbers that do not compress, so that a small disk is soon full.
  server = await serve(({ method }, response) => {
    if (method === "GET") scraped++;
    const lines = Array.from({ length: 300 }, (_, i) => `noise{i="${i}"} ${Math.random()}\n`);
    response.end(`# TYPE scraped counter\nscraped_total ${scraped}\n# TYPE noise gauge\n${lines.join("")}`);
  });
});
beforeEach(async () => {
  made.push((dir = await mkdtemp(path.join(tmpdir(), "server-metrics-disk-"))));
});
afterAll(async () => {
  await server.close();
  await Promise.all(made.map((folder) => rm(folder, { recursive: true, force: true })));
});

const capture = (...args: string[]) => ["capture", "--url", server.origin, "--interval", "50ms", ...args];
const journalIn = async (folder: string) =>
  (await readdir(folder)).filter((name) => name.startsWith(".server_metrics_journal"));

describe("a signal that comes while the first scrape is read", () => {
  // While the answer is parsed; one of the moments lies between two listeners of the command.
  it.each([0, 10, 40])("ends the capture, %i ms after the answer", async (afterMs) => {
    const rows = Array.from({ length: 60_000 }, (_, i) => `h_bucket{le="${i}"} ${i}\n`).join("");
    let answers = 0;
    let kill: () => void = () => undefined;
    const large = await serve(({ method }, response) => {
      response.end(`# TYPE h histogram\n${rows}h_bucket{le="+Inf"} 60000\nh_sum 5\nh_count 60000\n`);
      // The first is the test of the endpoint.
      if (method === "GET" && ++answers === 2) response.on("finish", () => setTimeout(() => kill(), afterMs));
    });
    try {
      const out = ["--out", path.join(dir, "out"), "--formats", "json", "--summary", "none"];
      const running = startCli(["capture", "--url", large.origin, ...out]);
      kill = () => running.child.kill("SIGTERM");
      // Before the capture began, or just after; without --duration it would go on for ever.
      expect([0, 1]).toContain((await running.finished).code);
    } finally {
      await large.close();
    }
  });
});

describe("the folder of a capture", () => {
  it("is refused before the command starts when a run is in it already, unless --force", async () => {
    const started = path.join(dir, "started");
    const command = ["--", process.execPath, "-e", `require("fs").writeFileSync(${JSON.stringify(started)}, "")`];
    await writeFile(path.join(dir, "server_metrics_export.csv"), "another run");
    const refused = await runCli(capture("--out", dir, ...command));
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(/server_metrics_export\.csv is there already.*--force/);
    expect((await readdir(dir)).sort()).toEqual(["server_metrics_export.csv"]);
    const forced = await runCli(capture("--out", dir, "--force", "--formats", "csv", ...command));
    expect(forced.code).toBe(0);
    expect(await readFile(path.join(dir, "server_metrics_export.csv"), "utf8")).not.toBe("another run");
    const prefixed = await runCli(capture("--out", dir, "--prefix", "b", "--duration", "0.3", "--formats", "csv"));
    expect(prefixed.code).toBe(0);
  });

  it("is refused while another capture writes into it, and its journal is mentioned when that was killed", async () => {
    const first = startCli(capture("--out", dir));
    await until("the first journal", async () => (await journalIn(dir)).length > 0);
    const refused = await runCli(capture("--out", dir, "--duration", "0.3"));
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/process \d+ is capturing into /);
    const [journal = ""] = await journalIn(dir);
    expect((await stat(path.join(dir, journal))).mode & 0o777).toBe(0o600);
    first.child.kill("SIGKILL");
    await first.finished;
    const next = await runCli(capture("--out", dir, "--duration", "0.3", "--formats", "json"));
    expect(next.code).toBe(0);
    expect(next.stderr).toContain(`server-metrics recover '${path.join(dir, journal)}' --out DIR`);
    expect(await journalIn(dir)).toEqual([journal]);
  });

  it("keeps what another run has written into it meanwhile, and the capture goes elsewhere whole", async () => {
    const fallback = path.join(dir, "elsewhere");
    const running = startCli(capture("--out", dir, "--formats", "csv,json", "--fallback-out", fallback));
    await until("the capture to begin", () => running.stderrSoFar().includes("reachable"));
    const theirs = path.join(dir, "server_metrics_export.csv");
    await writeFile(theirs, "of another run");
    running.child.kill("SIGTERM");
    const { code, stderr } = await running.finished;
    expect(stderr).toContain(`${theirs} was written by another run in the meantime, so it was not replaced.`);
    expect(stderr).toContain(`Written to ${fallback} instead`);
    expect(code).toBe(1);
    expect(await readFile(theirs, "utf8")).toBe("of another run");
    expect(await readdir(dir)).toEqual(["elsewhere", "server_metrics_export.csv"]);
    expect((await readdir(fallback)).sort()).toEqual([
      "server_metrics_export.csv",
      "server_metrics_export.json",
      "summary.md",
    ]);
  });

  it("is refused where none can be made, and where a prefix makes names too long", async () => {
    if (process.platform === "linux") {
      const nowhere = await runCli(capture("--out", "/proc/nowhere/out", "--duration", "1"));
      expect(nowhere.code).toBe(2);
      expect(nowhere.stderr).toMatch(/\/proc\/nowhere.*cannot be written: /);
    }
    const long = await runCli(capture("--out", dir, "--prefix", "p".repeat(300), "--duration", "1"));
    expect(long.code).toBe(2);
    expect(long.stderr).toMatch(/--prefix.*at most 180 bytes/);
    expect(await readdir(dir)).toEqual([]);
  });

  it("gets all artifacts when the journal has reached its limit, which is said", async () => {
    const running = startCli(capture("--out", dir, "--formats", "json,jsonl", "--journal-limit", "0.05"));
    await until("the limit", () => running.stderrSoFar().includes("The journal has reached its limit"));
    const before = scraped;
    await until("more scrapes", () => scraped > before + 5);
    running.child.kill("SIGINT");
    expect((await running.finished).code).toBe(0);
    expect((await readdir(dir)).sort()).toEqual([
      "server_metrics_export.json",
      "server_metrics_export.jsonl",
      "summary.md",
    ]);
    const text = await readFile(path.join(dir, "server_metrics_export.jsonl"), "utf8");
    const kept = Array.from(text.matchAll(/"scraped":\[\{"value":(\d+)/g), ([, value]) => Number(value));
    expect(kept.at(-1)).toBeGreaterThan(before + 5);
    // None is missing: the journal alone has an end.
    expect(kept).toEqual(kept.map((_, i) => (kept[0] ?? 0) + i));
  });

  it("that is removed during a capture is made anew, with all that was captured", async () => {
    const out = path.join(dir, "out");
    const running = startCli(capture("--out", out, "--formats", "json"));
    await until("a journal with something in it", async () => {
      const [journal] = await journalIn(out).catch(() => []);
      return journal !== undefined && (await stat(path.join(out, journal))).size > 0;
    });
    await rm(out, { recursive: true });
    await until("the loss to be noticed", () => running.stderrSoFar().includes("was removed during the capture"));
    running.child.kill("SIGINT");
    expect((await running.finished).code).toBe(0);
    expect((await readdir(out)).sort()).toEqual(["server_metrics_export.json", "summary.md"]);
  });
});

/** A file system of its own, so many bytes large; needs the rights to mount. */
function mounted(folder: string, bytes: number): boolean {
  return spawnSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", folder]).status === 0;
}

async function onSmallDisk(bytes: number, skip: (why: string) => never, use: (disk: string) => Promise<void>) {
  const disk = path.join(dir, "disk");
  await mkdir(disk);
  if (process.platform !== "linux" || !mounted(disk, bytes)) skip("a file system cannot be mounted here");
  try {
    await use(disk);
  } finally {
    spawnSync("umount", ["-l", disk]);
  }
}

describe("a read-only folder", () => {
  it("is refused before anything is asked of a server, by capture and recover alike", async ({ skip }) => {
    await onSmallDisk(1_000_000, skip, async (disk) => {
      const journals = path.join(dir, "journals");
      const running = startCli(capture("--out", journals));
      await until("a journal with scrapes", async () => {
        const [journal] = await journalIn(journals).catch(() => []);
        return journal !== undefined && (await stat(path.join(journals, journal))).size > 10_000;
      });
      running.child.kill("SIGKILL");
      await running.finished;
      const [journal = ""] = await journalIn(journals);
      expect(spawnSync("mount", ["-o", "remount,ro", disk]).status).toBe(0);
      const before = scraped;
      const refused = await runCli(capture("--out", path.join(disk, "out"), "--duration", "5"));
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain("the file system is read-only");
      expect(scraped).toBe(before);
      const recover = ["recover", path.join(journals, journal), "--out"];
      const recovered = await runCli([...recover, path.join(disk, "out")]);
      expect(recovered.code).toBe(2);
      expect(recovered.stderr).toContain("the file system is read-only");
      // The journal is still there for another folder.
      expect((await runCli([...recover, path.join(dir, "writable"), "--formats", "json"])).code).toBe(0);
    });
  });
});

/** The `scraped_total` of every scrape of a journal, in order. */
async function scrapesOf(journal: string): Promise<number[]> {
  const out = path.join(dir, "recovered");
  const { code } = await runCli(["recover", journal, "--out", out, "--formats", "jsonl", "--summary", "none"]);
  expect(code).toBe(0);
  const text = await readFile(path.join(out, "server_metrics_export.jsonl"), "utf8");
  return [...text.matchAll(/"scraped":\[\{"value":(\d+)/g)].map(([, value]) => Number(value));
}

describe("a full disk", () => {
  it("that is freed again costs nothing, although the capture is then killed", async ({ skip }) => {
    await onSmallDisk(400_000, skip, async (disk) => {
      await writeFile(path.join(disk, "ballast"), Buffer.alloc(300_000));
      const running = startCli(capture("--out", disk));
      await until("the disk to be full", () => running.stderrSoFar().includes("The journal is waiting"));
      const full = scraped;
      await until("more scrapes", () => scraped > full + 20);
      await rm(path.join(disk, "ballast"));
      await until("the journal to catch up", () => running.stderrSoFar().includes("the journal has caught up"));
      running.child.kill("SIGKILL");
      await running.finished;
      const [journal = ""] = await journalIn(disk);
      const numbers = await scrapesOf(path.join(disk, journal));
      expect(numbers.at(-1)).toBeGreaterThan(full);
      // Each scrape counts one up: a hole would show.
      expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] ?? 0) + i));
    });
  });

  it("at the end: the artifacts go to another folder, which is named", async ({ skip }) => {
    await onSmallDisk(150_000, skip, async (disk) => {
      const other = path.join(dir, "other");
      const running = startCli(capture("--out", disk, "--formats", "json,jsonl", "--fallback-out", other));
      await until("the disk to be full", () => running.stderrSoFar().includes("The journal is waiting"));
      const full = scraped;
      await until("more scrapes", () => scraped > full + 10);
      running.child.kill("SIGINT");
      const { code, stdout, stderr } = await running.finished;
      expect(code).toBe(1);
      expect(stderr).toMatch(new RegExp(`the disk is full.*Written to ${other} instead`));
      expect(stdout).toContain(path.join(other, "server_metrics_export.jsonl"));
      const text = await readFile(path.join(other, "server_metrics_export.jsonl"), "utf8");
      const numbers = [...text.matchAll(/"scraped":\[\{"value":(\d+)/g)].map(([, value]) => Number(value));
      expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] ?? 0) + i));
      expect(numbers.at(-1)).toBeGreaterThan(full + 10);
      expect(await journalIn(disk)).toEqual([]);
    });
  });
});
