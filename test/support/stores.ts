import { execFile, spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { findProgram } from "../workbench/stores.mjs";
import { until } from "./cli.js";
import { refusedPort } from "./faulty-server.js";

/** A real server of metrics on a free port of this machine, with a folder of its own. */
export interface RunningStore {
  readonly url: string;
  readonly folder: string;
  /** `data` of an answer of its HTTP API. */
  api(path: string, parameters?: Readonly<Record<string, string>>): Promise<unknown>;
  close(): Promise<void>;
}

/** Which of the programs are missing; a test that needs one says so and is skipped. */
export async function missingPrograms(...programs: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(programs.map(findProgram));
  return programs.filter((_, i) => found[i] === undefined);
}

const BCRYPT = { test: "$2b$12$hNf2lSsxfm0.i4a.1kVpSOVyBCfIB51VRjgBUyv6kdnyTlgWj81Ay" };

/** @param scrape targets as host:port, by job */
export async function startPrometheus({
  scrape = {},
  intervalMs = 1000,
  outOfOrder,
  features = [],
  options = [],
  backfilled,
  password,
}: {
  scrape?: Readonly<Record<string, readonly string[]>>;
  intervalMs?: number;
  outOfOrder?: string;
  /** As `--enable-feature` takes them. */
  features?: readonly string[];
  /** More of the command line. */
  options?: readonly string[];
  /** OpenMetrics text with times, which the store holds when it starts; promtool makes blocks of it. */
  backfilled?: string;
  /** It asks for user "admin" and password "test" (the example of Prometheus' documentation). */
  password?: "test";
} = {}): Promise<RunningStore> {
  const folder = await mkdtemp(path.join(tmpdir(), "server-metrics-prometheus-"));
  const config = {
    global: { scrape_interval: `${intervalMs}ms`, scrape_timeout: `${intervalMs}ms` },
    scrape_configs: Object.entries(scrape).map(([job, targets]) => ({
      job_name: job,
      static_configs: [{ targets }],
    })),
    ...(outOfOrder === undefined ? {} : { storage: { tsdb: { out_of_order_time_window: outOfOrder } } }),
  };
  // JSON is YAML.
  await writeFile(path.join(folder, "prometheus.yml"), JSON.stringify(config));
  const web = path.join(folder, "web.yml");
  if (password !== undefined) await writeFile(web, JSON.stringify({ basic_auth_users: { admin: BCRYPT[password] } }));
  if (backfilled !== undefined) await backfill(folder, backfilled);
  return start("prometheus", folder, "/-/ready", (port) => [
    `--config.file=${path.join(folder, "prometheus.yml")}`,
    `--storage.tsdb.path=${path.join(folder, "data")}`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--web.enable-remote-write-receiver",
    "--web.enable-admin-api",
    ...features.map((feature) => `--enable-feature=${feature}`),
    ...(password === undefined ? [] : [`--web.config.file=${web}`]),
    ...options,
  ]);
}

async function backfill(folder: string, text: string): Promise<void> {
  const file = path.join(folder, "backfilled.openmetrics");
  await writeFile(file, text);
  const blocks = ["tsdb", "create-blocks-from", "openmetrics", file, path.join(folder, "data")];
  await promisify(execFile)("promtool", blocks);
}

export async function startVictoriaMetrics(): Promise<RunningStore> {
  const folder = await mkdtemp(path.join(tmpdir(), "server-metrics-victoria-"));
  return start("victoria-metrics", folder, "/health", (port) => [
    `-httpListenAddr=127.0.0.1:${port}`,
    `-storageDataPath=${path.join(folder, "data")}`,
    "-search.latencyOffset=0s",
    "-retentionPeriod=10y",
  ]);
}

export async function startPushgateway(): Promise<RunningStore> {
  const folder = await mkdtemp(path.join(tmpdir(), "server-metrics-pushgateway-"));
  return start("prometheus-pushgateway", folder, "/-/ready", (port) => [`--web.listen-address=127.0.0.1:${port}`]);
}

async function start(
  program: string,
  folder: string,
  ready: string,
  argumentsAt: (port: number) => readonly string[],
): Promise<RunningStore> {
  const port = await refusedPort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(program, argumentsAt(port), { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log = (log + text).slice(-4000)));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  await until(`${program} to be ready`, async () => {
    if (child.exitCode !== null) throw new Error(`${program} has ended: ${log}`);
    return fetch(url + ready).then(
      // One that asks for a password is there too.
      (response) => response.ok || response.status === 401,
      () => false,
    );
  });
  return {
    url,
    folder,
    api: async (path, parameters = {}) => {
      const response = await fetch(`${url}/api/v1${path}?${new URLSearchParams(parameters).toString()}`);
      const answer = (await response.json()) as { status: string; data: unknown };
      if (answer.status !== "success") throw new Error(JSON.stringify(answer));
      return answer.data;
    },
    close: () => end(child, ended, folder),
  };
}

async function end(child: ChildProcess, ended: Promise<void>, folder: string): Promise<void> {
  child.kill("SIGKILL");
  await ended;
  await rm(folder, { recursive: true, force: true });
}
