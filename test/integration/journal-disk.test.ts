import { mkdir, mkdtemp, open, readdir, rename, rm, stat, writeFile, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UserError } from "../../src/core/text/errors.js";
import { recoverJournal } from "../../src/files/index.js";
import { until } from "../support/cli.js";
import { noticed, openJournal, variedScrapes } from "../support/journals.js";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "journal-disk-"));
  path = join(folder, "run.jsonl.gz");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A disk with so many bytes of room; a write that does not fit takes what fits, as real ones do. */
class SmallDisk {
  used = 0;
  cutsBack = true;

  constructor(public room: number) {}

  readonly create = async (file: string): Promise<FileHandle> => {
    const handle = await open(file, "wx+", 0o600);
    const write = handle.write.bind(handle);
    const truncate = handle.truncate.bind(handle);
    const limited = async (bytes: Uint8Array, offset: number, length: number, position: number) => {
      const fits = Math.min(length, this.room - position);
      if (fits <= 0) throw full();
      this.used = position + fits;
      return write(bytes, offset, fits, position);
    };
    return Object.assign(handle, {
      write: limited,
      truncate: (length: number) => (this.cutsBack ? truncate(length) : Promise.reject(full())),
    });
  };
}

const full = () =>
  Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC", syscall: "write" });

const times = async (file: string) => {
  const { run, problems } = await recoverJournal(file);
  return {
    times: Array.from(run.store.scrapesInOrder(), ({ time }) => time),
    words: problems.map(({ reason }) => reason).join("\n"),
  };
};

describe("a journal on a full disk", () => {
  it.each([
    ["and what was half written is cut off", true],
    ["and what was half written stays", false],
  ])("waits in memory and goes on without a hole when there is room again, %s", async (_, cutsBack) => {
    const all = variedScrapes(300);
    const disk = new SmallDisk(4000);
    disk.cutsBack = cutsBack;
    const { problems, onNotice } = noticed();
    const journal = await openJournal(path, { create: disk.create, onNotice });
    for (const [i, scrape] of all.entries()) {
      journal.scrape(scrape, "profiling");
      if (i % 10 === 9) await journal.flush();
    }
    expect(problems.map(({ severity }) => severity)).toEqual(["warning"]);
    expect(problems[0]?.reason).toMatch(/The journal is waiting: .*the disk is full.*keeps everything in memory/);
    expect(problems[0]?.offer).toBe("moveJournal");
    const before = await times(path);
    expect(before.times).toEqual(all.slice(0, before.times.length).map(({ time }) => time));
    expect(journal.unwritten).toBe(all.length - before.times.length);
    expect(journal.unwritten).toBeGreaterThan(100);
    disk.room = Infinity;
    await until("the journal to catch up", () => journal.unwritten === 0);
    expect(problems.map(({ severity }) => severity)).toEqual(["warning", "info"]);
    const after = await times(path);
    expect(after.times).toEqual(all.map(({ time }) => time));
    expect(after.words).not.toMatch(/torn|damaged/);
    await journal.close();
  });

  it("passes over what is beyond its share of memory, says so, and names the hole when it is recovered", async () => {
    const all = variedScrapes(200);
    const disk = new SmallDisk(1500);
    const { problems, onNotice } = noticed();
    const journal = await openJournal(path, { create: disk.create, onNotice, waitingBytes: 5000 });
    const add = async (from: number, to: number) => {
      for (const [i, scrape] of all.slice(from, to).entries()) {
        journal.scrape(scrape, "profiling");
        if (i % 10 === 9) await journal.flush();
      }
    };
    await add(0, 190);
    expect(problems.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/^The journal is waiting:/),
      expect.stringMatching(
        /keeps every scrape in memory for its artifacts; new scrapes will be missing from the journal/,
      ),
    ]);
    disk.room = Infinity;
    await until("the journal to catch up", () => problems.length === 3);
    const missing = Number(/and (\d+) scrapes that did not fit in memory/.exec(problems[2]?.reason ?? "")?.[1]);
    expect(missing).toBeGreaterThan(50);
    expect(journal.unwritten).toBe(missing);
    await add(190, 200);
    await journal.close();
    const { times: found, words } = await times(path);
    expect(found).toEqual([...all.slice(0, 190 - missing), ...all.slice(190)].map(({ time }) => time));
    expect(words).toContain(`${missing} scrapes`);
  });

  it("writes what came while the disk was busy when it is closed meanwhile, below its limit and at it", async () => {
    const all = variedScrapes(60);
    for (const limitBytes of [1e9, 1]) {
      const file = join(folder, `busy-${limitBytes}.gz`);
      const held: (() => void)[] = [];
      let busy = true;
      const create = async (name: string): Promise<FileHandle> => {
        const handle = await open(name, "wx+", 0o600);
        const write = handle.write.bind(handle);
        const slowly = async (bytes: Uint8Array, offset: number, length: number, position: number) => {
          if (busy) await new Promise<void>((resolve) => held.push(resolve));
          return write(bytes, offset, length, position);
        };
        return Object.assign(handle, { write: slowly });
      };
      const journal = await openJournal(file, { create, limitBytes });
      for (const scrape of all.slice(0, 30)) journal.scrape(scrape, "profiling");
      const first = journal.flush();
      await until("a write", () => held.length > 0);
      for (const scrape of all.slice(30)) journal.scrape(scrape, "profiling");
      const closed = journal.close();
      busy = false;
      for (const go of held) go();
      await Promise.all([first, closed]);
      expect(journal.unwritten).toBe(0);
      expect((await times(file)).times).toEqual(all.map(({ time }) => time));
    }
  });

  it("keeps what it has when it is closed, and writes it when there is room or in another folder", async () => {
    const all = variedScrapes(100);
    const disk = new SmallDisk(1500);
    const journal = await openJournal(path, { create: disk.create });
    for (const scrape of all) journal.scrape(scrape, "profiling");
    await journal.close();
    expect(journal.unwritten).toBe(100);
    await expect(journal.moveTo(join(folder, "no", "such", "folder.gz"))).rejects.toThrow(UserError);
    expect([journal.path, journal.unwritten]).toEqual([path, 100]);
    disk.room = Infinity;
    const elsewhere = join(folder, "elsewhere.jsonl.gz");
    await journal.moveTo(elsewhere);
    expect([journal.path, journal.unwritten]).toEqual([elsewhere, 0]);
    expect((await times(elsewhere)).times).toEqual(all.map(({ time }) => time));
    expect(await readdir(folder)).toEqual(["elsewhere.jsonl.gz"]);
  });
});

describe("a journal whose folder goes away", () => {
  it("is written anew in whole where it was, and says so", async () => {
    const all = variedScrapes(40);
    const inner = join(folder, "out");
    await mkdir(inner);
    const { problems, onNotice } = noticed();
    const journal = await openJournal(join(inner, "run.jsonl.gz"), { onNotice });
    for (const scrape of all.slice(0, 20)) journal.scrape(scrape, "profiling");
    await journal.flush();
    await rm(inner, { recursive: true });
    for (const scrape of all.slice(20)) journal.scrape(scrape, "profiling");
    await journal.flush();
    expect(problems.map(({ reason }) => reason).join()).toMatch(
      /was removed during the capture: .*created again with its whole content/,
    );
    expect((await times(join(inner, "run.jsonl.gz"))).times).toEqual(all.map(({ time }) => time));
    await journal.close();
  });

  it("waits while a file stands where its folder was", async () => {
    const all = variedScrapes(20);
    const inner = join(folder, "out");
    await mkdir(inner);
    const { problems, onNotice } = noticed();
    const journal = await openJournal(join(inner, "run.jsonl.gz"), { onNotice });
    for (const scrape of all.slice(0, 10)) journal.scrape(scrape, "profiling");
    await journal.flush();
    await rm(inner, { recursive: true });
    await writeFile(inner, "in the way");
    for (const scrape of all.slice(10)) journal.scrape(scrape, "profiling");
    await journal.flush();
    expect(problems.map(({ reason }) => reason).join()).toMatch(
      /The journal is waiting: \S+ cannot be written: there is a file where a folder should be\. The capture/,
    );
    await rename(inner, join(folder, "aside"));
    await until("the journal to catch up", () => journal.unwritten === 0);
    expect((await times(join(inner, "run.jsonl.gz"))).times).toEqual(all.map(({ time }) => time));
    await journal.close();
  });
});

/** Files whose `datasync` is the one given. */
const syncedBy = (datasync: () => Promise<void>) => async (file: string) =>
  Object.assign(await open(file, "wx+", 0o600), { datasync });

describe("a journal on a disk that is slow to synchronise", () => {
  it("is written on meanwhile, so that a killed capture loses no more than elsewhere", async () => {
    let release: () => void = () => undefined;
    const synced = new Promise<void>((resolve) => (release = resolve));
    const all = variedScrapes(30);
    const journal = await openJournal(path, { sync: true, create: syncedBy(() => synced) });
    for (const [i, scrape] of all.entries()) {
      journal.scrape(scrape, "profiling");
      if (i % 10 === 9) await journal.flush();
    }
    expect((await times(path)).times).toEqual(all.map(({ time }) => time));
    release();
    await journal.close();
    expect((await times(path)).times).toEqual(all.map(({ time }) => time));
  });

  it("writes all again that a failed synchronisation may have lost", async () => {
    let refuse: ((error: Error) => void) | undefined;
    let calls = 0;
    const { problems, onNotice } = noticed();
    // The first one fails once three members are written.
    const datasync = () =>
      ++calls === 1 ? new Promise<void>((_, reject) => (refuse = reject)) : Promise.resolve(undefined);
    const all = variedScrapes(30);
    const journal = await openJournal(path, { sync: true, create: syncedBy(datasync), onNotice });
    for (const [i, scrape] of all.entries()) {
      journal.scrape(scrape, "profiling");
      if (i % 10 === 9) await journal.flush();
    }
    expect(journal.unwritten).toBe(0);
    refuse?.(Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO", syscall: "fdatasync" }));
    await until("the trouble to be seen", () => problems.length > 0);
    expect(problems[0]?.reason).toContain("The journal is waiting");
    expect(journal.unwritten).toBe(30);
    await until("the journal to catch up", () => journal.unwritten === 0);
    expect((await times(path)).times).toEqual(all.map(({ time }) => time));
    await journal.close();
    expect(calls).toBeGreaterThan(1);
  });

  it("is closed only when it is on the disk, and waits in memory where that fails", async () => {
    let failing = true;
    const fails = () => Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO", syscall: "fdatasync" });
    const datasync = () => (failing ? Promise.reject(fails()) : Promise.resolve());
    const all = variedScrapes(10);
    const journal = await openJournal(path, { sync: true, create: syncedBy(datasync) });
    for (const scrape of all) journal.scrape(scrape, "profiling");
    await journal.close();
    expect(journal.unwritten).toBe(10);
    failing = false;
    await until("the journal to catch up", () => journal.unwritten === 0);
    expect((await times(path)).times).toEqual(all.map(({ time }) => time));
  });
});

describe("a journal's file", () => {
  it("may be read by its owner alone, and reaches the disk member by member where that is asked for", async () => {
    let syncs = 0;
    const create = async (file: string) => {
      const handle = await open(file, "wx+", 0o600);
      const datasync = handle.datasync.bind(handle);
      return Object.assign(handle, { datasync: () => (syncs++, datasync()) });
    };
    const journal = await openJournal(path, { sync: true, create });
    for (const scrape of variedScrapes(3)) {
      journal.scrape(scrape, "profiling");
      await journal.flush();
    }
    await journal.close();
    expect(syncs).toBeGreaterThanOrEqual(1);
    const other = await openJournal(join(folder, "other.jsonl.gz"));
    expect((await stat(other.path)).mode & 0o777).toBe(0o600);
    await other.delete();
  });
});
