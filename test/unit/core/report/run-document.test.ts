import { expect, it } from "vitest";
import { runDocument } from "../../../../src/core/report/index.js";
import { documentMarkdown } from "../../../../src/core/text/index.js";

it("counts the scrapes of servers, and no requests of a client as such", () => {
  const endpoint = (url: string, displayName: string, servers: readonly string[], scrapes: number) => {
    return { url, displayName, servers, series: 9, scrapes, failures: 0 };
  };
  const document = runDocument({
    title: "run",
    window: { start: 0n, end: 60_000_000_000n },
    facts: [],
    endpoints: [
      endpoint("http://gpu:8000/metrics", "gpu:8000", ["vLLM"], 84),
      endpoint("client://aiperf", "aiperf", [], 3293),
    ],
    phases: [],
    marks: [],
    tiles: [],
    client: [],
  });
  const rows = documentMarkdown(document)
    .split("\n")
    .filter((line) => line.includes("| 9 |"));
  expect(rows).toEqual(["| gpu:8000 | vLLM | 9 | 84 |  |", "| aiperf |  | 9 |  |  |"]);
});
