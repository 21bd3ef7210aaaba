import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { recordDemoRun } from "../../src/extension/demo/demo-run.js";
import { engineInThread } from "../support/engine-in-thread.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "server-metrics-demo-run-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it("the demo run opens with what it was made to show as its first finding", async () => {
  const file = path.join(folder, "new", "demo-run.jsonl");
  await recordDemoRun(file);
  const client = engineInThread();
  try {
    await client.call("open", { path: file });
    const { findings } = await client.call("findings", {});
    expect(findings[0]?.id).toBe("kv-pressure");
  } finally {
    client.dispose();
  }
});
