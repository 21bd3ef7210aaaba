import { describe, expect, it } from "vitest";
import { shortLabels } from "../../../src/engine/comparison/labels.js";

describe("names of compared runs", () => {
  const file = "server_metrics_export.parquet";
  it.each([
    [
      "are their labels",
      [
        { path: `/a/${file}`, label: "batch 64" },
        { path: `/b/${file}`, label: "batch 128" },
      ],
      ["batch 64", "batch 128"],
    ],
    [
      "are their folders without",
      [{ path: `/runs/tuesday/${file}` }, { path: `C:\\runs\\monday\\${file}` }],
      ["tuesday", "monday"],
    ],
    [
      "are their artifacts' prefixes",
      [{ path: "/runs/a_server_metrics.json" }, { path: "/more/b_server_metrics.csv" }],
      ["a", "b"],
    ],
    [
      "are prefixes also of packed artifacts",
      [{ path: "/runs/a_server_metrics.jsonl.gz" }, { path: "/runs/b_server_metrics.parquet.zst" }],
      ["a", "b"],
    ],
    [
      "take in the folder where prefixes are the same",
      [{ path: "/runs/a_server_metrics.json" }, { path: "/more/a_server_metrics.csv" }],
      ["runs/a", "more/a"],
    ],
    [
      "take in the folder where the file's name says nothing",
      [{ path: `/x/out/${file}` }, { path: `/y/out/${file}` }],
      ["x/out", "y/out"],
    ],
    [
      "are distinguished by their extension as a last resort",
      [{ path: "/r/server_metrics_export.json" }, { path: "/r/server_metrics_export.csv" }],
      ["r/server_metrics_export.json", "r/server_metrics_export.csv"],
    ],
    [
      "add the folder to labels that are the same",
      [
        { path: `/a/${file}`, label: "run" },
        { path: `/b/${file}`, label: "run" },
      ],
      ["run (a)", "run (b)"],
    ],
    [
      "leave alone what is clear",
      [{ path: `/a/${file}` }, { path: "/b/x.jsonl" }, { path: "/b/y.jsonl" }],
      ["a", "x", "y"],
    ],
    ["number one file", [{ path: `/a/${file}` }, { path: `/a/${file}` }], ["a", "a #2"]],
    ["are there without a folder", [{ path: "x.jsonl" }, { path: "scrapes.jsonl.gz" }], ["x", "scrapes"]],
  ])("%s", (_, runs, names) => {
    expect(shortLabels(runs)).toEqual(names);
  });
});
