import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { listenerCommand, listenerId, psCommand, windowsCommand } from "../../../../src/engine/provenance/processes.js";

const SECRET = "s3cr3t-Value-0123";

describe("the process that listens at a port", () => {
  it("is the first that lsof lists", () => {
    // macOS 14: lsof -nP -iTCP:8000 -sTCP:LISTEN -Fp
    expect(listenerId("p48213\nf21\nf22\np48290\nf21\n")).toBe("48213");
    expect(listenerId("")).toBeUndefined();
    expect(listenerId(undefined)).toBeUndefined();
  });

  it.each([
    [
      "/usr/bin/python3 -m vllm.entrypoints.openai.api_server --model Qwen/Qwen3-8B --max-num-seqs 64\n",
      "/usr/bin/python3 -m vllm.entrypoints.openai.api_server --model Qwen/Qwen3-8B --max-num-seqs 64",
    ],
    ["vllm serve Qwen/Qwen3-8B --port 8000", "vllm serve Qwen/Qwen3-8B --port 8000"],
    ["\n", undefined],
  ])("has the command that ps prints: %j", (printed, command) => {
    expect(psCommand(printed)).toBe(command);
  });

  it.each([
    `vllm serve m --api-key ${SECRET} --port 8000`,
    `vllm serve m --api-key first ${SECRET} --port 8000`,
    `vllm serve m --api-key=first ${SECRET}`,
    `llama-server --header Authorization: Basic ${SECRET} --port 1`,
    `sglang --config {"api_key": "${SECRET}", "port": 1} --port 8000`,
  ])("hides secrets that ps does not tell apart: %s", (printed) => {
    expect(psCommand(printed)).not.toContain(SECRET);
    expect(psCommand(printed)).toContain("REDACTED");
  });

  it.each([
    [
      String.raw`"C:\Program Files\Python\python.exe" -m vllm --model "C:\models\q 3\" --port 8000` + "\r\n",
      String.raw`'C:\Program Files\Python\python.exe' -m vllm --model 'C:\models\q 3" --port 8000'`,
    ],
    [
      String.raw`llama-server.exe -m C:\m\q.gguf --port 8000`,
      String.raw`llama-server.exe -m 'C:\m\q.gguf' --port 8000`,
    ],
    [
      String.raw`vllm --speculative-config "{\"method\": \"ngram\"}" --x ""`,
      `vllm --speculative-config '{"method":"ngram"}' --x ''`,
    ],
    [String.raw`a "b ""c"" d" e\\"f g"`, `a 'b "c" d' 'e\\f g'`],
    ["", undefined],
  ])("has the command line of Windows: %j", (printed, command) => {
    expect(windowsCommand(printed)).toBe(command);
  });

  it("hides secrets of a command line of Windows", () => {
    const text = windowsCommand(`vllm.exe --api-key "${SECRET} and" --c "{""api_key"": ""${SECRET}""}"`);
    expect(text).not.toContain(SECRET);
  });

  const hasLsof = (() => {
    try {
      execFileSync("lsof", ["-v"], { stdio: "ignore" });
      return process.platform !== "win32";
    } catch {
      return false;
    }
  })();

  // Where lsof is there, both ways find the same process.
  it.runIf(hasLsof).each([process.platform, "darwin"] as const)("is found on %s", async (platform) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as AddressInfo;
      expect(await listenerCommand(`http://127.0.0.1:${port}/metrics`, platform)).toMatch(/node/);
      expect(await listenerCommand(`http://192.0.2.1:${port}/metrics`, platform)).toBeUndefined();
    } finally {
      server.close();
    }
  });
});
