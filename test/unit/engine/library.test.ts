import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RunLibrary } from "../../../src/engine/library.js";
import { exportArtifacts } from "../../../src/files/index.js";
import { readLibrary } from "../../../src/files/library/library.js";
import { built, distinct, noisy } from "../../support/comparing.js";

let dir: string;
let library: RunLibrary | undefined;

beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), "server-metrics-library-")));
  process.env["XDG_CACHE_HOME"] = join(dir, "cache");
  process.env["XDG_DATA_HOME"] = join(dir, "data");
});
afterEach(async () => {
  await library?.close();
  library = undefined;
  await rm(dir, { recursive: true, force: true });
});

async function addRun(name: string, label: string, running: number) {
  const run = distinct(
    built(
      (s, random) => [
        ...noisy("vllm:num_requests_running", running, {})(s, random),
        { name: "vllm:generation_tokens", type: "counter", value: 100 * running * s + 20 * random() },
      ],
      { seconds: 120 },
    ),
  );
  run.configure({ label });
  await exportArtifacts(run, { directory: join(dir, "runs", name), formats: ["json"], verify: false });
}

/** Opened, with what waits until it shows something. */
function open() {
  const host = { onReading: vi.fn(), onChange: vi.fn() };
  const opened = (library = new RunLibrary(join(dir, "runs"), [], host));
  const labels = async () =>
    (await opened.shown({ columns: ["label"], sort: "label" })).rows.map(({ cells: [a] }) => a);
  return { host, opened, labels };
}

it("lists a run that is added while it is open", async () => {
  await addRun("a", "first", 5);
  const { host, labels } = open();
  expect(await labels()).toEqual(["first"]);
  await addRun("b", "second", 7);
  await vi.waitFor(async () => expect(await labels()).toEqual(["first", "second"]), { timeout: 10_000 });
  expect(host.onChange).toHaveBeenCalled();
});

it("notes something of runs, which any other reader finds, and shows it at once", async () => {
  await addRun("a", "first", 5);
  const { opened } = open();
  const { rows, notesElsewhere } = await opened.shown({});
  expect(notesElsewhere).toMatch(/is in no Git repository/);
  const runs = rows.flatMap((row) => row.runs.map(({ id }) => id));
  await opened.note(runs, { label: " renamed ", star: true, tags: ["b", "a", "b"] });
  const note = { label: "renamed", star: true, tags: ["a", "b"] };
  expect((await opened.shown({ columns: ["label"] })).rows).toMatchObject([{ runs: [{ note }], cells: ["renamed"] }]);
  expect(await readLibrary(join(dir, "runs"))).toMatchObject([{ note }]);
  await opened.note(runs, { label: "", tags: [] });
  expect((await opened.shown({ columns: ["label"] })).rows).toMatchObject([{ cells: ["first"] }]);
});

it("says what is wrong with a folder, and with a filter", async () => {
  await expect(open().opened.shown({})).rejects.toThrow(/is not a folder/);
  await library?.close();
  await addRun("a", "first", 5);
  await expect(open().opened.shown({ filter: "ttft.p99 < many" })).rejects.toThrow(/The filter cannot be read/);
});

it("leaves out columns that no run has any more", async () => {
  await addRun("a", "first", 5);
  const { columns, rows } = await open().opened.shown({ columns: ["label", "gone avg"], sort: "gone avg" });
  expect([columns.map(({ name }) => name), rows.map(({ cells }) => cells)]).toEqual([["label"], [["first"]]]);
});

it("counts findings and compares with the starred run, once a column asks, and keeps that", async () => {
  await addRun("a", "first", 5);
  await addRun("b", "second", 10);
  const choice = { columns: ["label", "findings", "verdict"], sort: "label" };
  const cells = async (of: RunLibrary) => (await of.shown(choice)).rows.map((row) => row.cells);
  const { opened } = open();
  expect((await opened.shown(choice)).hints).toEqual([expect.stringMatching(/Star one run/)]);
  await opened.note(["a/server_metrics_export"], { star: true });
  const judged = [
    ["first", expect.any(Number) as number, null],
    ["second", expect.any(Number) as number, expect.stringMatching(/throughput \+100 %/) as string],
  ];
  await vi.waitFor(async () => expect(await cells(opened)).toEqual(judged), { timeout: 20_000 });
  await opened.close();
  expect(await opened.text(choice, "csv", true)).toMatch(
    /^label,findings,verdict\nfirst,\d+,\nsecond,\d+,.*throughput/,
  );
  // Kept for the next window, which has it in its first answer.
  expect(await cells(open().opened)).toEqual(judged);
});
