import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { startCli, until } from "../support/cli.js";
import { peakOf } from "../support/peak.js";
import { closedAfterEach } from "../support/servers.js";

const { open, server } = closedAfterEach();
const MIB = 1024;

async function folder(): Promise<string> {
  const made = await mkdtemp(path.join(tmpdir(), "server-metrics-life-"));
  open.push({ close: () => rm(made, { recursive: true, force: true }) });
  return made;
}

interface Artifact {
  readonly metrics: Readonly<
    Record<
      string,
      {
        readonly series: readonly { readonly endpoint_url: string; readonly stats: Readonly<Record<string, number>> }[];
      }
    >
  >;
}

async function artifactIn(out: string): Promise<Artifact> {
  return JSON.parse(await readFile(path.join(out, "server_metrics_export.json"), "utf8")) as Artifact;
}

/** A server that counts its answers from its start on. */
async function counting(port: number): Promise<{ readonly life: Server; readonly port: number; answers(): number }> {
  let answers = 0;
  const life = createServer((_, response) => void response.end(`# TYPE served counter\nserved_total ${++answers}\n`));
  life.listen(port, "127.0.0.1");
  await once(life, "listening");
  open.push({
    close: () => {
      life.closeAllConnections();
      life.close();
    },
  });
  return { life, port: (life.address() as AddressInfo).port, answers: () => answers };
}

const healthy: RequestListener = (_, response) => void response.end("# TYPE load gauge\nload 1\n");

describe("an endpoint", () => {
  it("that is down at the start, comes, dies and comes back is captured while it is there, its restart counted", async () => {
    const other = await server(healthy);
    const first = await counting(0);
    const { port } = first;
    first.life.close();
    first.life.closeAllConnections();
    const out = await folder();
    const urls = [`${other.origin}/metrics`, `http://127.0.0.1:${port}/metrics`];
    const running = startCli(["capture", ...urls, "--interval", "100ms", "--out", out, "--formats", "json"]);
    await until("the capture", () => running.stderrSoFar().includes("1/2 endpoints reachable"));
    const second = await counting(port);
    await until("its scrapes", () => second.answers() > 5);
    second.life.close();
    second.life.closeAllConnections();
    await until("its failure", () => running.stderrSoFar().split("refused").length > 2);
    const third = await counting(port);
    await until("its scrapes", () => third.answers() > 5);
    running.child.kill("SIGINT");
    const { code, stderr } = await running.finished;
    expect(code).toBe(0);
    expect(stderr).toMatch(/scrapes failed; they are gaps/);
    const { metrics } = await artifactIn(out);
    expect(metrics["served"]?.series).toHaveLength(1);
    expect(metrics["served"]?.series[0]?.stats["resets"]).toBe(1);
    expect(metrics["load"]?.series).toHaveLength(1);
  });
});

describe.runIf(process.platform === "linux")("an endpoint's answer", () => {
  it("of 200 MB is a gap that says so, in little memory, and the next endpoint is captured", async () => {
    const piece = Buffer.from("# TYPE load gauge\n".repeat(60_000));
    const pieces = Array.from({ length: 200 }, () => piece);
    const huge = await server(({ method }, response) => {
      // The capture closes the connection when it has enough.
      response.on("error", () => undefined);
      if (method === "HEAD") response.end();
      else Readable.from(pieces).pipe(response);
    });
    const other = await server(healthy);
    const out = await folder();
    const { peak, code, stderr } = await peakOf(
      startCli([
        "capture",
        `${other.origin}/metrics`,
        `${huge.origin}/metrics`,
        ...["--interval", "500ms", "--duration", "3", "--out", out, "--formats", "json"],
      ]),
    );
    expect(stderr).toMatch(/more than the 64 MiB that are accepted/);
    expect(code).toBe(0);
    expect((await artifactIn(out)).metrics["load"]?.series).toHaveLength(1);
    expect(peak / MIB).toBeLessThan(500);
  });

  it("of a million series keeps those below the limit, and counts the others", async () => {
    const body = Buffer.from(Array.from({ length: 1_000_000 }, (_, i) => `load{i="${i}"} ${i}\n`).join(""));
    const large = await server((_, response) => void response.end(body));
    const out = await folder();
    const running = startCli([
      "capture",
      `${large.origin}/metrics`,
      ...["--interval", "60000ms", "--duration", "1", "--out", out, "--formats", "jsonl", "--summary", "none"],
      ...["--series-limit", "50000"],
    ]);
    const { peak, code, stderr } = await peakOf(running);
    expect(code).toBe(0);
    expect(stderr).toMatch(/950,000 series of a scrape of .* were dropped: the endpoint has more than 50,000/);
    expect(peak / MIB).toBeLessThan(900);
  });
});
