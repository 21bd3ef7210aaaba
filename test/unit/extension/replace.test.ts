import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

interface Asked {
  readonly message: string;
  readonly options: unknown;
  readonly button: string;
}

const asked: Asked[] = [];
let answer: string | undefined;
vi.mock("vscode", () => ({
  window: {
    showWarningMessage: (message: string, options: unknown, button: string) => {
      asked.push({ message, options, button });
      return Promise.resolve(answer);
    },
  },
  EventEmitter: class {},
  Disposable: class {},
}));
const { mayReplace } = await import("../../../src/extension/capture/write-artifacts.js");

const NAMES = ["server_metrics_export.json", "server_metrics_export.parquet"] as const;

let folder: string;
beforeEach(async () => {
  asked.splice(0);
  answer = undefined;
  folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-replace-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it("an export into a folder without such files asks nothing", async () => {
  await writeFile(path.join(folder, "notes.txt"), "");
  expect(await mayReplace(folder, NAMES)).toBe(true);
  expect(asked).toEqual([]);
});

it("originals are replaced only after a question that names them and has to be answered", async () => {
  await writeFile(path.join(folder, NAMES[1]), "original");
  expect(await mayReplace(folder, NAMES)).toBe(false);
  expect(asked).toEqual([
    {
      message: `Replace ${NAMES[1]}?`,
      options: { modal: true, detail: `${folder} holds ${NAMES[1]} already. This cannot be undone.` },
      button: "Replace",
    },
  ]);
  answer = "Replace";
  expect(await mayReplace(folder, NAMES)).toBe(true);
});

it("a folder that is reached by a link is asked about as well, and several files are counted", async () => {
  for (const name of NAMES) await writeFile(path.join(folder, name), "original");
  const link = path.join(folder, "links", "to-it");
  await mkdir(path.dirname(link));
  await symlink(folder, link);
  expect(await mayReplace(link, NAMES)).toBe(false);
  expect(asked.map(({ message }) => message)).toEqual(["Replace 2 files?"]);
});
