import { describe, expect, it } from "vitest";
import { networkFailure } from "../../../src/collect/failure.js";

describe("a connection that cannot be opened", () => {
  it.each([
    ["EMFILE", "this process has reached its limit of open files"],
    ["ENFILE", "this machine has reached its limit of open files"],
  ])("for want of descriptors says so: %s", (code, reason) => {
    const error = new TypeError("fetch failed", { cause: Object.assign(new Error("connect"), { code }) });
    const failure = networkFailure(error, new URL("http://gpu:8000/metrics"), { stage: "connecting" });
    expect(failure.reason).toContain(reason);
    expect(failure.remedy).toContain("ulimit -n");
  });
});
