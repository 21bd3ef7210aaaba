import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { AgentThread } from "../../../src/agents/thread.js";

let folder: string;
let worker: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "server-metrics-thread-"));
  worker = path.join(folder, "worker.cjs");
  // Answers, or goes on for ever in one step, which nothing but its end interrupts.
  await writeFile(
    worker,
    `const { parentPort } = require("node:worker_threads");
    parentPort.on("message", ({ id, params }) => {
      if (params.tool === "endless") for (;;);
      parentPort.postMessage({ kind: "response", id, ok: true, result: { text: params.tool, isError: false } });
    });`,
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const call = (tool: string) => ({ tool, input: {}, folder });

it("a call that takes too long ends its thread, and the next one has another", async () => {
  const thread = new AgentThread(worker, () => undefined, 1);
  await Promise.all([
    expect(thread.answer(call("endless"))).rejects.toThrow("endless took longer than 1 s and was ended."),
    expect(thread.answer(call("beside"))).rejects.toThrow(/took (longer than 1 s|too long)/),
  ]);
  expect(await thread.answer(call("again"))).toEqual({ text: "again", isError: false });
  await thread.kill();
});

it("a thread is ended in the midst of a call", async () => {
  const thread = new AgentThread(worker, () => undefined);
  const endless = expect(thread.answer(call("endless"))).rejects.toThrow("ended what answers");
  await thread.kill();
  await endless;
});
