import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { GrowingFile } from "../../../src/files/growing-file.js";

/** A zstd frame of one stored block (RFC 8878): a single segment whose size has one byte. */
function zstdFrame(text: string): Buffer {
  const content = Buffer.from(text);
  const block = Buffer.alloc(3);
  block.writeUIntLE(1 | (content.length << 3), 0, 3);
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, content.length]), block, content]);
}

it("still says that a zstd file is torn when it is read again and has not changed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "server-metrics-growing-"));
  try {
    const path = join(folder, "run.jsonl.zst");
    await writeFile(path, Buffer.concat([zstdFrame("whole\n"), zstdFrame("cut off\n").subarray(0, 12)]));
    const file = new GrowingFile(path);
    const read = async () => {
      let text = "";
      const reading = file.read({});
      for (;;) {
        const next = await reading.next();
        if (next.done === true) return { text, torn: next.value.torn };
        text += Buffer.from(next.value).toString();
      }
    };
    expect(await read()).toEqual({ text: "whole\n", torn: true });
    expect(await read()).toEqual({ text: "", torn: true });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
