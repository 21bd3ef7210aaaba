import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { forgetAllJson } from "../../src/engine/capture/json-endpoints.js";
import { runCli } from "../support/cli.js";
import { FAULTS, healthy } from "../support/faulty-server.js";
import { closedAfterEach } from "../support/servers.js";

const { server } = closedAfterEach();
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-metrics-json-"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

let runs = 0;
const captured = (...options: string[]) =>
  runCli(["capture", ...options, "--duration", "0.2", "--interval", "50ms", "--out", join(folder, `${runs++}`)], {
    env: { XDG_CACHE_HOME: folder },
  });
const capture = (origin: string, ...more: string[]) => captured("--url", origin, ...more);
const gets = (requests: readonly string[], path: string) => requests.filter((one) => one === `GET ${path}`).length;
const remembered = async () =>
  (JSON.parse(await readFile(join(folder, "server-metrics", "json-endpoints.json"), "utf8")) as { urls: string[] })
    .urls;

describe("JSON at /metrics, which reading takes away", () => {
  it("is read once in the first capture and not at all in later ones, until the user asks for it", async () => {
    const { origin, requests } = await server(FAULTS.json(healthy()));
    const first = await capture(origin);
    expect(first.code, first.stderr).toBe(0);
    expect(first.stderr).toContain(`${origin}/metrics returns JSON, and reading it removes it for other readers.`);
    expect(gets(requests, "/metrics")).toBe(1);
    expect(gets(requests, "/prometheus/metrics")).toBeGreaterThan(3);
    expect(await remembered()).toEqual([`${origin}/metrics`]);

    const second = await capture(origin);
    expect(second.code, second.stderr).toBe(0);
    expect(second.stderr).toContain("in an earlier capture");
    expect(gets(requests, "/metrics")).toBe(1);

    const asked = await capture(origin, "--forget-json");
    expect(asked.code, asked.stderr).toBe(0);
    expect(gets(requests, "/metrics")).toBe(2);
  });

  it("is read once by discovery and the capture together, and again after --forget-json", async () => {
    const { port, requests } = await server(FAULTS.json(healthy()));
    const discover = (...options: string[]) => captured("--discover", `127.0.0.1:${port}`, ...options);
    const first = await discover();
    expect(first.code, first.stderr).toBe(0);
    expect(first.stderr).toContain("returns JSON, and reading it removes it for other readers.");
    expect(gets(requests, "/metrics")).toBe(1);
    await discover();
    expect(gets(requests, "/metrics")).toBe(1);
    await discover("--forget-json");
    expect(gets(requests, "/metrics")).toBe(2);
    // As the editor's command does.
    const url = `http://127.0.0.1:${port}/metrics`;
    vi.stubEnv("XDG_CACHE_HOME", folder);
    expect(await forgetAllJson()).toEqual([url]);
    expect(await remembered()).toEqual([]);
  });

  it("is read once where the metrics are nowhere, across test and baseline", async () => {
    const { origin, requests } = await server(FAULTS.json());
    const { code, stderr } = await capture(origin);
    expect(code).toBe(1);
    expect(stderr).toContain("left out of this capture");
    expect(gets(requests, "/metrics")).toBe(1);
    expect(gets(requests, "/prometheus/metrics")).toBe(1);
  });

  it("is forgotten once /prometheus/metrics is gone, not while the server is away", async () => {
    let mode: "json" | "away" | "plain" = "json";
    const json = FAULTS.json(healthy());
    const plain = healthy();
    const { origin, requests } = await server((request, response) => {
      if (mode === "json") json(request, response);
      else if (mode === "away") response.destroy();
      else if (request.url === "/metrics") plain(request, response);
      else FAULTS.status(404)(request, response);
    });
    await capture(origin);
    mode = "away";
    await capture(origin);
    expect(await remembered()).toEqual([`${origin}/metrics`]);
    expect(gets(requests, "/metrics")).toBe(1);
    mode = "plain";
    const { code, stderr } = await capture(origin);
    expect(code, stderr).toBe(0);
    expect(await remembered()).toEqual([]);
    expect(stderr).toContain("it was read again");
  });
});
