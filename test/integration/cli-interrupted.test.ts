import path from "node:path";
import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { mkdir, open, readdir, type FileHandle } from "node:fs/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { cliFolder, expectRefused, UNWATCHED } from "../support/cli-folder.js";
import { runCli, startCli, until } from "../support/cli.js";

const { file, folder, server } = cliFolder();

describe("a command that is interrupted while it writes", () => {
  it("leaves no file, no temporary one and no folder", async () => {
    expect(await runCli(["demo", "--record", file("log"), "--duration", "200"])).toMatchObject({ code: 0 });
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      const running = startCli(["replay", file("log"), "--out", file("out"), "--formats", "jsonl,parquet,json,csv"], {
        env: UNWATCHED,
      });
      await until("the first temporary file", () =>
        readdir(file("out")).then(
          (names) => names.length > 0,
          () => false,
        ),
      );
      running.child.kill(signal);
      expect(await running.finished).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(/server-metrics: interrupted: nothing was written\.\n$/) as string,
      });
      expect(await readdir(folder())).toEqual(["log"]);
    }
  });
});

describe("capture, interrupted or in trouble", () => {
  const capture = (url: string, ...args: string[]) =>
    startCli(["capture", "--url", url, "--interval", "50ms", "--out", file("out"), ...args]);

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it(`leaves nothing behind when ${signal} comes before it has begun`, async () => {
      const { origin, requests } = await server(() => undefined);
      const running = capture(origin);
      await until("the first request", () => requests.length > 0);
      running.child.kill(signal);
      expectRefused(await running.finished, 1, /interrupted before the capture began/);
      expect(await readdir(folder())).toEqual([]);
    });

    it(`leaves nothing behind when ${signal} comes during the baseline scrape`, async () => {
      let answered = 0;
      // HEAD and GET of the probe are answered, the scrape is not.
      const { origin, requests } = await server((_, response) => void (answered++ < 2 && response.end("a 1\n")));
      const running = capture(`${origin}/metrics`);
      await until("the scrape", () => requests.length > 2);
      running.child.kill(signal);
      expectRefused(await running.finished, 1, /interrupted before the capture began/);
      expect(await readdir(folder())).toEqual([]);
    });

    it(`does not wait for the final scrape after a second ${signal}, and writes all the same`, async () => {
      let slow = false;
      const { origin } = await server(
        (_, response) =>
          void (slow || response.end("# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running 1\n")),
      );
      const running = startCli(
        ["capture", "--url", origin, "--interval", "50ms", "--out", file("out"), "--formats", "json"],
        { env: { SERVER_METRICS_FLUSH_PERIOD: "30" } },
      );
      await until("the capture to run", () => running.stderrSoFar().includes("1/1 endpoints reachable"));
      slow = true;
      running.child.kill(signal);
      await until("the first signal to be heard", () => running.stderrSoFar().includes("waiting for the final scrape"));
      running.child.kill(signal);
      const result = await running.finished;
      expect(result.code).toBe(0);
      // Waited for, it would have been a scrape that failed after the flush period.
      expect(result.stderr).not.toMatch(/did not answer|scrapes failed/);
      expect((await readdir(file("out"))).sort()).toEqual(["server_metrics_export.json", "summary.md"]);
    });
  }

  it.skipIf(process.platform === "win32")("is ended by a second signal where it cannot follow the first", async () => {
    // A file of headers may be a pipe, and nobody writes into this one.
    const pipe = file("headers");
    await promisify(execFile)("mkfifo", [pipe]);
    const { origin } = await server();
    const running = startCli(["capture", "--url", origin, "--header-file", pipe, "--out", file("out")]);
    let writer: FileHandle | undefined;
    try {
      // It can be opened so once somebody reads it, who then waits for as long as it is open.
      await until("the pipe to be read", async () => {
        writer = await open(pipe, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => undefined);
        return writer !== undefined;
      });
      running.child.kill("SIGINT");
      running.child.kill("SIGTERM");
      // Which of two signals at once is heard first is not said.
      expect(["SIGINT", "SIGTERM"]).toContain((await running.finished).signal);
    } finally {
      running.child.kill("SIGKILL");
      await writer?.close();
    }
  });

  it("makes no folder when nothing is reachable, and keeps one that was there", async () => {
    expect(await capture("http://127.0.0.1:9").finished).toMatchObject({ code: 1 });
    expect(await readdir(folder())).toEqual([]);
    await mkdir(file("out"));
    expect(await capture("http://127.0.0.1:9").finished).toMatchObject({ code: 1 });
    expect(await readdir(folder())).toEqual(["out"]);
  });

  it("keeps the journal when the artifacts cannot be written, and says how to get them", async () => {
    const { origin } = await server();
    await mkdir(path.join(file("out"), "server_metrics_export.json"), { recursive: true });
    const result = await capture(origin, "--force", "--duration", "0.5", "--formats", "json").finished;
    expect(result).toMatchObject({ code: 1, stdout: "" });
    const journal = /server-metrics recover '(.*)' --out DIR/.exec(result.stderr)?.[1] ?? "";
    expect(result.stderr).toMatch(/server_metrics_export\.json cannot be written: it is a folder/);
    const recovered = await runCli(["recover", journal, "--out", file("elsewhere"), "--formats", "json"]);
    expect(recovered.code).toBe(0);
    expect((await readdir(file("elsewhere"))).sort()).toEqual(["server_metrics_export.json", "summary.md"]);
  });
});
