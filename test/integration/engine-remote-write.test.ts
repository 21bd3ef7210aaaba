import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { snappyUncompressor } from "hysnappy";
import type { Problem } from "../../src/core/model/index.js";
import { DEFAULT_LIMITS, epochNs } from "../../src/core/model/index.js";
import { until, runCli } from "../support/cli.js";
import { engineInThread } from "../support/engine-in-thread.js";
import { healthy, serve } from "../support/faulty-server.js";
import { JOURNAL_METADATA, openJournal, variedScrapes } from "../support/journals.js";

const CAPTURE = {
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
} as const;

const towards = (endpoint: string, store: string) => ({
  endpoints: [{ url: endpoint, enabled: true }],
  remoteWrite: { store: { url: store, enabled: true }, labels: { cluster: "a100" } },
});

/** A store that takes requests of so many bytes at the most; the most may depend on the size of its first request. */
async function storeOf(most: number | ((first: number) => number)) {
  const sizes: { readonly bytes: number; readonly taken: boolean }[] = [];
  const texts: string[] = [];
  const server = await serve((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const body = Buffer.concat(pieces);
      const bytes = body.length;
      const taken = bytes <= (typeof most === "number" ? most : most(sizes[0]?.bytes ?? bytes));
      sizes.push({ bytes, taken });
      if (taken) texts.push(uncompressed(body));
      response.writeHead(taken ? 204 : 413).end(taken ? "" : "request entity too large");
    });
  });
  return { server, sizes, texts, taken: () => sizes.filter(({ taken }) => taken).length };
}

/** A snappy block begins with its length as a varint. */
function uncompressed(body: Uint8Array): string {
  let length = 0;
  for (let i = 0; i < 5; i++) {
    length += ((body[i] ?? 0) & 127) * 2 ** (7 * i);
    if ((body[i] ?? 0) < 128) break;
  }
  return Buffer.from(snappyUncompressor()(body, length)).toString("latin1");
}

it("an engine writes a capture to a store while it runs, and says at its end how much has arrived", async () => {
  const endpoint = await serve(healthy());
  const { server: store, taken, texts } = await storeOf(Infinity);
  const engine = engineInThread();
  try {
    const notices: string[] = [];
    engine.on("notice", ({ reason }) => notices.push(reason));
    await engine.call("startCapture", { ...CAPTURE, ...towards(endpoint.origin, store.origin) });
    await until("two writes of a capture under way", () => taken() >= 2);
    await engine.call("stopCapture", {});
    await until("the end", () => notices.some((text) => /^\d+ samples have been written to/.test(text)));
    expect(store.requests[0]).toBe("POST /api/v1/write");
    for (const text of texts) expect(text).toMatch(/cluster.{2}a100/s);
  } finally {
    engine.dispose();
    await store.close();
    await endpoint.close();
  }
});

it("an engine that recovers a capture writes to its store what had not been written, with the labels it had", async () => {
  const folder = await mkdtemp(join(tmpdir(), "server-metrics-recovered-"));
  const { server: store, texts } = await storeOf(Infinity);
  const engine = engineInThread();
  try {
    const path = join(folder, "journal");
    const journal = await openJournal(path);
    const scrapes = variedScrapes(30);
    for (const scrape of scrapes) journal.scrape(scrape, "profiling");
    const { benchmarkId } = JOURNAL_METADATA;
    const labels = {
      run_id: benchmarkId,
      ...(JOURNAL_METADATA.label === undefined ? {} : { label: JOURNAL_METADATA.label }),
    };
    const written = { url: `${store.origin}/api/v1/write`, labels: { ...labels, cluster: "a100" }, scrapes: 29 };
    journal.event({ kind: "remote_write", time: scrapes[29]?.time ?? epochNs(0n), written });
    await journal.close();
    const notices: string[] = [];
    engine.on("notice", ({ reason }) => notices.push(reason));
    const remoteWrite = { store: { url: written.url, enabled: true }, labels: {} };
    expect(await engine.call("recover", { journalPath: path, remoteWrite })).toMatchObject({ scrapes: 30 });
    await until("the end", () => notices.length > 0);
    const outcome = scrapes[29]?.outcome;
    const samples = 2 + (outcome?.kind === "samples" ? outcome.batch.length : 0);
    expect(notices).toEqual([`${samples} samples have been written to ${written.url}.`]);
    expect(texts).toHaveLength(1);
    expect(texts[0]).toMatch(/cluster.{2}a100/s);
  } finally {
    engine.dispose();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
});

it("a capture tells of samples that its store would not take", async () => {
  const endpoint = await serve(healthy());
  const { server: store, sizes } = await storeOf(0);
  const engine = engineInThread();
  try {
    const notices: Pick<Problem, "reason" | "remedy">[] = [];
    engine.on("notice", (problem) => notices.push(problem));
    await engine.call("startCapture", { ...CAPTURE, ...towards(endpoint.origin, store.origin) });
    await until("a refused write", () => sizes.length > 0);
    await engine.call("stopCapture", {});
    await until("the end", () => notices.some(({ reason }) => reason.includes("could not be written")));
    const { header } = await engine.call("describe", {});
    expect(header.problems.map(({ reason }) => reason)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/answered a remote write with HTTP 413/) as string,
        expect.stringMatching(/^0 samples have been written to .*, [1-9]\d* could not be written\.$/) as string,
      ]),
    );
  } finally {
    engine.dispose();
    await store.close();
    await endpoint.close();
  }
});

it("a batch that a store refuses is split until what can be taken has been", async () => {
  const folder = await mkdtemp(join(tmpdir(), "server-metrics-split-"));
  const endpoint = await serve(healthy());
  const { server: store, sizes } = await storeOf((first) => 0.6 * first);
  try {
    const out = join(folder, "out");
    const captured = await runCli(
      ["capture", endpoint.origin, "--interval", "20ms", "--duration", "2", "--formats", "jsonl", "--out", out],
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
