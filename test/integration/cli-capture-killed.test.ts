import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { recoverJournal } from "../../src/files/index.js";
import { capturedFleet, journalBytes, journalIn, readArtifact } from "../support/captured-fleet.js";
import { runCli, startCli, until } from "../support/cli.js";
import { serve } from "../support/faulty-server.js";

const { urls, folder } = capturedFleet();

describe("a capture that is killed", () => {
  it("loses no scrape that was flushed", async () => {
    let scrapes = 0;
    const server = await serve(({ method }, response) => {
      if (method === "GET") scrapes++;
      response.end(`fleet:requests_total ${scrapes}\n`);
    });
    const flushed = async () => {
      const journal = await journalIn(folder());
      if (journal === undefined || (await stat(journal)).size === 0) return 0;
      return (await recoverJournal(journal)).run.store.scrapes;
    };
    try {
      const running = startCli(["capture", "--url", server.origin, "--interval", "20ms", "--out", folder()]);
      let before = 0;
      await until("two flushes with scrapes", async () => {
        const now = await flushed().catch(() => 0);
        const isSecond = before > 0 && now > before;
        before = now;
        return isSecond && now > 10;
      });
      running.child.kill("SIGKILL");
      await running.finished;
      const file = (await journalIn(folder()))!;
      const out = path.join(folder(), "recovered");
      const result = await runCli(["recover", file, "--out", out]);
      expect(result.code).toBe(0);
      const recovered = Number(/(\d+) scrapes recovered/.exec(result.stderr)?.[1]);
      expect(recovered).toBeGreaterThanOrEqual(before);
      expect((await readArtifact(out)).summary.endpoint_info[`${server.origin}/metrics`]!.total_fetches).toBe(
        recovered,
      );
    } finally {
      await server.close();
    }
  });

  it("recovers what stands before a torn end", async () => {
    const running = startCli(["capture", "--url", urls()[0]!, "--interval", "20ms", "--out", folder()]);
    let flushed = 0;
    await until("scrapes on disk", async () => {
      const journal = (await journalBytes(folder())) === 0 ? undefined : await journalIn(folder());
      flushed = journal === undefined ? 0 : (await recoverJournal(journal)).run.store.scrapes;
      return flushed > 0;
    });
    // Those lie in a member that is not the last one.
    for (let members = 0; members < 2; members++) {
      const before = await journalBytes(folder());
      await until("another flush", async () => (await journalBytes(folder())) > before);
    }
    running.child.kill("SIGKILL");
    await running.finished;
    const whole = await readFile((await journalIn(folder()))!);
    const torn = path.join(folder(), "torn.jsonl.gz");
    await writeFile(torn, whole.subarray(0, whole.length - 40));
    const result = await runCli(["recover", torn, "--out", path.join(folder(), "recovered")]);
    expect(result.code).toBe(0);
    expect(Number(/(\d+) scrapes recovered/.exec(result.stderr)?.[1])).toBeGreaterThanOrEqual(flushed);
    expect(result.stderr).toMatch(/warning: .*(torn|incomplete|cut)/);
  });
});
