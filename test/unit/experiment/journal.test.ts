import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Journal } from "../../../src/experiment/journal.js";
import { twoConfigurations } from "../../support/experiments.js";

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "server-metrics-journal-"));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

it("a journal from elsewhere deletes nothing outside of its experiment's folder", async () => {
  const out = join(dir, "e");
  for (const folder of ["e/runs/steady/01-a", "kept"]) {
    await mkdir(join(dir, folder), { recursive: true });
    await writeFile(join(dir, folder, "file"), "");
  }
  const journal = await Journal.take(out);
  await journal.begin(twoConfigurations(), ["runs/steady/01-a", "runs/../../../kept", "../kept"]);
  expect(await readdir(join(out, "runs/steady"))).toEqual([]);
  expect(await readdir(join(dir, "kept"))).toEqual(["file"]);
});
