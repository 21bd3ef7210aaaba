import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ENGINE_ENDED, spawnEngine } from "../../../src/engine/client.js";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "server-metrics-client-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

it("an engine's client tells that an engine ended by itself, of what was asked before and of what is asked then", async () => {
  const worker = path.join(dir, "dies.cjs");
  await writeFile(
    worker,
    'require("node:worker_threads").parentPort.once("message", () => { throw new Error("JS heap out of memory"); });',
  );
  const { client, exited, dispose } = spawnEngine(worker);
  const reason = { code: ENGINE_ENDED, message: "the engine ended unexpectedly: JS heap out of memory" };
  const params = { directory: dir, formats: ["csv"], verify: false } as const;
  const [asked] = await Promise.allSettled([client.call("export", params), exited]);
  expect(asked).toMatchObject({ status: "rejected", reason });
  await expect(client.call("export", params)).rejects.toMatchObject(reason);
  await dispose();
});

it("an engine's client takes an engine that was closed for a closed one", async () => {
  const worker = path.join(dir, "waits.cjs");
  await writeFile(worker, 'require("node:worker_threads").parentPort.on("message", () => undefined);');
  const { client, dispose } = spawnEngine(worker);
  const asked = client.call("describe", {});
  void dispose();
  await expect(asked).rejects.toMatchObject({ code: "disposed" });
});
