import { describe, expect, it } from "vitest";
import { configurationTree } from "../../../../src/core/query/index.js";
import { configTree, labelTree, visibleNodes } from "../../../../webview-ui/details/tree-view.js";

const roots = configTree(
  configurationTree({ endpoint: { names: ["llama", "qwen"], "top-p": 0.5 }, seed: 9_007_199_254_740_993n }),
);
const shown = (expanded: readonly string[], search = "") =>
  visibleNodes(roots, new Set(expanded), search).map(({ node, level }) => `${level} ${node.path}`);

describe("the configuration's tree", () => {
  it("opens level by level", () => {
    expect(shown([])).toEqual(["1 endpoint", "1 seed"]);
    expect(shown(["endpoint"])).toEqual(["1 endpoint", "2 endpoint.names", '2 endpoint["top-p"]', "1 seed"]);
    expect(shown(["endpoint.names"])).toEqual(["1 endpoint", "1 seed"]);
  });

  it("shows what a search finds with what it stands in, whatever is open", () => {
    expect(shown([], "QWEN")).toEqual(["1 endpoint", "2 endpoint.names", "3 endpoint.names[1]"]);
    expect(shown([], "names 0")).toEqual(["1 endpoint", "2 endpoint.names", "3 endpoint.names[0]"]);
    expect(shown([], "nothing")).toEqual([]);
  });

  it("copies a value as it is and a branch as JSON, digit by digit", () => {
    expect(roots[1]?.value).toBe("9007199254740993");
    expect(roots[0]?.children[0]?.children[0]?.value).toBe("llama");
    expect(JSON.parse(roots[0]!.value)).toEqual({ names: ["llama", "qwen"], "top-p": 0.5 });
  });
});

it("labels stand by name, their values in numeric order with the series and metrics that carry them", () => {
  const [gpu, other] = labelTree([
    { family: "a", label: "gpu", value: "10", seriesCount: 1 },
    { family: "a", label: "gpu", value: "2", seriesCount: 2 },
    { family: "b", label: "gpu", value: "2", seriesCount: 1 },
    { family: "b", label: "zone", value: "", seriesCount: 1 },
  ]);
  expect([gpu?.key, gpu?.text, gpu?.value]).toEqual(["gpu", "2 values", "2\n10"]);
  expect(gpu?.children.map(({ key, text }) => [key, text])).toEqual([
    ["2", "3 series of 2 metrics"],
    ["10", "1 series of 1 metric"],
  ]);
  expect(other?.children[0]?.key).toBe("(empty)");
});
