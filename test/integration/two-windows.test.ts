import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Journals } from "../../src/extension/capture/journals.js";
import { recoverJournal } from "../../src/files/index.js";

/** What the extension host of another window does: a journal of its own in the folder of the workspace. */
const WINDOW = `
  import { Journals } from "./src/extension/capture/journals.js";
  import { JournalWriter } from "./src/files/journal/writer.js";
  import { BatchBuilder, ORIGIN } from "./test/support/run-builder.js";
  const journals = new Journals(process.argv[2], { get: () => undefined, update: () => Promise.resolve() });
  const metadata = { benchmarkId: "b", endpointsConfigured: [], sliceDurationSeconds: 5, inputConfig: {} };
  const file = await journals.create();
  const journal = await JournalWriter.open(file, { metadata, time: ORIGIN, limitBytes: 1e9, onNotice() {} });
  const builder = new BatchBuilder();
  for (let n = 1; n <= 10; n++) {
    const time = ORIGIN + BigInt(n) * 1000000n;
    const batch = builder.batch([{ name: "g", value: n }]);
    journal.scrape({ endpointUrl: "http://a:1/metrics", time, latency: 1, requestSent: time, outcome: { kind: "samples", batch } });
  }
  await journal.flush();
  // Runs until it is killed, or the test is gone.
  process.on("disconnect", () => process.exit());
  process.send({ file, abandoned: (await journals.abandoned()).map((one) => one.path) });
`;

let folder: string;
const windows: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "server-metrics-windows-"));
});
afterEach(async () => {
  for (const window of windows.splice(0)) window.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

interface Told {
  readonly file: string;
  readonly abandoned: readonly string[];
}

async function openWindow(script: string, journals: string) {
  const window = fork(script, [journals]);
  windows.push(window);
  const [told] = (await once(window, "message")) as [Told];
  return { window, ...told };
}

it("two windows on one workspace leave each other's journals alone, until one of them is killed", async () => {
  const script = path.join(folder, "window.mjs");
  await build({
    stdin: { resolveDir: path.join(import.meta.dirname, "../.."), loader: "ts", contents: WINDOW },
    bundle: true,
    platform: "node",
    format: "esm",
    // For packages that are CommonJS.
    banner: { js: `import { createRequire } from "node:module"; const require = createRequire(import.meta.url);` },
    outfile: script,
    logLevel: "silent",
  });
  const shared = path.join(folder, "journals");
  const first = await openWindow(script, shared);
  const second = await openWindow(script, shared);
  expect(second.file).not.toBe(first.file);
  expect([first.abandoned, second.abandoned]).toEqual([[], []]);
  const journals = new Journals(shared, { get: () => undefined, update: () => Promise.resolve() });
  expect(await journals.abandoned()).toEqual([]);
  await expect(journals.remove(first.file)).rejects.toThrow(`is being written by process ${first.window.pid}`);

  first.window.kill("SIGKILL");
  await once(first.window, "exit");
  expect((await journals.abandoned()).map((one) => one.path)).toEqual([first.file]);
  expect((await recoverJournal(first.file)).run.store.scrapes).toBe(10);
  await expect(journals.remove(second.file)).rejects.toThrow(`is being written by process ${second.window.pid}`);
});
