import { noteChange, type LibraryRun } from "../../../src/core/library/index.js";
import { offeredColumns, shownRuns, shownSweep } from "../../../src/protocol/shown-runs.js";
import { ChannelServer } from "../../../src/protocol/index.js";
import type { LibraryChoice, LibraryEvents, LibraryViewRequests, ShownHistory } from "../../../src/protocol/library.js";
import { setUpPage } from "./page.js";

/**
 * The other half of the page of runs: runs of three settings at four loads, repeated.
 * ?theme=dark|light|hc&runs=48&experiment
 */
const { port, query } = setUpPage("view-state-library");
const count = Number(query.get("runs") ?? 48);

function libraryRun(i: number): LibraryRun {
  const [concurrency, seqs] = [2 ** (i % 4), [64, 128, 256][Math.floor(i / 4) % 3] ?? 64];
  const startMs = Date.parse("2026-11-20T09:00:00Z") + i * 3_600_000;
  const ttft = 0.05 * concurrency * (256 / seqs) ** 0.5 * (1 + ((i * 7) % 5) / 50);
  const tokens = 900 * concurrency ** 0.8;
  const values = new Map([
    ["client.concurrency", concurrency],
    ["requests", 4 * concurrency ** 0.8],
    ["tokens", tokens],
    ["ttft.p99", ttft],
    ["itl.p99", 0.02 + ttft / 40],
    ["latency.p99", 1 + 3 * ttft],
    ["vllm:num_requests_running avg", concurrency * 0.9],
    ["vllm:kv_cache_usage_perc max", Math.min(0.99, concurrency / 9)],
  ]);
  return {
    id: `run-${String(i).padStart(3, "0")}/server_metrics_export`,
    files: [`/runs/run-${i}/server_metrics_export.json`],
    modified: startMs,
    about: {
      benchmarkId: String(i),
      startMs,
      seconds: 120 + (i % 7),
      label: `llama-8b c${concurrency} s${seqs}`,
      endpoints: [],
      configured: { "scheduler_config.max_num_seqs": String(seqs), concurrency: String(concurrency) },
      provenance: { "servers[0].version": i < 24 ? "0.10.1" : "0.11.0", "git.commit": `${i % 5}a9efecbae01` },
    },
    measured: {
      servers: ["vLLM"],
      models: ["llama-8b"],
      facts: {},
      values,
      points: [
        {
          path: `/runs/run-${String(i).padStart(3, "0")}/server_metrics_export.json`,
          configuration: `max_num_seqs ${seqs}`,
          load: { kind: "concurrency", value: concurrency },
          tokenThroughput: { value: tokens, interval: [0.95 * tokens, 1.05 * tokens] },
          latencies: { ttft: { avg: { value: ttft / 2 }, p99: { value: ttft } } },
          source: "server",
        },
      ],
    },
    note: i === 3 ? { star: true, note: "before the upgrade", tags: ["baseline"] } : i === 5 ? { archived: true } : {},
    ...(i === 7 ? { problem: "Its Parquet file ends in the middle." } : {}),
  };
}

let runs = Array.from({ length: count }, (_, i) => libraryRun(i));
if (query.has("experiment"))
  runs.push(
    { ...libraryRun(count), id: "batch/runs/steady/01-a/server_metrics_export", experiment: "batch" },
    {
      ...{ id: "batch", files: [], modified: Date.parse("2026-11-22T10:00Z"), note: {} },
      ...{ experiment: "batch", running: "running, 1 run" },
    },
  );
/** The course of the first columns, with a step in the middle. */
function shownHistory(choice: LibraryChoice): ShownHistory {
  const { columns, rows } = shownRuns("/runs", runs, { ...choice, sort: "time" });
  const at = Math.floor(rows.length / 2);
  return {
    runs: rows.map(({ runs: [run], cells }) => ({
      id: run?.id ?? "",
      time: Number(cells[columns.findIndex(({ name }) => name === "time")]),
    })),
    courses: columns.flatMap((column, i) =>
      /^(?:tokens|ttft.p99|itl.p99)$/.test(column.name)
        ? [
            {
              column,
              values: rows.map(({ cells }, r) => Number(cells[i]) * (column.name === "tokens" || r < at ? 1 : 1.5)),
              steps:
                column.name === "tokens"
                  ? []
                  : [
                      {
                        at,
                        before: Number(rows[0]?.cells[i]),
                        after: 1.5 * Number(rows[0]?.cells[i]),
                        verdict: "worse" as const,
                        text: "120 ms → 180 ms, +50 %, worse (p 0.0002)",
                        commits: ["3a9efec scheduler: smaller batches first", "2b8d1fa attention: new kernel"],
                      },
                    ],
            },
          ]
        : [],
    ),
  };
}

const server = new ChannelServer<LibraryViewRequests, LibraryEvents>(port, {
  libraryRuns: (choice) => ({ ...shownRuns("/runs", runs, choice), notesElsewhere: "/runs is in no Git repository" }),
  libraryColumns: () => offeredColumns(runs),
  libraryHistory: ({ choice }) => shownHistory(choice),
  // In the folder is one more that cannot be read.
  sweepRuns: ({ choice }) => ({
    ...shownSweep(runs, choice),
    skipped: [{ path: "/runs/broken.json", reason: "it is no JSON" }],
  }),
  openFile: ({ path }) => {
    document.body.dataset["opened"] = path;
    return null;
  },
  noteRuns: ({ runs: ids, edit }) => {
    const change = Object.entries(noteChange(edit));
    runs = runs.map((run) => {
      const noted = Object.entries({ ...run.note, ...Object.fromEntries(change) });
      return ids.includes(run.id)
        ? { ...run, note: Object.fromEntries(noted.filter(([, value]) => value !== undefined)) }
        : run;
    });
    server.emit("libraryChanged", {});
    return null;
  },
  openRuns: () => null,
  compareRuns: () => null,
  repeatRuns: () => null,
  saveRuns: () => null,
  deleteRuns: () => null,
  querySql: () => null,
  capturing: () => ({
    label: "llama-8b c16",
    time: Date.parse("2026-11-22T09:00Z"),
    duration: 34,
    server: "vLLM",
    tokens: 5120,
    "ttft.p99": 0.31,
  }),
  showCapture: () => null,
  copy: () => null,
  loadLibraryLayout: () => null,
  exportReport: () => null,
  saveLibraryLayout: () => null,
});
