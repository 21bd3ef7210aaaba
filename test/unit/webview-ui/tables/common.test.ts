import { describe, expect, it } from "vitest";
import { makeLabels } from "../../../../src/core/model/index.js";
import { commonOf } from "../../../../webview-ui/tables/common.js";

const row = (family: string, labels: readonly (readonly [string, string])[], endpointUrl = "http://a:1/metrics") => ({
  family,
  endpointUrl,
  labels: makeLabels(labels),
});

describe("what rows have in common", () => {
  it("is the endpoint and the labels with one value", () => {
    const common = commonOf([
      row("f", [
        ["engine", "0"],
        ["reason", "stop"],
      ]),
      row("f", [
        ["engine", "0"],
        ["reason", "length"],
      ]),
    ]);
    expect(common).toEqual({
      endpointUrl: "http://a:1/metrics",
      labels: [["engine", "0"]],
      inEveryRow: true,
      differing: new Set(["reason"]),
    });
  });

  it("is not said of every row where a family has none of the labels", () => {
    const common = commonOf([row("f", [["engine", "0"]]), row("g", [["engine", "0"]]), row("process", [])]);
    expect(common).toMatchObject({ labels: [["engine", "0"]], inEveryRow: false });
    expect(common.differing.size).toBe(0);
  });

  it("says nothing of what one family among others says of itself", () => {
    const common = commonOf([row("python_info", [["version", "3.12"]]), row("process", []), row("process2", [])]);
    expect(common.labels).toEqual([]);
    expect(common.differing.size).toBe(0);
  });

  it("leaves out a label that tells series of one family apart by being there", () => {
    const common = commonOf([row("f", [["lora", "x"]]), row("f", [])]);
    expect(common.labels).toEqual([]);
    expect(common.differing).toEqual(new Set(["lora"]));
  });

  it("has no endpoint where there are several", () => {
    expect(commonOf([row("f", []), row("f", [], "http://b:1/metrics")]).endpointUrl).toBeUndefined();
  });
});
