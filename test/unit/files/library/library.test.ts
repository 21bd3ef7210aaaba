import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  cellOf,
  defaultColumns,
  finishedRuns,
  groupedRuns,
  sweepRunsIn,
  type LibraryRun,
} from "../../../../src/core/library/index.js";
import { EXPERIMENT_JOURNAL, EXPERIMENT_LOCK } from "../../../../src/files/experiment-folder.js";
import { exportArtifacts } from "../../../../src/files/index.js";
import { noteRuns, readLibrary } from "../../../../src/files/library/library.js";
import { NOTES_FILE } from "../../../../src/files/library/notes.js";
import { watchRuns } from "../../../../src/files/library/watch.js";
import { ownerText, thisOwner } from "../../../../src/files/owner.js";
import type { ArtifactFormat } from "../../../../src/protocol/index.js";
import {
  aiperfRecords,
  aiperfSummary,
  guideLlm,
  latencyOf,
  meanOf,
  simulatedRequests,
} from "../../../support/client-run.js";
import { built, distinct, noisy } from "../../../support/comparing.js";

let dir: string;
let runs: string;

beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), "server-metrics-library-")));
  runs = join(dir, "runs");
  process.env["XDG_CACHE_HOME"] = join(dir, "cache");
  process.env["XDG_DATA_HOME"] = join(dir, "data");
});
afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

async function addRun(name: string, running: number, formats: readonly ArtifactFormat[] = ["json", "csv"]) {
  const run = distinct(
    built(
      (s, r) => [
        ...noisy("vllm:num_requests_running", running, { model_name: "m" })(s, r),
        { name: "vllm:generation_tokens", type: "counter", labels: { model_name: "m" }, value: 50 * s },
        { name: "vllm:cache_config_info", labels: { block_size: "16" }, value: 1 },
      ],
      { seconds: 40 },
    ),
  );
  run.configure({ label: `label of ${name}`, concurrency: 8, provenance: { git: { commit: "abc" } } });
  await exportArtifacts(run, { directory: join(runs, name), formats, verify: false });
}

const only = (library: readonly LibraryRun[], id: string): LibraryRun => {
  const found = library.find((run) => run.id.startsWith(`${id}/`));
  if (found === undefined) throw new Error(`no run ${id} among ${library.map((run) => run.id).join(", ")}`);
  return found;
};
const MEAN = "vllm:num_requests_running avg";

describe("the runs of a folder", () => {
  it.each<readonly [string, readonly ArtifactFormat[]]>([
    ["JSON and CSV", ["json", "csv"]],
    ["JSON alone", ["json"]],
    ["Parquet alone", ["parquet"]],
    ["CSV and Parquet", ["csv", "parquet"]],
    ["JSONL alone", ["jsonl"]],
  ])("are read from %s", async (_, formats) => {
    await addRun("a", 5, formats);
    const run = only(await readLibrary(runs), "a");
    expect(run.about).toMatchObject({ label: "label of a", seconds: 35, configured: { concurrency: "8" } });
    expect(run.about?.provenance).toMatchObject({ "git.commit": "abc" });
    expect(cellOf(run, "load")).toBe("concurrency 8");
    expect(cellOf(run, "server")).toBe("vLLM");
    expect(cellOf(run, "model")).toBe("m");
    expect(cellOf(run, "tokens")).toBeCloseTo(50, 3);
    expect(cellOf(run, MEAN)).toBeCloseTo(5, 0);
    expect(cellOf(run, "vllm:cache_config_info block_size")).toBe("16");
  });

  it("are those of clients, too, where there is nothing of their servers: one a file, with load and settings", async () => {
    const write = async (name: string, content: string | object) => {
      await mkdir(dirname(join(runs, name)), { recursive: true });
      await writeFile(join(runs, name), typeof content === "string" ? content : JSON.stringify(content, null, 2));
    };
    const vllm = {
      date: "20261127-101500",
      endpoint_type: "openai",
      model_id: "Qwen/Qwen3-0.6B",
      num_prompts: 100,
      request_rate: "inf",
      max_concurrency: 8,
      duration: 25,
      completed: 100,
      total_output_tokens: 12_000,
      request_throughput: 4,
      output_throughput: 480,
      mean_ttft_ms: 200,
      p99_ttft_ms: 320,
    };
    const cell = "SERVE--max_num_seqs=32-dtype=auto-BENCH--max_concurrency=8-random_input_len=200";
    await write(`vllm/${cell}/run=0.json`, vllm);
    await write(`vllm/${cell}/run=1.json`, { ...vllm, request_throughput: 5 });
    await write(`vllm/${cell}/warmup.json`, vllm);
    await write(`vllm/${cell}/summary.json`, [vllm]);
    const requests = simulatedRequests({ count: 20 });
    await write("aiperf/profile_export.jsonl", aiperfRecords(requests));
    await write("aiperf/profile_export_aiperf.json", aiperfSummary(requests, { concurrency: 4 }));
    const loads = guideLlm(requests);
    await write("guidellm/benchmarks.json", { ...loads, benchmarks: [loads.benchmarks, loads.benchmarks].flat() });
    await write("package.json", { name: "not a result" });
    await addRun("captured", 5);
    await write("captured/profile_export.jsonl", aiperfRecords(requests));

    const library = await readLibrary(runs);
    const cellsOf = (id: string, ...columns: readonly string[]) => {
      const run = library.find((one) => one.id === id);
      return columns.map((column) => run && cellOf(run, column));
    };
    expect(library.map(({ id }) => id).sort()).toEqual([
      "aiperf/profile_export",
      "captured/server_metrics_export",
      "guidellm/benchmarks",
      `vllm/${cell}/run=0`,
      `vllm/${cell}/run=1`,
    ]);
    const columns = ["model", "load", "duration", "max_num_seqs", "dtype", "random_input_len", "max_concurrency"];
    expect(cellsOf(`vllm/${cell}/run=0`, ...columns, "client.requests", "client.tokens", "client.ttft.p99")).toEqual([
      "Qwen/Qwen3-0.6B",
      "concurrency 8",
      25,
      "32",
      "auto",
      "200",
      undefined,
      4,
      480,
      0.32,
    ]);
    expect(cellsOf("aiperf/profile_export", "run", "load", "client.ttft")).toEqual([
      "aiperf",
      "concurrency 4",
      expect.closeTo(meanOf(requests.map(({ ttft }) => ttft)), 6),
    ]);
    const took = latencyOf(requests[19]!) + requests[19]!.start - requests[0]!.start;
    expect(cellsOf("guidellm/benchmarks", "problem", "model", "duration", "load", "client.requests")).toEqual([
      expect.stringContaining("2 results"),
      "sample/model",
      expect.closeTo(2 * took, 3),
      undefined,
      undefined,
    ]);
    // Repeats, from what is kept of them.
    const again = (await readLibrary(runs)).filter(({ id }) => id.startsWith("vllm/"));
    expect(groupedRuns(again).map((group) => group.runs.length)).toEqual([2]);
    expect(defaultColumns(again)).toEqual(expect.arrayContaining(["load", "client.requests", "client.tokens"]));
  });

  it("are tried again where they took too much memory before", async () => {
    await addRun("a", 5);
    const leftOut = [{ path: join(runs, "a", "server_metrics_export.json"), reason: "it needs more memory" }];
    const { problem, measured } = only(await readLibrary(runs, { leftOut }), "a");
    expect([problem, measured]).toEqual(["it needs more memory", undefined]);
    expect(only(await readLibrary(runs), "a").measured).toBeDefined();
  });

  it("are points of a sweep, by the client where its results lie beside them, once", async () => {
    for (const name of ["a", "b"]) await addRun(name, 5);
    const requests = simulatedRequests({ count: 20 });
    for (const stem of ["one", "two"])
      await writeFile(
        join(runs, "a", `${stem}_aiperf.json`),
        JSON.stringify(aiperfSummary(requests, { concurrency: 4 })),
      );
    await writeFile(join(runs, "b", "one_aiperf.json"), "{}");
    const { runs: points, skipped } = sweepRunsIn(await readLibrary(runs));
    expect(points.map(({ load, source, configuration }) => [load?.value, source, configuration])).toEqual([
      [4, "client", "a/one"],
      [4, "client", "a/two"],
      [5, "server", "b"],
    ]);
    expect(skipped).toEqual([]);
  });

  it("have what the client measured, where its result lies beside them, also later", async () => {
    await addRun("a", 5);
    expect(cellOf(only(await readLibrary(runs), "a"), "client.ttft")).toBeUndefined();
    const requests = simulatedRequests({ count: 20 });
    await writeFile(join(runs, "a", "profile_export.jsonl"), aiperfRecords(requests));
    const run = only(await readLibrary(runs), "a");
    expect(cellOf(run, "client.ttft")).toBeCloseTo(meanOf(requests.map(({ ttft }) => ttft)), 6);
    expect(cellOf(run, "client.latency")).toBeCloseTo(meanOf(requests.map(latencyOf)), 6);
    expect(cellOf(only(await readLibrary(runs), "a"), "client.ttft")).toBeCloseTo(
      meanOf(requests.map(({ ttft }) => ttft)),
      5,
    );
  });

  it("are shown before they are measured, and are there at once the next time", async () => {
    await addRun("a", 5);
    await addRun("b", 9);
    const first: (readonly LibraryRun[])[] = [];
    const before = await readLibrary(runs, { onProgress: (share, known) => share === 0 && first.push(known()) });
    expect(first.map((some) => some.map(({ about, measured }) => [about?.seconds, measured]))).toEqual([
      [
        [35, undefined],
        [35, undefined],
      ],
    ]);
    const read: string[] = [];
    const again = await readLibrary(runs, {
      onReading: (path) => read.push(path),
      onProgress: () => read.push("some"),
    });
    expect(read).toEqual([]);
    expect(again.map((run) => [run.about, cellOf(run, "tokens"), cellOf(run, MEAN)?.toString().slice(0, 5)])).toEqual(
      before.map((run) => [run.about, cellOf(run, "tokens"), cellOf(run, MEAN)?.toString().slice(0, 5)]),
    );
    await rm(join(dir, "cache"), { recursive: true });
    expect((await readLibrary(runs)).map((run) => cellOf(run, "tokens"))).toEqual(
      before.map((run) => cellOf(run, "tokens")),
    );
  });

  it("keep every statistic exactly, and are measured again where what was kept is damaged", async () => {
    await addRun("a", 8);
    await addRun("b", 9, ["csv"]);
    const valuesOf = (library: readonly LibraryRun[]) =>
      library.map(({ id, measured }) => ({
        id,
        values: Object.fromEntries(
          [...(measured?.values.keys() ?? [])].sort().map((name) => [name, measured?.values.get(name)]),
        ),
      }));
    const first = valuesOf(await readLibrary(runs));
    expect(Object.keys(first[0]?.values ?? {}).length).toBeGreaterThan(4);
    expect(valuesOf(await readLibrary(runs))).toEqual(first);
    const folder = join(dir, "cache", "server-metrics", "library");
    const [index = ""] = await readdir(folder);
    const bytes = await readFile(join(folder, index));
    for (const damaged of [bytes.subarray(0, bytes.length / 2), Buffer.from("x"), Buffer.alloc(0)]) {
      await writeFile(join(folder, index), damaged);
      expect(valuesOf(await readLibrary(runs))).toEqual(first);
    }
  });

  it("are read again when they change, and say what is wrong with them", async () => {
    await addRun("a", 5);
    await readLibrary(runs);
    await addRun("a", 9);
    await mkdir(join(runs, "broken"));
    await writeFile(join(runs, "broken", "server_metrics_export.json"), "{");
    const library = await readLibrary(runs);
    expect(cellOf(only(library, "a"), MEAN)).toBeCloseTo(9, 0);
    expect(only(library, "broken").problem).toMatch(/cannot be read as a JSON artifact/);
  });

  it("are seen when they come, change or get a note", async () => {
    await addRun("a", 5);
    const over = new AbortController();
    let told: () => void = () => undefined;
    const changed = () => new Promise<void>((resolve) => (told = resolve));
    try {
      watchRuns(runs, () => told(), over.signal);
      let next = changed();
      await addRun("b", 5);
      await next;
      next = changed();
      await noteRuns(runs, await readLibrary(runs), () => ({ star: true }));
      await writeFile(join(runs, NOTES_FILE), "");
      await next;
      expect(await readLibrary(runs)).toHaveLength(2);
      next = changed();
      await mkdir(join(runs, "c"));
      const summary = join(runs, "c", "profile_export_aiperf.json");
      await writeFile(summary, "{}");
      await next;
      expect(await readLibrary(runs)).toHaveLength(2);
      next = changed();
      await writeFile(summary, JSON.stringify(aiperfSummary(simulatedRequests())));
      await next;
      expect(await readLibrary(runs)).toHaveLength(3);
    } finally {
      over.abort();
    }
  });

  it("tell their experiment, which is a row while it runs", async () => {
    const experiment = join(runs, "batch");
    await addRun("batch/runs/steady/01-a", 5);
    await addRun("alone", 5);
    await writeFile(join(experiment, EXPERIMENT_JOURNAL), "");
    await writeFile(join(experiment, EXPERIMENT_LOCK), ownerText(thisOwner()));
    const library = await readLibrary(runs);
    expect(library.map((run) => [cellOf(run, "run"), cellOf(run, "experiment"), cellOf(run, "state")]).sort()).toEqual([
      ["alone", undefined, undefined],
      ["batch", "batch", "running, 1 run"],
      ["batch/runs/steady/01-a", "batch", undefined],
    ]);
    // One that lies in another's folder has its runs to itself.
    await addRun("batch/earlier/01-b", 5);
    await writeFile(join(experiment, "earlier", EXPERIMENT_JOURNAL), "");
    await writeFile(join(runs, EXPERIMENT_JOURNAL), "");
    await writeFile(join(runs, EXPERIMENT_LOCK), ownerText(thisOwner()));
    const nested = await readLibrary(runs);
    expect(nested.map(({ id, experiment: of, running }) => [id, of, running]).sort()).toEqual([
      [`../${basename(runs)}`, basename(runs), "running, 1 run"],
      ["alone/server_metrics_export", basename(runs), undefined],
      ["batch", "batch", "running, 1 run"],
      ["batch/earlier/01-b/server_metrics_export", "batch/earlier", undefined],
      ["batch/runs/steady/01-a/server_metrics_export", "batch", undefined],
    ]);
    expect(finishedRuns(nested)).toHaveLength(3);
    for (const path of [join(runs, EXPERIMENT_LOCK), join(runs, EXPERIMENT_JOURNAL), join(experiment, "earlier")])
      await rm(path, { recursive: true });
    // Of the same configuration, and no repeats: only one is part of the experiment.
    expect(groupedRuns(library)).toHaveLength(3);
    const over = new AbortController();
    try {
      const left = new Promise<void>((resolve) => watchRuns(experiment, resolve, over.signal));
      await rm(join(experiment, EXPERIMENT_LOCK));
      await left;
    } finally {
      over.abort();
    }
    expect((await readLibrary(runs)).map((run) => cellOf(run, "state"))).toEqual([undefined, undefined]);
  });

  it("are none where there is no folder", async () => {
    await expect(readLibrary(join(dir, "nowhere"))).rejects.toThrow(/nowhere is not a folder/);
  });
});

describe("what is noted of runs", () => {
  const git = (folder: string, ...args: readonly string[]) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.org", ...args], {
      encoding: "utf8",
    });

  it("lies beside them in a Git repository, a line a run, and two people's notes merge", async () => {
    await addRun("a", 5);
    await addRun("b", 9);
    git(dir, "init", "-q", "-b", "main", runs);
    const library = await readLibrary(runs);
    expect(await noteRuns(runs, [only(library, "b")], () => ({ star: true }))).toEqual({
      path: join(runs, NOTES_FILE),
    });
    git(runs, "add", "-A");
    git(runs, "commit", "-qm", "runs");
    const other = join(dir, "other");
    git(dir, "clone", "-q", runs, other);
    await noteRuns(runs, [only(library, "a")], () => ({ note: "mine" }));
    await noteRuns(runs, [only(await readLibrary(runs), "b")], () => ({ tags: ["good"] }));
    git(runs, "commit", "-qam", "mine");
    const theirs = await readLibrary(other);
    await noteRuns(other, [only(theirs, "a")], () => ({ label: "theirs" }));
    await noteRuns(other, [only(await readLibrary(other), "b")], () => ({ note: "theirs" }));
    git(other, "commit", "-qam", "theirs");
    git(other, "pull", "-q", "--no-rebase", "--no-edit");
    const merged = await readLibrary(other);
    expect(only(merged, "a").note).toEqual({ note: "mine", label: "theirs" });
    expect(only(merged, "b").note).toEqual({ note: "theirs", tags: ["good"], star: true });
    // The next note of a run makes one line of two.
    await noteRuns(other, [only(merged, "a")], () => ({ archived: true }));
    const lines = (await readFile(join(other, NOTES_FILE), "utf8")).trim().split("\n");
    expect(lines.filter((line) => line.includes('"run":"a/'))).toHaveLength(1);
    expect(lines).toEqual(lines.toSorted());
  });

  it("is taken back entry by entry", async () => {
    await addRun("a", 5);
    await noteRuns(runs, await readLibrary(runs), () => ({ star: true, note: "x" }));
    await noteRuns(runs, await readLibrary(runs), () => ({ star: false }));
    expect(only(await readLibrary(runs), "a").note).toEqual({ note: "x" });
  });

  it("is in the user's own folder where the runs are in no repository or cannot be written to, which is said", async () => {
    await addRun("a", 5);
    const place = await noteRuns(runs, await readLibrary(runs), () => ({ star: true }));
    expect(place.reason).toBe(`${runs} is in no Git repository`);
    expect(place.path).toContain(join(dir, "data"));
    expect(only(await readLibrary(runs), "a").note).toEqual({ star: true });
    if (process.getuid?.() === 0) return;
    git(dir, "init", "-q", runs);
    await chmod(runs, 0o555);
    expect((await noteRuns(runs, await readLibrary(runs), () => ({ note: "x" }))).reason).toBe(`${runs} is read-only`);
    await chmod(runs, 0o755);
  });

  it("tells a note of a run whose files another has taken the place of", async () => {
    await addRun("a", 5);
    await noteRuns(runs, await readLibrary(runs), () => ({ star: true }));
    await rename(join(runs, "a"), join(runs, "kept"));
    await addRun("a", 6);
    // The noted run is elsewhere: its note went with it.
    const moved = await readLibrary(runs);
    expect([only(moved, "a"), only(moved, "kept")].map(({ note, problem }) => [note, problem])).toEqual([
      [{}, undefined],
      [{ star: true }, undefined],
    ]);
    await rm(join(runs, "kept"), { recursive: true });
    const [replaced, ...others] = await readLibrary(runs);
    expect(replaced).toMatchObject({ note: { star: true }, problem: expect.stringMatching(/another run/) as string });
    expect(others).toEqual([]);
    await noteRuns(runs, [replaced!], () => ({ star: true }));
    expect((await readLibrary(runs)).map(({ problem }) => problem)).toEqual([undefined]);
  });

  it("follows a run that was moved within the folder, and is kept of one that is missing", async () => {
    await addRun("a", 5);
    await addRun("b", 5);
    await noteRuns(runs, await readLibrary(runs), ({ tags }) => ({ tags: [...(tags ?? []), "t"] }));
    await rename(join(runs, "a"), join(runs, "moved"));
    await rm(join(runs, "b"), { recursive: true });
    const library = await readLibrary(runs);
    expect(only(library, "moved").note).toEqual({ tags: ["t"] });
    expect(only(library, "b")).toMatchObject({
      files: [],
      note: { tags: ["t"] },
      problem: expect.stringContaining("missing") as string,
    });
    expect(library).toHaveLength(2);
  });
});
