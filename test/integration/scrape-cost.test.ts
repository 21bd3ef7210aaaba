import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCli } from "../support/cli.js";
import { healthy, serve } from "../support/faulty-server.js";

it("a capture says what its scrapes cost, and proposes a longer interval where they take much of it", async () => {
  const good = healthy();
  const server = await serve((request, response) => void setTimeout(() => good(request, response), 40));
  const folder = await mkdtemp(join(tmpdir(), "server-metrics-cost-"));
  try {
    const { code, stderr } = await runCli(
      ["capture", server.origin, "--duration", "3", "--interval", "100", "--out", join(folder, "out")],
      {},
    );
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/a scrape takes [\d.]+ ms and [\d.,]+ k?B, [\d.]+ ?% of the interval/);
    expect(stderr).toMatch(/warning: A scrape of 127\.0\.0\.1:\d+ takes \d+ ms, \d+ % of the interval of 100 ms/);
    expect(stderr).toMatch(/Scrape less often: --interval \d+ /);
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
});
