import { describe, expect, it } from "vitest";
import { mergeFacts } from "../../../../webview-ui/details/details-view.js";

describe("facts of several endpoints", () => {
  it("are said once where they agree, and with their endpoints where not", () => {
    const fact = (name: string, value: string, endpointUrl: string) => ({ name, value, endpointUrl });
    expect(
      mergeFacts([
        fact("block_size", "16", "a"),
        fact("blocks", "10", "a"),
        fact("block_size", "16", "b"),
        fact("blocks", "20", "b"),
      ]),
    ).toEqual([
      { name: "block_size", values: [{ value: "16", endpoints: ["a", "b"] }] },
      {
        name: "blocks",
        values: [
          { value: "10", endpoints: ["a"] },
          { value: "20", endpoints: ["b"] },
        ],
      },
    ]);
  });
});
