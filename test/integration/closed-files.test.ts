import { mkdtemp, readdir, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesOf, eachChunk } from "../../src/files/bytes.js";

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "server-metrics-closed-files-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Whether this process has a file open; Linux tells. */
async function isOpen(path: string): Promise<boolean> {
  const targets = await Promise.all(
    (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")),
  );
  return targets.includes(path);
}

describe.runIf(process.platform === "linux")("a file that is read a chunk at a time", () => {
  it.each([
    ["its reader refuses a chunk", () => Promise.reject(new Error("refused"))],
    ["it has been read", () => Promise.resolve()],
  ])("is closed when %s", async (_, use) => {
    const path = join(folder, "file");
    await writeFile(path, "x".repeat(3 * 1024 * 1024));
    let wasOpen = false;
    await eachChunk(bytesOf(path, {}), async () => {
      wasOpen ||= await isOpen(path);
      await use();
    }).catch((error: unknown) => {
      if (!(error instanceof Error) || error.message !== "refused") throw error;
    });
    expect(wasOpen).toBe(true);
    expect(await isOpen(path)).toBe(false);
  });
});
