import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../src/core/model/index.js";
import { until, runCli } from "../support/cli.js";
import { engineInThread } from "../support/engine-in-thread.js";
import { healthy, serve } from "../support/faulty-server.js";

/** A store that takes requests of so many bytes at the most. */
async function storeOf(most: number) {
  const sizes: { readonly bytes: number; readonly taken: boolean }[] = [];
  const server = await serve((request, response) => {
    let bytes = 0;
    request.on("data", (chunk: Buffer) => (bytes += chunk.length));
    request.on("end", () => {
      const taken = bytes <= most;
      sizes.push({ bytes, taken });
      response.writeHead(taken ? 204 : 413).end(taken ? "" : "request entity too large");
    });
  });
  return { server, sizes, taken: () => sizes.filter(({ taken }) => taken).length };
}

it("an engine writes a capture to a store while it runs, and says at its end how much has arrived", async () => {
  const endpoint = await serve(healthy());
  const { server: store, taken } = await storeOf(Infinity);
  const engine = engineInThread();
  try {
    const notices: string[] = [];
    engine.on("notice", ({ reason }) => notices.push(reason));
    await engine.call("startCapture", {
      endpoints: [{ url: endpoint.origin, enabled: true }],
      remoteWrite: { url: store.origin, enabled: true },
      intervalMs: 50,
      scrapeTimeoutMs: 5000,
      reachabilityTimeoutMs: 5000,
      flushPeriodMs: 1000,
      limits: DEFAULT_LIMITS,
      include: [],
      exclude: [],
      warmup: { kind: "none" },
      sliceDurationSeconds: 5,
      journalLimitBytes: 0,
    });
    await until("two writes of a capture under way", () => taken() >= 2);
    await engine.call("stopCapture", {});
    await until("the end", () => notices.some((text) => /^\d+ samples have been written to/.test(text)));
    expect(store.requests[0]).toBe("POST /api/v1/write");
  } finally {
    engine.dispose();
    await store.close();
    await endpoint.close();
  }
});

it("a batch that a store refuses is split until what can be taken has been", async () => {
  const folder = await mkdtemp(join(tmpdir(), "server-metrics-split-"));
  const endpoint = await serve(healthy());
  const { server: store, sizes } = await storeOf(2500);
  try {
    const out = join(folder, "out");
    const captured = await runCli(
      ["capture", endpoint.origin, "--interval", "20", "--duration", "2", "--formats", "jsonl", "--out", out],
      {},
    );
    expect(captured.code, captured.stderr).toBe(0);
    const written = await runCli(["remote-write", join(out, "server_metrics_export.jsonl"), "--url", store.origin]);
    expect(written.code, written.stderr).toBe(0);
    expect(written.stderr).not.toContain("lost");
    expect(sizes[0]?.taken).toBe(false);
    expect(sizes.filter(({ taken }) => taken).length).toBeGreaterThan(1);
  } finally {
    await store.close();
    await endpoint.close();
    await rm(folder, { recursive: true, force: true });
  }
});
