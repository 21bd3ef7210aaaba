import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Scrape } from "../../src/core/model/index.js";
import { recoverJournal } from "../../src/files/index.js";
import { detectFileFormat, openGrowing } from "../../src/files/open/index.js";
import { JOURNAL_METADATA, variedScrapes, writeJournal } from "../support/journals.js";
import { seededRandom } from "../support/random.js";

const MEMBERS = 12;
const PER_MEMBER = 10;

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "journal-damage-"));
  path = join(folder, "run.jsonl.gz");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** All that a scrape tells, in an order that does not depend on ids. */
function describedScrape({ endpointUrl, time, outcome }: Scrape): string {
  if (outcome.kind !== "samples") return `${endpointUrl} ${time} ${outcome.kind}`;
  const { defs, ids, values, length } = outcome.batch;
  const samples = Array.from({ length }, (_, i) => {
    const def = defs[ids[i] ?? -1];
    const part = def?.part.kind === "bucket" ? `bucket ${def.part.bound}` : def?.part.kind;
    return `${def?.family.type} ${def?.family.name} ${JSON.stringify(def?.labels)} ${part} ${values[i]}`;
  });
  return `${endpointUrl} ${time} ${samples.sort().join("\n")}`;
}

async function recovered(bytes: Uint8Array) {
  await writeFile(path, bytes);
  const { run, problems } = await recoverJournal(path);
  return {
    run,
    scrapes: Array.from(run.store.scrapesInOrder(), describedScrape),
    words: problems.map(({ reason }) => reason).join("\n"),
  };
}

describe("a damaged journal", () => {
  it("gives back everything in the members that are sound, wherever bytes are flipped or zeroed", async () => {
    const all = variedScrapes(MEMBERS * PER_MEMBER);
    const expected = all.map(describedScrape);
    const ends = await writeJournal(path, all, PER_MEMBER);
    const sound = await readFile(path);
    const starts = [0, ...ends.slice(0, -1)];
    const random = seededRandom(7);
    const within = (below: number) => Math.floor(random() * below);
    for (let trial = 0; trial < 150; trial++) {
      const bytes = Buffer.from(sound);
      const from = within(bytes.length);
      const length = trial % 3 === 0 ? 1 : 1 + within(trial % 3 === 1 ? 60 : bytes.length / 3);
      const to = Math.min(bytes.length, from + length);
      if (trial % 2 === 0) bytes.fill(0, from, to);
      else for (let at = from; at < to; at++) bytes[at] = (bytes[at] ?? 0) ^ (1 + within(255));
      const hit = starts.map((start, i) => from < (ends[i] ?? 0) && to > start);
      const safe = expected.filter((_, i) => hit[Math.floor(i / PER_MEMBER)] === false);
      if (safe.length === 0) continue;
      const { run, scrapes, words } = await recovered(bytes);
      // A zero may have been a zero before, and of a gzip header not every byte matters.
      const lost = expected.length - scrapes.length;
      expect(scrapes.filter((scrape) => safe.includes(scrape))).toEqual(safe);
      expect(scrapes.every((scrape) => expected.includes(scrape))).toBe(true);
      if (lost > 0) expect(words).toMatch(/scrapes (between|after) .* are missing|is cut off/);
      expect(run.metadata).toEqual(JOURNAL_METADATA);
      expect([run.startIsSet, run.profilingStart]).toEqual([true, all[0]?.time]);
    }
  });

  it("names what is missing: how much, and from when to when", async () => {
    const all = variedScrapes(MEMBERS * PER_MEMBER);
    const ends = await writeJournal(path, all, PER_MEMBER);
    const sound = await readFile(path);
    const bytes = Buffer.from(sound).fill(0, ends[2]! + 100, ends[4]! - 20);
    const { words } = await recovered(bytes);
    const time = (i: number) => new Date(Number(all[i]!.time / 1_000_000n)).toISOString();
    expect(words).toContain(
      `is damaged (${ends[4]! - ends[2]!} bytes): 20 scrapes between ${time(29)} and ${time(50)} are missing.`,
    );
    const first = await recovered(Buffer.from(sound).fill(0xee, 0, 300));
    expect(first.words).toMatch(/10 scrapes between the start of the capture and /);
    expect((await detectFileFormat(path)).format).toBe("journal");
  });

  it("is read on as it grows, in the middle of which a part is damaged", async () => {
    const all = variedScrapes(MEMBERS * PER_MEMBER);
    const ends = await writeJournal(path, all, PER_MEMBER);
    const bytes = (await readFile(path)).fill(0x55, ends[0]! + 200, ends[0]! + 210);
    await writeFile(path, bytes.subarray(0, ends[3]! + 70));
    const growing = await openGrowing(path);
    expect(growing.run.store.scrapes).toBe(30);
    await writeFile(path, bytes);
    expect(await growing.hasGrown()).toBe(true);
    const { notices } = await growing.readMore();
    expect(growing.run.store.scrapes).toBe((MEMBERS - 1) * PER_MEMBER);
    expect(notices.map(({ reason }) => reason).join("\n")).toMatch(/10 scrapes between/);
  });

  it("is gzip that any reader unpacks, and of lines that any reader of the lines takes", async () => {
    const all = variedScrapes(40);
    await writeJournal(path, all, PER_MEMBER);
    const text = gunzipSync(await readFile(path)).toString();
    const lines = text.trimEnd().split("\n");
    expect(lines.filter((line) => line.includes('"run_start"'))).toHaveLength(4);
    const plain = join(folder, "plain.jsonl");
    await writeFile(plain, text);
    const { run } = await recoverJournal(plain);
    expect(Array.from(run.store.scrapesInOrder(), describedScrape)).toEqual(all.map(describedScrape));
  });

  it("of an earlier version, whose members do not announce themselves, still opens", async () => {
    const all = variedScrapes(40);
    await writeJournal(path, all, 1e9);
    const lines = gunzipSync(await readFile(path))
      .toString()
      .trimEnd()
      .split("\n");
    const members = [0, 1, 2].map((third) => lines.slice(third * 15, third * 15 + 15).map((line) => `${line}\n`));
    const packed = Buffer.concat(members.map((part) => gzipSync(part.join(""), { level: 1 })));
    const { scrapes } = await recovered(packed);
    expect(scrapes).toEqual(all.map(describedScrape));
    const torn = await recovered(packed.subarray(0, packed.length - 20));
    expect(torn.scrapes.length).toBeGreaterThanOrEqual(28);
    expect(torn.words).toContain("is cut off");
  });
});
