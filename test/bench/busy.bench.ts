/**
 * The share of scrapes that `capture -- COMMAND` misses around a busy command: twenty processes that each want a
 * processor, beside two more sessions that want one, three servers of 100 KiB each. With `--seconds N` (20).
 */
import { spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { CLI } from "../support/cli.js";

const SERVERS = 3;
const BUSY = 20;
const BUSY_SESSIONS = 2;
const INTERVAL_MS = 333;

const SERVER = `
  let body = "# TYPE busy:requests counter\\n";
  for (let i = 0; body.length < 100 * 1024; i++) body += 'busy:requests_total{series="' + i + '"} ' + i + "\\n";
  const servers = Array.from({ length: ${SERVERS} }, () =>
    require("node:http").createServer((_, response) => response.end(body + "busy:now " + Date.now() + "\\n")).listen(0));
  Promise.all(servers.map((server) => new Promise((done) => server.once("listening", done)))).then(() =>
    console.log(servers.map((server) => server.address().port).join(" ")));
`;

interface Artifact {
  readonly summary: {
    readonly start_time: string;
    readonly end_time: string;
    readonly endpoint_info: Readonly<Record<string, { readonly total_fetches: number }>>;
  };
}

export async function run(args: readonly string[]): Promise<void> {
  const at = args.indexOf("--seconds");
  const seconds = at < 0 ? 20 : Number(args[at + 1]);
  const own = (code: string) =>
    spawn(process.execPath, ["-e", code], { detached: true, stdio: ["ignore", "pipe", "inherit"] });
  const folder = await mkdtemp(path.join(tmpdir(), "server-metrics-busy-"));
  const beside = [own(SERVER)];
  try {
    const ports = await new Promise<string>((resolve) =>
      beside[0]?.stdout.once("data", (data: Buffer) => resolve(data.toString())),
    );
    for (let i = 0; i < BUSY_SESSIONS; i++) beside.push(own(`for (;;);`));
    const urls = ports
      .trim()
      .split(" ")
      .map((port) => `http://127.0.0.1:${port}/metrics`);
    const busy = `const end = Date.now() + ${seconds * 1000}; while (Date.now() < end);`;
    const load = Array.from({ length: BUSY }, () => `'${process.execPath}' -e '${busy}' &`).join(" ");
    const capture = spawn(
      process.execPath,
      [
        CLI,
        "capture",
        ...urls,
        "--interval",
        `${INTERVAL_MS}ms`,
        "--out",
        folder,
        "--formats",
        "json",
        "--summary",
        "none",
        "--",
        "sh",
        "-c",
        `${load} wait`,
      ],
      { stdio: ["ignore", "ignore", "pipe"] },
    );
    const said = text(capture.stderr);
    await new Promise((resolve) => capture.once("close", resolve));
    const [name] = (await readdir(folder)).filter((one) => one.endsWith(".json"));
    if (name === undefined) throw new Error(`nothing was captured:\n${await said}`);
    const { summary } = JSON.parse(await readFile(path.join(folder, name), "utf8")) as Artifact;
    const span = Date.parse(summary.end_time) - Date.parse(summary.start_time);
    const expected = Math.floor(span / INTERVAL_MS) + 1;
    console.log(`${availableParallelism()} processors, ${(span / 1000).toFixed(1)} s, every ${INTERVAL_MS} ms`);
    for (const [url, info] of Object.entries(summary.endpoint_info)) {
      const missed = Math.max(0, expected - info.total_fetches);
      console.log(`${url}: ${missed} of ${expected} scrapes missed (${((missed / expected) * 100).toFixed(1)} %)`);
    }
    console.log(await said);
  } finally {
    for (const one of beside) one.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true });
  }
}
