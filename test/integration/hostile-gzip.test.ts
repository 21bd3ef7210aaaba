import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { JsonlReader } from "../../src/core/artifacts/index.js";
import { epochNs } from "../../src/core/model/index.js";
import { HEADER_BYTES, withHeader } from "../../src/files/journal/members.js";
import { recoverJournal } from "../../src/files/index.js";
import { whatIsWrong } from "../fuzz/fuzz.js";
import { targetOf } from "../fuzz/targets.js";
import { startCli } from "../support/cli.js";
import { variedScrapes, writeJournal } from "../support/journals.js";
import { peakOf } from "../support/peak.js";

let folder: string;
const file = (name: string) => join(folder, name);
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "server-metrics-hostile-gzip-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

const HEADER = { scrapes: 1, scrapesBefore: 0, first: epochNs(0n), last: epochNs(0n) };
/** Deflate's stored blocks (RFC 1951, 3.2.4): 5 bytes, then the content as it is. */
const STORED_BYTES = 5;

function storedHeader(length: number): Uint8Array {
  return Uint8Array.of(0, length & 0xff, length >> 8, ~length & 0xff, (~length >> 8) & 0xff);
}

/** Each member claims all that follows, and unpacks to its end before it turns out to be damaged. */
function nestedMembers(count: number): Uint8Array {
  const each = HEADER_BYTES + STORED_BYTES;
  const bytes = new Uint8Array(count * each);
  for (let i = 0; i < count; i++) {
    const claimed = new Uint8Array(bytes.length - i * each - HEADER_BYTES + 10);
    claimed.set([0x1f, 0x8b, 8]);
    bytes.set(withHeader(claimed, { ...HEADER, sequence: i }).subarray(0, HEADER_BYTES), i * each);
    bytes.set(storedHeader(HEADER_BYTES), i * each + HEADER_BYTES);
  }
  // All end with the same length.
  new DataView(bytes.buffer).setUint32(bytes.length - 4, bytes.length, true);
  return bytes;
}

/** One member of gzip, damaged at its end, whose content looks like the beginnings of members. */
function mockMembers(length: number): Uint8Array {
  const content = Buffer.alloc(length, Uint8Array.of(0x1f, 0x8b, 8));
  const packed = gzipSync(content, { level: 0 });
  packed.fill(0xff, packed.length - 8);
  return packed;
}

/** A journal of one member. */
function journalOf(text: Uint8Array): Uint8Array {
  return withHeader(gzipSync(text, { level: 1 }), { ...HEADER, sequence: 0 });
}

describe("hostile gzip", () => {
  it.each([
    ["members of a journal that lie within each other", () => nestedMembers(9000)],
    ["content that looks like members", () => mockMembers(600_000)],
    [
      "hundreds of members before the damage",
      () => Buffer.concat([...Array.from({ length: 300 }, () => gzipSync("x")), mockMembers(90)]),
    ],
  ])("takes no more than a moment: %s", async (_, bytes) => {
    expect(await whatIsWrong(targetOf("journal", folder), bytes())).toBeUndefined();
  });

  it("of nothing but broken lines is not read to its end", async () => {
    // 500 MB of it.
    const million = gzipSync("x\n".repeat(1_000_000));
    const bytes = Buffer.concat(Array.from({ length: 250 }, () => million));
    await writeFile(file("broken.jsonl.gz"), bytes);
    const read = vi.spyOn(JsonlReader.prototype, "push");
    await expect(recoverJournal(file("broken.jsonl.gz"))).rejects.toThrow(
      /contains no scrape: .* line 1 cannot be read/,
    );
    expect(read.mock.calls.reduce((sum, [{ length }]) => sum + length, 0)).toBeLessThan(5e6);
    read.mockRestore();
  });

  it.runIf(process.platform === "linux").each([
    ["a journal's member", () => journalOf(Buffer.alloc(400 * 1024 ** 2, "x".repeat(9999) + "\n"))],
    [
      "gzip with damage behind it",
      () =>
        Buffer.concat([
          gzipSync(Buffer.alloc(400 * 1024 ** 2, "x".repeat(9999) + "\n"), { level: 1 }),
          mockMembers(90),
        ]),
    ],
  ])("that unpacks to a great deal is read in pieces: %s", async (_, bytes) => {
    await writeFile(file("bomb.jsonl.gz"), bytes());
    const { peak, code, stderr } = await peakOf(startCli(["recover", file("bomb.jsonl.gz"), "--out", file("out")]));
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("contains no scrape") as string });
    expect(peak / 1024).toBeLessThan(400);
  });
});

it("a journal with a member of very long text is read in whole, and what stands behind a damaged one too", async () => {
  const all = variedScrapes(40);
  const path = file("sound.jsonl.gz");
  const ends = await writeJournal(path, all, 10);
  const sound = await readFile(path);
  const long = journalOf(Buffer.alloc(80 * 1024 ** 2, `${" ".repeat(1023)}\n`));
  const damaged = long.slice();
  damaged.fill(0, 1000, 1100);
  for (const member of [long, damaged]) {
    await writeFile(
      file("long.jsonl.gz"),
      Buffer.concat([sound.subarray(0, ends[1]), member, sound.subarray(ends[1])]),
    );
    const { run } = await recoverJournal(file("long.jsonl.gz"));
    expect(run.store.scrapes).toBe(all.length);
  }
});
