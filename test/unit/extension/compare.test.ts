import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sourcesOf, titleOf } from "../../../src/extension/compare/page-state.js";
import { artifactFiles } from "../../../src/extension/tree/arguments.js";
import { groupArtifacts, namedRuns } from "../../../src/extension/tree/artifact-files.js";
import { Neighbours } from "../../../src/files/open/neighbours.js";
import { distinctRuns, runFilesOf, siblingsOf } from "../../../src/files/open/siblings.js";

const file = (name: string, modified = 1) => ({ path: name, modified, bytes: 1 });

describe("what a selection stands for", () => {
  it("is a file of the tree, or all files of a run of the tree", () => {
    const run = {
      directory: "/a",
      modified: 1,
      files: [file("/a/x_server_metrics.json"), file("/a/x_server_metrics.csv")],
    };
    expect(artifactFiles({ kind: "file", file: file("/a/b.json") })).toEqual(["/a/b.json"]);
    expect(artifactFiles({ kind: "run", run })).toEqual(["/a/x_server_metrics.json", "/a/x_server_metrics.csv"]);
    for (const nothing of [undefined, null, "x", {}, { kind: "run", run: {} }])
      expect(artifactFiles(nothing)).toEqual([]);
  });

  it("has a name for each prefix of a folder, the richest file first", () => {
    const folders = groupArtifacts([
      file("/r/mon/server_metrics_export.csv", 3),
      file("/r/mon/server_metrics_export.parquet", 2),
      file("/r/tue/a_server_metrics.json"),
      file("/r/tue/b_server_metrics.json"),
    ]);
    const runs = folders.flatMap(namedRuns);
    expect(
      runs.map(({ name, directory, modified, files }) => [
        name,
        directory,
        modified,
        files.map((one) => path.extname(one.path)).join(""),
      ]),
    ).toEqual([
      ["mon", "/r/mon", 3, ".parquet.csv"],
      ["a", "/r/tue", 1, ".json"],
      ["b", "/r/tue", 1, ".json"],
    ]);
  });
});

describe("files that hold one run", () => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "server-metrics-distinct-"));
    for (const [name, id] of [
      ["a", "one"],
      ["b", "two"],
      ["c", "one"],
    ] as const) {
      await mkdir(path.join(dir, name));
      await writeFile(
        path.join(dir, name, "server_metrics_export.json"),
        `{"schema_version": "1.1", "benchmark_id": "${id}"}`,
      );
      await writeFile(
        path.join(dir, name, "server_metrics_export.csv"),
        `# schema_version: 1.1\n# benchmark_id: ${id}\n`,
      );
    }
    await writeFile(path.join(dir, "a", "other_server_metrics.json"), `{"benchmark_id": "three"}`);
    await writeFile(path.join(dir, "a", "scrapes.jsonl.gz"), "");
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));
  const at = (name: string) => path.join(dir, name);

  it("in one folder count once, by the richest", async () => {
    expect(
      await distinctRuns([
        at("a/server_metrics_export.csv"),
        at("a/server_metrics_export.json"),
        at("b/server_metrics_export.csv"),
      ]),
    ).toEqual([at("a/server_metrics_export.json"), at("b/server_metrics_export.csv")]);
  });

  it("count for themselves when they are of different runs, in different folders, or tell nothing", async () => {
    const all = [
      at("a/server_metrics_export.json"),
      at("a/other_server_metrics.json"),
      at("c/server_metrics_export.json"),
      at("a/scrapes.jsonl.gz"),
      at("gone.json"),
    ];
    expect(await distinctRuns(all)).toEqual(all);
    expect(await distinctRuns([at("a/scrapes.jsonl.gz"), at("a/scrapes.jsonl.gz")])).toEqual([
      at("a/scrapes.jsonl.gz"),
    ]);
  });
});

describe("the files of a run", () => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(path.join(tmpdir(), "run-files-"));
    const json = (id: string) => `{"schema_version": "1.1", "benchmark_id": "${id}"}`;
    for (const [name, text] of [
      ["server_metrics_export.json", json("one")],
      ["server_metrics_export.csv", "# schema_version: 1.1\n# benchmark_id: one\n"],
      // AIPerf's tells no id.
      ["server_metrics_export.jsonl", `{"endpoint_url": "http://h/metrics", "timestamp_ns": 1}\n`],
      ["warm_server_metrics.json", json("one")],
      ["old_server_metrics.json", json("two")],
      ["old_server_metrics.csv", "# schema_version: 1.1\n# benchmark_id: three\n"],
      ["notes.json", json("one")],
    ] as const)
      await writeFile(path.join(dir, name), text);
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));
  const filesOf = async (name: string) =>
    (await runFilesOf(path.join(dir, name))).paths.map((file) => path.basename(file));

  it("are the same whichever of them is asked for, the richest first", async () => {
    const all = ["jsonl", "json", "csv"].map((format) => `server_metrics_export.${format}`);
    const runs = await Promise.all(all.map((name) => runFilesOf(path.join(dir, name))));
    for (const run of runs) expect(run.paths.map((file) => path.basename(file))).toEqual(all);
    expect(new Set(runs.map(({ id }) => id)).size).toBe(1);
    expect(runs[0]?.name).toBe(path.basename(dir));
  });

  it("share prefix and benchmark id; any other file stands for itself", async () => {
    expect(await filesOf("warm_server_metrics.json")).toEqual(["warm_server_metrics.json"]);
    expect(await filesOf("old_server_metrics.json")).toEqual(["old_server_metrics.json"]);
    expect(await filesOf("old_server_metrics.csv")).toEqual(["old_server_metrics.csv"]);
    expect(await filesOf("notes.json")).toEqual(["notes.json"]);
    const ids = await Promise.all(
      ["server_metrics_export.json", "warm_server_metrics.json", "old_server_metrics.json", "notes.json"].map(
        async (name) => (await runFilesOf(path.join(dir, name))).id,
      ),
    );
    // Of one run, in two windows.
    expect(ids[1]).toBe(ids[0]);
    expect(new Set(ids).size).toBe(3);
  });

  it("are told from those of other runs in the folder", async () => {
    const said = async (name: string, id: string) =>
      (await siblingsOf(path.join(dir, name), id, await Neighbours.of(path.join(dir, name), {}))).notices.map(
        ({ reason }) => reason,
      );
    expect(await said("old_server_metrics.json", "two")).toEqual([
      "old_server_metrics.csv beside this file is of another run: its benchmark id differs. Nothing is read from it.",
      "The folder also holds files of other runs: server_metrics_export, warm_server_metrics.",
    ]);
    expect(await said("notes.json", "one")).toEqual([]);
  });
});

describe("a comparison's panel", () => {
  it("is named after what is compared", () => {
    const runs = (...labels: string[]) => ({
      runs: labels.map((label) => ({
        id: label,
        label,
        source: { path: label },
        state: { kind: "reading", fraction: 0 } as const,
      })),
    });
    expect([[], ["a"], ["a", "b"], ["a", "b", "c", "d"]].map((labels) => titleOf(runs(...labels)))).toEqual([
      "Compare",
      "Compare: a",
      "Compare: a ↔ b",
      "Compare: a ↔ 3 runs",
    ]);
    expect(titleOf(runs("tp8-chunk-8192-kv-fp8-before-the-scheduler-change", "b"))).toBe(
      "Compare: tp8-chunk-8192-kv…e-scheduler-change ↔ b",
    );
    const failed = {
      id: "x",
      label: "x",
      source: { path: "x" },
      state: { kind: "failed", error: { code: "unreadable", message: "" } } as const,
    };
    expect(titleOf({ runs: [...runs("a", "b").runs, failed] })).toBe("Compare: a ↔ b");
    expect(titleOf({ runs: [...runs("a").runs, failed] })).toBe("Compare: a ↔ x");
  });

  it("comes back from what its page kept, and from nothing else", () => {
    expect(
      sourcesOf({
        tab: "charts",
        sources: [{ path: "/a", label: "A", live: true, more: 1 }, { path: "/b" }, { path: 7 }, null],
      }),
    ).toEqual([{ path: "/a", label: "A", live: true }, { path: "/b" }]);
    for (const nothing of [undefined, null, 3, {}, { sources: "x" }, { sources: [] }])
      expect(sourcesOf(nothing)).toEqual([]);
  });
});
