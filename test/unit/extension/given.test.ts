import { describe, expect, it, vi } from "vitest";
import { UserError } from "../../../src/core/text/errors.js";
import { presetRequest } from "../../../src/extension/capture/ask-request.js";

vi.mock("vscode", () => ({}));

function refusal(argument: unknown): string {
  try {
    presetRequest(argument);
  } catch (error) {
    if (error instanceof UserError) return `${error.message} ${error.remedy ?? ""}`;
    throw error;
  }
  return "nothing";
}

describe("what serverMetrics.startCapture is called with", () => {
  it("is taken as it is, and what is left out is asked for", () => {
    expect(presetRequest({ urls: ["http://a:8000/metrics", "b:8000"], warmup: "30s", label: " mine " })).toEqual({
      endpoints: [
        { url: "http://a:8000/metrics", origin: "demo" },
        { url: "b:8000", origin: "demo" },
      ],
      warmup: { kind: "duration", seconds: 30 },
      label: "mine",
    });
    expect(presetRequest({ warmup: 0, label: "" })).toEqual({ warmup: { kind: "none" }, label: "" });
    expect(presetRequest({ warmup: "manual" })).toEqual({ warmup: { kind: "manual" } });
    for (const nothing of [undefined, null, {}, { urls: undefined }, { urls: [] }, { id: "a row of a menu" }])
      expect(presetRequest(nothing)).toEqual({});
  });

  it.each([
    ["http://a:8000/metrics", /addresses .* cannot be used\. They are a list of strings/],
    [{ 0: "http://a" }, /addresses .* cannot be used\. They are a list of strings/],
    [null, /addresses .* cannot be used\. They are a list of strings/],
    [["http://a", 7], /address 2 of 2 .* cannot be used\. It is not a string/],
    [["ftp://a/metrics"], /address 1 of 1 .* cannot be used\. \S.*http/],
    [[""], /address 1 of 1 .* cannot be used\. \S/],
    [["http://"], /address 1 of 1 .* cannot be used\. \S/],
    [["http://user:secret@:99999999/"], /address 1 of 1 .* cannot be used\. \S/],
  ])("is refused with the reason where addresses are %j", (urls, words) => {
    const text = refusal({ urls, warmup: 0, label: "" });
    expect(text).toMatch(/^The capture has not started: /);
    expect(text).toMatch(words);
    expect(text).not.toContain("secret");
  });

  it.each([-1, NaN, Infinity, 86_401, "soon", "", "1 fortnight", null, true, {}, ["30s"]])(
    "is refused with what it may be where the warm-up is %j",
    (warmup) => {
      expect(refusal({ warmup })).toBe(
        'The capture has not started: the warm-up that it was called with cannot be used. It is a number of seconds up to 86400, a time such as "30s", or "manual".',
      );
    },
  );

  it.each([7, null, true, {}, ["a"], "x".repeat(101)])("is refused where the label is %j", (label) => {
    expect(refusal({ label })).toBe(
      'The capture has not started: the label that it was called with cannot be used. A label is a string of up to 100 characters; "" means none.',
    );
  });
});
