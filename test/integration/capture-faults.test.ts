import { execFile, spawnSync } from "node:child_process";
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { afterEach, expect, it, vi } from "vitest";
import { Collector, type Target } from "../../src/collect/index.js";
import type { Scrape } from "../../src/core/model/index.js";
import { Store } from "../../src/core/store/index.js";
import { EXPIRED, OTHER_HOST } from "../support/bad-certificates.js";
import { CLI, runCli, startCli, until } from "../support/cli.js";
import { COLLECT_OPTIONS, Listener, target } from "../support/collecting.js";
import { serveTls } from "../support/faulty-server-tls.js";
import { healthy, respond, TEXT_FORMAT } from "../support/faulty-server.js";
import { closedAfterEach } from "../support/servers.js";

const { open, server } = closedAfterEach();
const PAUSE_MS = 1500;

afterEach(() => {
  vi.restoreAllMocks();
});

/** A listener that keeps the samples, too. */
class Storing extends Listener {
  readonly store = new Store();

  override onScrape(scrape: Scrape): void {
    this.store.append(scrape);
    super.onScrape(scrape);
  }
}

async function capture(endpoint: Target) {
  const listener = new Storing();
  const collector = new Collector([endpoint], COLLECT_OPTIONS, listener);
  open.push({ close: () => collector.abort() });
  await collector.start();
  return listener;
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "server-metrics-faults-"));
  open.push({ close: () => rm(path, { recursive: true, force: true }) });
  return path;
}

it.each([
  ["an expired certificate", EXPIRED, /^The certificate of 127\.0\.0\.1:\d+ is expired or not valid yet\.$/],
  ["a certificate of another host", OTHER_HOST, /^The certificate of 127\.0\.0\.1:\d+ is for another host name\.$/],
])("%s is a gap that says so, and the endpoint is tried again", async (_, { key, cert }, message) => {
  let asked = 0;
  const tls = await serveTls(() => asked++, { key, cert });
  open.push(tls);
  const listener = await capture(target(`https://127.0.0.1:${tls.port}/metrics`, { tls: { ca: cert } }));
  await listener.until(() => listener.scrapes.length > 2);
  for (const { kind, error } of listener.scrapes) {
    expect(kind).toBe("failed");
    expect(error).toMatchObject({ type: "tls", message: expect.stringMatching(message) as string });
  }
  // Nothing was sent to a server that could not prove who it is.
  expect(asked).toBe(0);
});

const hasIpv6 = Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === "::1"));

// Skipped where the host has no IPv6 loopback address.
it.skipIf(!hasIpv6)("an IPv6 address is scraped like any other", async () => {
  const ipv6 = createServer(healthy());
  await new Promise<void>((resolve) => ipv6.listen(0, "::1", resolve));
  open.push({
    close: () => {
      ipv6.closeAllConnections();
      ipv6.close();
    },
  });
  const url = `http://[::1]:${(ipv6.address() as AddressInfo).port}/metrics`;
  const listener = await capture(target(url));
  await listener.until(() => listener.scrapes.length > 1);
  expect(listener.scrapes.map(({ kind, endpointUrl }) => [kind, endpointUrl])).toEqual(
    listener.scrapes.map(() => ["samples", url]),
  );
});

it("a histogram whose bounds change in mid-capture keeps both, each with its own samples", async () => {
  let asked = 0;
  const { origin } = await server((_, response) => {
    const n = ++asked;
    const bounds = n <= 3 ? ["0.1", "1", "+Inf"] : ["0.5", "5", "50", "+Inf"];
    const buckets = bounds.map((le, i) => `wait_bucket{le="${le}"} ${n * (i + 1)}\n`).join("");
    const rest = `wait_sum ${n}\nwait_count ${n * bounds.length}\n`;
    respond(response, 200, TEXT_FORMAT, `# TYPE wait histogram\n${buckets}${rest}`);
  });
  const listener = await capture(target(`${origin}/metrics`));
  await listener.until(() => listener.scrapes.length >= 6);
  expect(listener.scrapes.every(({ kind }) => kind === "samples")).toBe(true);
  const [key, ...others] = listener.store.seriesKeys();
  expect(others).toEqual([]);
  const read = listener.store.read(key!.id);
  if (read.kind !== "histogram") throw new Error("a histogram was expected");
  expect(read.segments.map(({ bounds }) => bounds)).toEqual([
    ["0.1", "1", "+Inf"],
    ["0.5", "5", "50", "+Inf"],
  ]);
  const scrapes = listener.scrapes.length;
  const served = Array.from({ length: scrapes }, (_, i) => i + 1);
  expect(read.segments.map(({ sums }) => [...sums])).toEqual([served.slice(0, 3), served.slice(3)]);
  expect(read.segments.map(({ buckets }) => [...buckets[1]!])).toEqual([
    served.slice(0, 3).map((n) => 2 * n),
    served.slice(3).map((n) => 2 * n),
  ]);
});

it.each([-3_600_000, 3_600_000])("a step of the clock by %d ms moves no scrape", async (step) => {
  const { origin } = await server(healthy());
  const listener = await capture(target(`${origin}/metrics`));
  await listener.until(() => listener.scrapes.length >= 2);
  vi.spyOn(Date, "now").mockImplementation(() => new Date().getTime() + step);
  const before = listener.scrapes.length;
  await listener.until(() => listener.scrapes.length >= before + 3);
  const times = listener.scrapes.map(({ time }) => time);
  expect(times).toEqual(times.toSorted((a, b) => Number(a - b)));
  expect(Number(times.at(-1)! - times[0]!)).toBeLessThan(Math.abs(step) * 1e6);
  expect(listener.scrapes.every(({ kind }) => kind === "samples")).toBe(true);
});

// Root may write anywhere whatever the modes say: a folder below a file, and one in /proc, cannot be made by anyone.
it.each(["file", "/proc"])(
  "an output folder that cannot be made (%s) is refused before anything is scraped",
  async (where) => {
    const { origin, requests } = await server(healthy());
    const directory = await folder();
    await writeFile(join(directory, "file"), "");
    const out = join(where === "file" ? join(directory, "file") : where, "results");
    const { code, stderr } = await runCli(["capture", "--url", origin, "--duration", "5", "--out", out]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(out);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(requests.filter((request) => request.startsWith("GET"))).toEqual([]);
  },
);

it.skipIf(process.platform === "win32")("the limit of open files is said in words, and so is what to do", async () => {
  const { origin } = await server(healthy());
  const urls = Array.from({ length: 80 }, (_, i) => `${origin}/metrics?n=${i}`);
  const command = [process.execPath, CLI, "capture", ...urls, "--duration", "1", "--out", await folder()];
  const { stderr } = await promisify(execFile)("bash", ["-c", 'ulimit -n 50; exec "$@"', "bash", ...command]);
  expect(stderr).toMatch(/this process has reached its limit of open files\. Raise the limit \(ulimit -n\)/);
});

it("two captures of one server each keep what they were answered, also in one folder", async () => {
  let asked = 0;
  const { origin } = await server((_, response) =>
    respond(response, 200, TEXT_FORMAT, `# TYPE asked gauge\nasked ${++asked}\n`),
  );
  const directory = await folder();
  const one = (name: string) =>
    runCli([
      "capture",
      origin,
      "--interval",
      "50ms",
      "--duration",
      "1",
      "--formats",
      "jsonl",
      "--prefix",
      name,
      "--out",
      directory,
    ]);
  const both = await Promise.all([one("a"), one("b")]);
  for (const { code, stderr } of both) expect(code, stderr).toBe(0);
  const kept = await Promise.all(
    ["a", "b"].map(async (name) =>
      [...(await readFile(join(directory, `${name}_server_metrics.jsonl`), "utf8")).matchAll(/"value":(\d+)/g)].map(
        ([, n]) => Number(n),
      ),
    ),
  );
  for (const values of kept) {
    expect(values.length).toBeGreaterThan(3);
    expect(values).toEqual(values.toSorted((x, y) => x - y));
  }
  expect(new Set(kept.flat()).size).toBe(kept.flat().length);
});

const isLinux = process.platform === "linux";
/** A user namespace of its own, in which nobody may watch files: as where all watches are taken. */
const UNWATCHED = ["-Ur", "bash", "-c", 'echo 0 > /proc/sys/user/max_inotify_instances && exec "$@"', "bash"];
const mayUnshare = isLinux && spawnSync("unshare", [...UNWATCHED, "true"]).status === 0;

// Skipped where namespaces are not allowed.
it.runIf(mayUnshare)("a capture follows its phases where no file can be watched", async () => {
  const { origin, requests } = await server(healthy());
  const directory = await folder();
  const steps = join(directory, "steps");
  await writeFile(steps, "");
  const args = [
    "capture",
    origin,
    "--interval",
    "50ms",
    "--duration",
    "3",
    "--phase-from-file",
    steps,
    "--out",
    directory,
  ];
  const running = promisify(execFile)("unshare", [...UNWATCHED, process.execPath, CLI, ...args]);
  await until("some scrapes", () => requests.length > 5);
  await appendFile(steps, "load\n");
  await running;
  expect(await readFile(join(directory, "phase_manifest.json"), "utf8")).toContain('"load"');
});

it.runIf(isLinux)("a capture that was paused goes on, tells the missed ticks and invents no scrape", async () => {
  const { origin, requests } = await server(healthy());
  const directory = await folder();
  const gets = () => requests.filter((request) => request.startsWith("GET")).length;
  const running = startCli([
    ...["capture", "--url", origin, "--interval", "50ms", "--formats", "jsonl", "--prefix", "run", "--out", directory],
  ]);
  open.push({ close: () => running.child.kill("SIGKILL") });
  await until("some scrapes", () => gets() > 5);
  running.child.kill("SIGSTOP");
  await until("the stop", async () => /^State:\s*T/m.test(await readFile(`/proc/${running.child.pid}/status`, "utf8")));
  // What had been asked before the stop comes before what is asked now.
  await fetch(origin, { method: "HEAD" });
  const during = gets();
  // The pause itself.
  await setTimeout(PAUSE_MS);
  expect(gets()).toBe(during);
  running.child.kill("SIGCONT");
  await until("scrapes after the pause", () => gets() > during + 5);
  running.child.kill("SIGINT");
  const { code } = await running.finished;
  expect(code).toBe(0);
  expect(Number(/(\d+) of \d+ scrapes were not made/.exec(running.stderrSoFar())?.[1])).toBeGreaterThanOrEqual(
    PAUSE_MS / 50 - 2,
  );
  const lines = (await readFile(join(directory, "run_server_metrics.jsonl"), "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { event?: unknown; timestamp_ns: number })
    .filter(({ event }) => event === undefined);
  // Each answer once, but for one that the end may have cut off.
  expect(lines.length).toBeLessThanOrEqual(gets());
  expect(lines.length).toBeGreaterThanOrEqual(during - 1);
  const gaps = lines.slice(1).map(({ timestamp_ns }, i) => (timestamp_ns - lines[i]!.timestamp_ns) / 1e6);
  // The clocks of two processes tell milliseconds each their own way.
  expect(Math.max(...gaps)).toBeGreaterThan(PAUSE_MS - 10);
});
