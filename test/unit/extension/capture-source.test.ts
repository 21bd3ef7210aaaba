import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Captures } from "../../../src/extension/capture/captures.js";
import type { EngineRun } from "../../../src/extension/engine.js";
import { CaptureSources } from "../../../src/extension/compare/capture-source.js";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "server-metrics-sources-"));
  await writeFile(path.join(dir, "server_metrics_export.json"), "{}");
});
afterAll(() => rm(dir, { recursive: true, force: true }));

function capture(journalPath: string) {
  const ended: (() => void)[] = [];
  const run = {
    journalPath: journalPath as string | undefined,
    directory: undefined as string | undefined,
    label: "x",
    startedAt: new Date(0),
    onDidEnd: (listener: () => void) => ended.push(listener),
  };
  return { run, end: () => ended.forEach((listener) => listener()) };
}

it("CaptureSources knows what took a journal's place, and keeps no run that has ended", async () => {
  const [written, lost] = [capture("/journal-1"), capture("/journal-2")];
  let latest = written.run;
  const captures = {
    get latest() {
      return latest as unknown as EngineRun;
    },
    active: undefined,
  } as unknown as Captures;
  const sources = new CaptureSources(captures);
  expect(await sources.current()).toEqual({ path: "/journal-1", label: "x" });
  expect(await sources.successorOf("/journal-1")).toBeUndefined();
  latest = lost.run;
  expect((await sources.current())?.path).toBe("/journal-2");

  written.run.journalPath = undefined;
  written.run.directory = dir;
  const successor = path.join(dir, "server_metrics_export.json");
  expect(await sources.successorOf("/journal-1")).toBe(successor);
  written.end();
  lost.end();
  // Neither is asked any more.
  written.run.directory = "/elsewhere";
  Object.assign(lost.run, { journalPath: undefined, directory: dir });
  expect(await sources.successorOf("/journal-1")).toBe(successor);
  expect(await sources.successorOf("/journal-2")).toBeUndefined();
});
