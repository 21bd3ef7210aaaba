import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { recoverJournal } from "../../src/files/index.js";
import { startCli } from "../support/cli.js";
import { closedAfterEach } from "../support/servers.js";
import { recordedOf } from "../torture/recorded.js";

const { open, server } = closedAfterEach();
const INTERVAL_MS = 50;

it("a capture whose memory ends, as in a container that is too small, keeps all but the last second", async () => {
  let asked = 0;
  let delivered = 0;
  // Labels that never come again, until nothing more fits.
  const { origin } = await server(({ method }, response) => {
    if (method !== "GET") return void response.end();
    const value = ++asked;
    const churn = Array.from({ length: 2000 }, (_, i) => `load{request="${value}-${i}"} ${i}\n`).join("");
    response.setHeader("content-type", "text/plain");
    response.end(`# TYPE served counter\nserved_total ${value}\n# TYPE load gauge\n${churn}`, () => {
      delivered = value;
    });
  });
  const out = await mkdtemp(join(tmpdir(), "server-metrics-memory-"));
  open.push({ close: () => rm(out, { recursive: true, force: true }) });
  const running = startCli(["capture", "--url", origin, "--interval", `${INTERVAL_MS}ms`, "--out", out], {
    env: { NODE_OPTIONS: "--max-old-space-size=96" },
  });
  open.push({ close: () => running.child.kill("SIGKILL") });
  const { code, signal, stderr } = await running.finished;
  expect(stderr).toContain("heap out of memory");
  expect(code === 0 && signal === null).toBe(false);

  const [journal = ""] = (await readdir(out)).filter((name) => name.startsWith(".server_metrics_journal"));
  const { run } = await recoverJournal(join(out, journal));
  const recorded = [...recordedOf(run).values()]
    .flatMap(({ values }) => values)
    .filter((value) => !Number.isNaN(value));
  const [first = 0] = recorded;
  // No hole, nothing invented.
  expect(recorded).toEqual(recorded.map((_, i) => first + i));
  const kept = recorded.at(-1) ?? 0;
  expect(kept).toBeGreaterThan(5);
  // No more than a second has ticks, however long V8 collects before it gives up.
  expect(delivered - kept).toBeLessThanOrEqual(1000 / INTERVAL_MS);
});
