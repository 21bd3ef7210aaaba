import { describe, expect, it } from "vitest";
import { UserError } from "../../../src/core/text/errors.js";
import { metricsText, reachabilityText } from "../../../src/extension/capture/reachability.js";
import { runFolderName } from "../../../src/files/folders.js";
import { isCancelled, sentence, words } from "../../../src/extension/words.js";

describe("words of an error", () => {
  it("are the message and the remedy as sentences, never a stack", () => {
    expect(words(new UserError("the disk is full", "Free some space", { code: "export-failed" }))).toBe(
      "The disk is full. Free some space.",
    );
    expect(words(new UserError("No folder was chosen.", "Choose one."))).toBe("No folder was chosen. Choose one.");
    expect(words(new TypeError("x is not a function"))).not.toMatch(/\n|at /);
    expect(words("plain")).toBe("plain.");
  });

  it("leave a name at the beginning as it is spelled", () => {
    expect(sentence("localhost:8000: connection refused")).toBe("localhost:8000: connection refused.");
    expect(sentence("vllm:foo is missing!")).toBe("vllm:foo is missing!");
  });

  it("tell giving up from failing", () => {
    expect(isCancelled(new UserError("x", undefined, { code: "cancelled" }))).toBe(true);
    expect(isCancelled(new UserError("cancelled", undefined, { code: "internal" }))).toBe(false);
  });
});

describe("reachability", () => {
  it("counts, then gives each missing endpoint's reason and remedy", () => {
    const up = { url: "http://a/metrics", displayName: "a", reachable: true, servers: ["vLLM"], families: 3 };
    const down = {
      url: "http://b/metrics",
      displayName: "b:1",
      reachable: false,
      servers: [],
      families: 0,
      problem: { severity: "error" as const, reason: "connection refused", remedy: "Start the server." },
    };
    expect(reachabilityText([up, down, { ...up, displayName: "c" }])).toBe(
      "2 of 3 endpoints have metrics. b:1: Connection refused. Start the server.",
    );
    expect(metricsText([up, down])).toBe("1 of 2 endpoints has metrics.");
    expect(reachabilityText([up])).toBe("1 of 1 endpoint has metrics.");
    // An answer without metrics is no success.
    const json = { ...up, displayName: "j:1", servers: [], families: 0, answersInstead: "answers JSON, no metrics" };
    expect(reachabilityText([json])).toBe("0 of 1 endpoint has metrics. j:1: answers JSON, no metrics.");
    expect(reachabilityText([up, json, down])).toMatch(/^1 of 3 endpoints has metrics\. /);
  });
});

describe("a run's folder", () => {
  const at = new Date(2025, 0, 2, 3, 4, 5);

  it("is its local date and time, then its label", () => {
    expect(runFolderName(at, undefined)).toBe("2025-01-02_03-04-05");
    expect(runFolderName(at, "batch-64")).toBe("2025-01-02_03-04-05-batch-64");
  });

  it.each([
    ["a/b\\c:d", "a-b-c-d"],
    ["../../etc", "etc"],
    ["  two  words ", "two-words"],
    ["bell\u0007 and\nline", "bell-and-line"],
    ["größe 64", "größe-64"],
    ["...", ""],
    ["x".repeat(200), "x".repeat(60)],
  ])("makes %j safe", (label, safe) => {
    expect(runFolderName(at, label)).toBe(safe === "" ? "2025-01-02_03-04-05" : `2025-01-02_03-04-05-${safe}`);
  });
});
