import path from "node:path";
import { describe, expect, it } from "vitest";
import { artifactPath } from "../../../src/extension/tree/arguments.js";
import { groupArtifacts, type ArtifactFile } from "../../../src/extension/tree/artifact-files.js";

const file = (name: string, modified: number): ArtifactFile => ({ path: path.join("/w", name), modified, bytes: 1 });

describe("artifacts in the workspace", () => {
  it("are grouped by folder, the newest folder first, files by name", () => {
    const runs = groupArtifacts([
      file("old/server_metrics_export.json", 1),
      file("new/server_metrics_export.parquet", 5),
      file("new/server_metrics_export.csv", 9),
      file("old/a_server_metrics.csv", 2),
      file("mid/server_metrics_export.json", 7),
    ]);
    expect(runs.map(({ directory, modified }) => [path.basename(directory), modified])).toEqual([
      ["new", 9],
      ["mid", 7],
      ["old", 2],
    ]);
    expect(runs[2]?.files.map((one) => path.basename(one.path))).toEqual([
      "a_server_metrics.csv",
      "server_metrics_export.json",
    ]);
    expect(groupArtifacts([])).toEqual([]);
  });

  it("of one time are by the names of their folders, in whatever order they were found", () => {
    const names = ["b", "c", "a"].map((folder) => file(`${folder}/server_metrics_export.json`, 3));
    for (const found of [names, names.toReversed()])
      expect(groupArtifacts(found).map(({ directory }) => path.basename(directory))).toEqual(["a", "b", "c"]);
  });

  it("are found again from what a tree command is given", () => {
    const [run] = groupArtifacts([file("r/server_metrics_export.json", 1)]);
    expect(artifactPath({ kind: "run", run })).toBe(path.join("/w", "r"));
    expect(artifactPath({ kind: "file", file: run!.files[0] })).toBe(path.join("/w/r/server_metrics_export.json"));
    for (const other of [undefined, null, "x", { kind: "file" }, { file: { path: 7 } }])
      expect(artifactPath(other)).toBeUndefined();
  });
});
