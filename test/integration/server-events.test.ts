import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { eventGroups } from "../../src/engine/event-groups.js";
import { openArtifact } from "../../src/files/open/index.js";
import { runCli, startCli, until } from "../support/cli.js";
import { healthy, serve } from "../support/faulty-server.js";
import { TrtllmServer } from "../support/trtllm-server.js";

let folder: string;
let server: TrtllmServer;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-metrics-events-"));
  server = await TrtllmServer.start();
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** A finished request as /perf_metrics has it. */
const request = (id: number, lastMs: number) => ({
  request_id: id,
  perf_metrics: {
    first_iter: 1,
    last_iter: 9,
    timing_metrics: {
      arrival_time: server.steady(lastMs - 1500),
      first_scheduled_time: server.steady(lastMs - 1450),
      first_token_time: server.steady(lastMs - 1250),
      last_token_time: server.steady(lastMs),
      server_arrival_time: null,
    },
    kv_cache_metrics: { num_total_allocated_blocks: 5, num_new_allocated_blocks: 4, num_reused_blocks: 1 },
  },
});

const stored = (id: number) => ({
  event_id: id,
  window_size: 4096,
  data: {
    type: "stored",
    parent_hash: 12345678901234,
    blocks: [{ type: "stored_block", block_hash: 987654321, tokens: [{ type: "unique_token", token_id: 4242424242 }] }],
  },
});

it("requests and KV-cache events of trtllm-serve are kept where they happened, without anything that users wrote", async () => {
  const begun = Date.now();
  server.requests.push(request(1, begun));
  server.cacheEvents.push(stored(1));
  const metrics = await serve(healthy());
  const out = join(folder, "run");
  try {
    const cli = startCli(
      [
        "capture",
        metrics.origin,
        "--server-events",
        server.origin,
        "--duration",
        "60",
        "--interval",
        "50ms",
        "--out",
        out,
      ],
      { env: { XDG_CACHE_HOME: folder } },
    );
    await until("the capture", () => cli.stderrSoFar().includes("reachable"));
    // What lay there before is not of this capture.
    expect(server.requests).toEqual([]);
    const last = Date.now();
    server.requests.push(request(7, last), request(8, last + 1));
    server.cacheEvents.push(stored(2));
    await until("both lists to be read", () => server.requests.length === 0 && server.cacheEvents.length === 0);
    // Read by the last reading, at the end.
    server.requests.push(request(9, Date.now()));
    cli.child.kill("SIGINT");
    const { code, stderr } = await cli.finished;
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("4 server events are kept in JSONL");

    const path = join(out, "server_metrics_export.jsonl");
    const text = await readFile(path, "utf8");
    expect(text).not.toMatch(/4242424242|987654321|12345678901234/);
    const opened = await openArtifact(path);
    if (opened.kind !== "samples") throw new Error("no samples");
    const { run } = opened;
    const requests = run.serverEvents.filter(({ kind }) => kind === "request");
    expect(requests.map(({ details }) => details["request_id"])).toEqual([7, 8, 9]);
    const [first] = requests;
    expect(first?.label).toBe("Request 7, 1.5 s, first token after 250 ms, queued 50 ms");
    // The clock was read by a request: it is out by half the time of that at most, and not by the clocks' distance.
    const errorMs = Math.abs(Number((first?.time ?? 0n) - BigInt(last) * 1_000_000n)) / 1e6;
    expect(errorMs).toBeLessThanOrEqual(Date.now() - begun);
    expect(server.clockOffset * 1000).toBeGreaterThan(Date.now() - begun);
    expect(Number((first?.time ?? 0n) - (first?.start ?? 0n))).toBeCloseTo(1.5e9, -6);
    expect(first?.endpointUrl).toBe(server.origin);
    const cache = run.serverEvents.filter(({ kind }) => kind === "kv-cache");
    expect(cache).toMatchObject([
      { label: "KV cache stored: 1 block", details: { type: "stored", event_id: 2, window_size: 4096, blocks: 1 } },
    ]);

    const groups = eventGroups(run);
    expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(4);
    // A run that was read again gives the same file.
    const again = join(folder, "again");
    const exported = await runCli(["export", path, "--out", again, "--formats", "jsonl"]);
    expect(exported.code, exported.stderr).toBe(0);
    const reopened = await openArtifact(join(again, "server_metrics_export.jsonl"));
    expect(reopened.kind === "samples" && reopened.run.serverEvents).toEqual(run.serverEvents);
  } finally {
    await metrics.close();
  }
});

it("a server that has no such lists says so once, and its metrics are captured", async () => {
  const metrics = await serve((one, response) => {
    if (one.url === "/metrics") healthy()(one, response);
    else response.writeHead(404).end();
  });
  try {
    const { code, stderr } = await runCli(
      ["capture", metrics.origin, "--server-events", metrics.origin, "--duration", "0.2", "--out", join(folder, "run")],
      { env: { XDG_CACHE_HOME: folder } },
    );
    expect(code, stderr).toBe(0);
    expect(stderr.split("/perf_metrics does not exist (HTTP 404)").length).toBe(2);
    expect(stderr.split("/kv_cache_events does not exist (HTTP 404)").length).toBe(2);
  } finally {
    await metrics.close();
  }
});

it("a capture ends at once when it is interrupted while a server does not answer with its events", async () => {
  const metrics = await serve(healthy());
  let asked = 0;
  const hanging = await serve(() => void asked++);
  try {
    const cli = startCli(["capture", metrics.origin, "--server-events", hanging.origin, "--out", join(folder, "run")], {
      env: { XDG_CACHE_HOME: folder },
    });
    await until("the server to be asked", () => asked > 0);
    cli.child.kill("SIGINT");
    const { code, stderr } = await cli.finished;
    // Its clock is asked for first: who waits for the next question has waited for fifteen seconds.
    expect({ code, asked }).toEqual({ code: 1, asked: 1 });
    expect(stderr).toMatch(/interrupted before the capture began/);
  } finally {
    await Promise.all([metrics.close(), hanging.close()]);
  }
});
