import { describe, expect, it } from "vitest";
import { offsetNs } from "../../../../src/core/model/index.js";
import { overviewLine, silenceText } from "../../../../webview-ui/dashboards/kinds.js";

const endpoint = (url: string, ...servers: string[]) => ({ url, servers, families: 3 });
const model = (endpointUrl: string, value: string) => ({ name: "model", value, endpointUrl });

describe("what was seen", () => {
  it("is a line of kinds, each with its number and its model", () => {
    const endpoints = [endpoint("a", "vLLM"), endpoint("b", "Dynamo frontend"), endpoint("c", "vLLM")];
    const facts = [model("a", "meta-llama/Llama-3.1-8B"), model("c", "meta-llama/Llama-3.1-8B")];
    expect(overviewLine(endpoints, facts)).toBe("2 × vLLM, Llama-3.1-8B · Dynamo frontend");
  });

  it("names a model again only where it is another", () => {
    const endpoints = [endpoint("a", "vLLM"), endpoint("b", "SGLang"), endpoint("c", "TGI")];
    const facts = [model("a", "x/one"), model("b", "x/one"), model("c", "x/two")];
    expect(overviewLine(endpoints, facts)).toBe("vLLM, one · SGLang · TGI, two");
  });

  it("has a model once whose name servers write in other letters", () => {
    const facts = [model("a", "meta-llama/Llama-3.1-8B"), model("a", "llama-3.1-8b")];
    expect(overviewLine([endpoint("a", "Dynamo frontend")], facts)).toBe("Dynamo frontend, Llama-3.1-8B");
  });

  it("names servers that nobody knows, and of many models the first", () => {
    const facts = ["x/one", "x/two", "x/three", "x/four"].map((value) => model("a", value));
    expect(overviewLine([endpoint("a", "vLLM"), endpoint("b")], facts)).toBe(
      "vLLM, one, two, 2 more models · Unknown server",
    );
  });

  it("tells the workers of a disaggregated deployment apart", () => {
    const endpoints = [
      { ...endpoint("a", "Dynamo frontend"), role: "frontend" as const },
      { ...endpoint("b", "Dynamo component"), role: "prefill" as const },
      { ...endpoint("c", "Dynamo component", "vLLM"), role: "decode" as const },
    ];
    expect(overviewLine(endpoints, [])).toBe(
      "Dynamo frontend · 2 × Dynamo component (1 prefill, 1 decode) · vLLM (decode)",
    );
  });

  it("is empty until an endpoint has answered", () => {
    expect(overviewLine([{ url: "a", servers: [], families: 0 }], [])).toBe("");
  });
});

it("silenceText says which endpoints of a kind do not answer, and in the past which did not", () => {
  const states = (...all: ("up" | "failing" | "recorded")[]) => all.map((state) => ({ state }));
  const said = (over: boolean) =>
    [states("up", "up"), states("failing"), states("up", "failing", "up"), states("failing", "failing")].map((all) =>
      silenceText(all, over),
    );
  expect(said(false)).toEqual(["", "does not answer", "1 of 3 does not answer", "all do not answer"]);
  expect(said(true)).toEqual([
    "",
    "was not answering at the end",
    "1 of 3 was not answering at the end",
    "all were not answering at the end",
  ]);
});

it("says of a saved run which server did not answer to its end", () => {
  const endpoints = [{ state: "recorded" as const, answeredUntil: offsetNs(5) }, { state: "recorded" as const }];
  expect(silenceText(endpoints, true)).toBe("1 of 2 was not answering at the end");
});
