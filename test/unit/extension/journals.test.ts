import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { afterEach, assert, beforeEach, describe, expect, it } from "vitest";
import { ownerText, startOf, thisOwner } from "../../../src/files/owner.js";
import { Journals } from "../../../src/extension/capture/journals.js";
import { memento } from "../../support/memento.js";

describe("journals of a workspace", () => {
  let folder: string;
  let journals: Journals;
  let memory: ConstructorParameters<typeof Journals>[1];
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-journals-"));
    memory = memento();
    journals = new Journals(path.join(folder, "journals"), memory);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const abandoned = async () => (await journals.abandoned()).map((one) => path.basename(one.path));
  /** A journal as the process of that number names it. */
  const left = async (pid: number, ageMinutes = 0): Promise<string> => {
    const file = path.join(folder, "journals", `journal-${pid}-2025-01-02T03-04-05-678Z.jsonl.gz`);
    await writeFile(file, "x");
    const time = new Date(Date.now() - ageMinutes * 60_000);
    await utimes(file, time, time);
    return path.basename(file);
  };

  it("are none before the first capture", async () => {
    expect(await abandoned()).toEqual([]);
  });

  it("are left alone while a run of this window uses them, and left behind afterwards", async () => {
    const file = await journals.create();
    expect(path.dirname(file)).toBe(path.join(folder, "journals"));
    await writeFile(file, "x");
    expect(await abandoned()).toEqual([]);
    journals.release(file);
    expect(await abandoned()).toEqual([path.basename(file)]);
    journals.use(file);
    expect(await abandoned()).toEqual([]);
  });

  it("are left alone while another process writes them", async () => {
    await journals.create();
    await left(process.ppid);
    expect(await abandoned()).toEqual([]);
  });

  it("of a process that has ended are left behind", async () => {
    await journals.create();
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    const name = await left(pid);
    expect(await abandoned()).toEqual([name]);
  });

  it.skipIf(process.platform !== "linux")(
    "of a process that was killed are left behind though nobody has asked how it ended",
    async () => {
      await journals.create();
      // The shell becomes a program that never asks after the child that it had. The child ends when it is told
      // to, and is told after that: a shell would ask.
      const parent = spawn("sh", ["-c", `sh -c 'read line' <&3 & echo $!; exec sleep 600`], {
        stdio: ["ignore", "pipe", "ignore", "pipe"],
      });
      try {
        const [, output, , told] = parent.stdio;
        assert(output instanceof Readable && told instanceof Writable);
        const [line] = (await once(output, "data")) as [Buffer];
        const pid = Number(line.toString());
        await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8").trim()).toBe("sleep");
        told.end("\n");
        await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "latin1")).toMatch(/\) Z /);
        const owner = { pid, start: startOf(pid), place: thisOwner().place };
        const name = `journal-${ownerText(owner)}-0badcafe.jsonl.gz`;
        await writeFile(path.join(folder, "journals", name), "x");
        expect(await abandoned()).toEqual([name]);
      } finally {
        parent.kill();
      }
    },
  );

  it("long unwritten are left behind although their owner's number runs again", async () => {
    await journals.create();
    const name = await left(process.ppid, 11);
    expect(await abandoned()).toEqual([name]);
  });

  it("of another window are neither offered nor deleted, however long nothing was written", async () => {
    await journals.create();
    const owner = { pid: process.ppid, start: startOf(process.ppid), place: thisOwner().place };
    const file = path.join(folder, "journals", `journal-${ownerText(owner)}-0badcafe.jsonl.gz`);
    await writeFile(file, "x");
    await utimes(file, 1, 1);
    expect(await abandoned()).toEqual([]);
    await expect(journals.remove(file)).rejects.toThrow(/is being written by process/);
    expect(existsSync(file)).toBe(true);
  });

  it("of a process whose number has been given out anew are left behind at once", async () => {
    await journals.create();
    const name = `journal-${ownerText({ ...thisOwner(), pid: process.ppid, start: "0z" })}-0badcafe.jsonl.gz`;
    await writeFile(path.join(folder, "journals", name), "x");
    expect(await abandoned()).toEqual([name]);
  });

  it("of another machine or container are left alone as long as they are touched", async () => {
    await journals.create();
    const name = `journal-${ownerText({ ...thisOwner(), place: "00000000" })}-0badcafe.jsonl.gz`;
    const file = path.join(folder, "journals", name);
    await writeFile(file, "x");
    expect(await abandoned()).toEqual([]);
    const time = new Date(Date.now() - 3 * 60_000);
    await utimes(file, time, time);
    expect(await abandoned()).toEqual([name]);
  });

  it("are found where they were moved to, also by the next window", async () => {
    const file = await journals.createIn(folder);
    expect(path.dirname(file)).toBe(folder);
    await writeFile(file, "x");
    expect(await abandoned()).toEqual([]);
    const next = new Journals(path.join(folder, "journals"), memory);
    expect((await next.abandoned()).map((one) => one.path)).toEqual([file]);
  });

  it("never have the same name", async () => {
    const names = await Promise.all(Array.from({ length: 50 }, () => journals.create()));
    expect(new Set(names).size).toBe(50);
  });

  it("are gone once removed", async () => {
    const file = await journals.create();
    await writeFile(file, "x");
    await journals.remove(file);
    expect(existsSync(file)).toBe(false);
    expect(await abandoned()).toEqual([]);
    await journals.remove(file);
  });
});
