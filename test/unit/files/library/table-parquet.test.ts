import { parquetReadObjects } from "hyparquet";
import { expect, it } from "vitest";
import { libraryTable, type Grouping, type LibraryRun } from "../../../../src/core/library/index.js";
import { libraryParquet } from "../../../../src/files/library/table-parquet.js";

const START = Date.parse("2026-11-26T09:00:00Z");

const run = (i: number, tokens: number | undefined): LibraryRun => ({
  id: `run-${i}`,
  files: [],
  modified: START + i * 1000,
  note: i === 0 ? { note: "=1+1, a note" } : {},
  about: {
    benchmarkId: String(i),
    startMs: START + i * 1000,
    seconds: 10,
    endpoints: [],
    configured: { "scheduler_config.max_num_seqs": "64" },
    provenance: {},
  },
  measured: {
    servers: ["vLLM"],
    models: ["m"],
    facts: {},
    points: [],
    values: new Map<string, number>([["requests", 10], ...(tokens === undefined ? [] : [["tokens", tokens] as const])]),
  },
});

const rowsOf = async (runs: readonly LibraryRun[], grouped?: Grouping) => {
  const columns = ["time", "run", "note", "scheduler_config.max_num_seqs", "tokens"];
  const bytes = libraryParquet(
    libraryTable(runs, { columns, sort: "time", ...(grouped === undefined ? {} : { grouped }) }),
  );
  return parquetReadObjects({ file: bytes.slice().buffer });
};

it("a table of runs as Parquet has times, texts and numbers of their kinds, and nothing where a run has nothing", async () => {
  expect(await rowsOf([run(0, 900.5), run(1, undefined)])).toEqual([
    {
      time: new Date(START),
      run: "run-0",
      note: "=1+1, a note",
      "scheduler_config.max_num_seqs": "64",
      tokens: 900.5,
    },
    { time: new Date(START + 1000), run: "run-1", note: null, "scheduler_config.max_num_seqs": "64", tokens: null },
  ]);
});

it("of repeats it has their number, mean and standard deviation", async () => {
  const [row, another] = await rowsOf([run(0, 900), run(1, 920)], "repeats");
  expect(another).toBeUndefined();
  expect(row).toMatchObject({ runs: 2, tokens: 910, time: new Date(START + 1000) });
  expect(row?.["tokens.sd"]).toBeCloseTo(Math.sqrt(200), 9);
});
