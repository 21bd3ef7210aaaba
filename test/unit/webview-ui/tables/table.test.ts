import { describe, expect, it } from "vitest";
import { safeCsvLine } from "../../../../src/core/text/csv-line.js";
import { makeLabels, offsetNs, type SeriesId } from "../../../../src/core/model/index.js";
import type { RowCells, StatisticsTable } from "../../../../src/protocol/index.js";
import { makeFilter } from "../../../../webview-ui/tables/filter.js";
import {
  labelChoices,
  statisticsGrid,
  timesliceGrid,
  type GridModel,
  type GridRow,
  toCsv,
} from "../../../../webview-ui/tables/model.js";
import { sampleColumns } from "../../../../webview-ui/tables/data-table.js";
import { sortedRows, type RowFilter, type Sorting } from "../../../../webview-ui/tables/table-state.js";

const NOTHING = makeFilter("");

function statistics(count: number): StatisticsTable {
  return {
    type: "gauge",
    columns: [
      { key: "avg", title: "avg" },
      { key: "max", title: "max" },
      { key: "gaps", title: "gaps" },
    ],
    rows: Array.from({ length: count }, (_, i) => ({
      series: i as SeriesId,
      family: i % 2 === 0 ? "vllm:kv_cache_usage_perc" : "process_open_fds",
      endpointUrl: `http://host${i % 3}:8000/metrics`,
      labels: makeLabels([
        ["engine", String(i)],
        ["model", 'say "hi", model'],
      ]),
      values: { avg: (i * 3 * 7919) % 1000, max: i === 1 ? NaN : ((i * 3 + 1) * 7919) % 1000 },
    })),
  };
}

const rowsOf = (model: GridModel, unitOf = (_row: GridRow, _key: string): string | undefined => undefined) => ({
  columns: sampleColumns(model, unitOf),
  rows: model.rows,
});
const rowsIn = (model: GridModel, filter: RowFilter<GridRow>, sorting?: Sorting) =>
  sortedRows(rowsOf(model), filter, sorting);

const grid = (count: number): GridModel =>
  statisticsGrid(statistics(count), (name) => ({ displayName: `Name of ${name}` }), false);

describe("table rows", () => {
  it("are filtered by every word, in names, labels and endpoints, whatever their case", () => {
    const model = grid(12);
    const found = (text: string) => rowsIn(model, makeFilter(text), undefined).map((row) => row.index);
    expect(found("KV host0")).toEqual([0, 6]);
    expect(found("engine=11")).toEqual([11]);
    expect(found("fds nowhere")).toEqual([]);
    expect(found("  ")).toHaveLength(12);
  });

  it("are filtered by a label's exact value, together with words", () => {
    const model = grid(12);
    expect(rowsIn(model, makeFilter("", { name: "engine", value: "1" }), undefined).map((row) => row.index)).toEqual([
      1,
    ]);
    expect(rowsIn(model, makeFilter("kv", { name: "engine", value: "1" }), undefined)).toEqual([]);
  });

  it("are sorted by number with absent values last both ways, ties in their order", () => {
    const model = grid(40);
    const up = rowsIn(model, NOTHING, { key: "max", descending: false });
    const down = rowsIn(model, NOTHING, { key: "max", descending: true });
    const value = ({ values }: GridRow) => values["max"] ?? NaN;
    expect(up.at(-1)?.index).toBe(1);
    expect(down.at(-1)?.index).toBe(1);
    const expected = grid(40)
      .rows.filter((row) => row.index !== 1)
      .sort((a, b) => value(a) - value(b) || a.index - b.index);
    expect(up.slice(0, -1).map((row) => row.index)).toEqual(expected.map((row) => row.index));
    expect(down.slice(0, -1).map(value)).toEqual(expected.map(value).reverse());
  });

  it("are sorted by words with their numbers in numeric order", () => {
    const model = statisticsGrid(statistics(12), () => undefined, true);
    const rows = rowsIn(model, NOTHING, { key: "labels", descending: false });
    expect(rows.map((row) => row.index)).toEqual(Array.from({ length: 12 }, (_, i) => i));
  });

  it("are sorted by number within each unit, the units as they come", () => {
    const model = grid(12);
    const unitOf = (row: { readonly family: string }) => (row.family.startsWith("vllm") ? "ratio" : undefined);
    const rows = sortedRows(rowsOf(model, unitOf), NOTHING, { key: "avg", descending: true });
    const values = (family: string) =>
      rows.filter((row) => row.family === family).map((row) => row.values["avg"] ?? NaN);
    expect(rows.map((row) => row.family.startsWith("vllm"))).toEqual(rows.map((_row, i) => i < 6));
    for (const family of ["vllm:kv_cache_usage_perc", "process_open_fds"])
      expect(values(family)).toEqual([...values(family)].sort((a, b) => b - a));
  });

  it("of 5,000 series are looked at once for a filter, and each value once for a sorting", () => {
    const { columns, rows } = rowsOf(grid(5000));
    let values = 0;
    const counted = columns.map(({ key, order }) => ({
      key,
      ...(order === undefined ? {} : { order: (row: GridRow) => (values++, order(row)) }),
    }));
    const sorting = { key: "avg", descending: true };
    for (const text of ["k", "kv host1", "engine=49", "say", "nothing"]) {
      let looked = 0;
      values = 0;
      const filter = makeFilter(text);
      const counting = (row: GridRow) => (looked++, filter?.(row) !== false);
      const found = sortedRows({ columns: counted, rows }, counting, sorting);
      expect(found).toHaveLength(rows.filter((row) => filter?.(row) !== false).length);
      expect(looked).toBe(5000);
      expect(values).toBe(found.length);
    }
  });
});

describe("table columns", () => {
  it("leave out what no series has had", () => {
    expect(grid(4).numberColumns.map((column) => column.key)).toEqual(["avg", "max"]);
    const table = statistics(4);
    const rows = table.rows.map((row, i) => ({ ...row, values: { ...row.values, ...(i === 1 ? { gaps: 2 } : {}) } }));
    expect(
      statisticsGrid({ ...table, rows }, () => undefined, false).numberColumns.map((column) => column.key),
    ).toEqual(["avg", "max", "gaps"]);
  });

  it("show of endpoints and labels what differs, have the rest in common, and find it all the same", () => {
    const model = statisticsGrid(statistics(3), () => undefined, true);
    expect(model.textColumns.map((column) => column.key)).toEqual(["endpoint", "labels"]);
    expect(model.rows[2]?.texts).toEqual(["host2:8000", "engine=2"]);
    expect(model.common.labels).toEqual([["model", 'say "hi", model']]);
    expect(rowsIn(model, makeFilter("model=say"), undefined)).toHaveLength(3);
    expect(rowsIn(model, makeFilter("host2"), undefined)).toHaveLength(1);
  });

  it("say a single series by its metric's name alone", () => {
    const model = statisticsGrid(statistics(1), () => ({ displayName: "KV Cache" }), true);
    expect(model.textColumns.map((column) => column.key)).toEqual(["family"]);
    expect(model.rows[0]?.texts).toEqual(["KV Cache"]);
    expect(model.common).toMatchObject({ endpointUrl: "http://host0:8000/metrics", inEveryRow: true });
  });

  it("say a server's name only where there are several", () => {
    const names = (...servers: string[]) =>
      statisticsGrid(
        statistics(2),
        (family) => ({ displayName: family.startsWith("vllm:") ? `${servers[0]}KV Cache` : `${servers[1]}Open FDS` }),
        false,
      ).rows.map((row) => row.texts[0]);
    expect(names("VLLM | ", "")).toEqual(["KV Cache", "Open FDS"]);
    expect(names("VLLM | ", "SGLang | ")).toEqual(["VLLM | KV Cache", "SGLang | Open FDS"]);
  });

  it("never read alike: two metrics of one title go by their exposed names, and by their server's where that tells", () => {
    const names = (titles: readonly string[], endpoints: number) => {
      const table = statistics(4);
      const rows = table.rows.map((row, i) => ({
        ...row,
        family: `f${i}`,
        endpointUrl: `http://host${i % endpoints}/metrics`,
        labels: makeLabels([]),
      }));
      const model = statisticsGrid({ ...table, rows }, (name) => ({ displayName: titles[Number(name[1])]! }), false);
      const shown = model.rows.map(({ texts }) => texts.join());
      expect(new Set(shown).size).toBe(4);
      // The exposed name is not said twice.
      expect(model.rows.filter(({ name, texts }) => name === texts[0])).toEqual([]);
      return model.rows.map(({ texts }) => texts[0]);
    };
    expect(names(["KV cache usage", "KV cache usage", "Queue", "Requests"], 1)).toEqual([
      "f0",
      "f1",
      "Queue",
      "Requests",
    ]);
    expect(names(["KV cache usage", "KV cache usage", "Queue", "Queue"], 2)).toEqual([
      "KV cache usage",
      "KV cache usage",
      "Queue",
      "Queue",
    ]);
    expect(names(["vLLM | KV", "KV", "vLLM | Queue", "Requests"], 1)).toEqual([
      "vLLM | KV",
      "KV",
      "vLLM | Queue",
      "Requests",
    ]);
  });

  it("have a unit that is a word beside the metric, a symbol in the cells only", () => {
    const units = (unit: string) =>
      statisticsGrid(statistics(2), () => ({ displayName: "d", unit }), false).rows[0]?.unit;
    expect(units("requests")).toBe("requests");
    expect(units("ratio")).toBeUndefined();
  });

  it("offer each label's values in numeric order", () => {
    expect(labelChoices(grid(12).rows).get("engine")?.slice(0, 3)).toEqual(["0", "1", "2"]);
    expect(labelChoices(grid(12).rows).get("engine")?.at(-1)).toBe("11");
  });
});

describe("copied CSV", () => {
  it("has full names, a column per label and every digit, quoted where it must be", () => {
    const table = statistics(2);
    const rows = table.rows.map((row, i) => (i > 0 ? row : { ...row, values: { ...row.values, avg: 0.1 + 0.2 } }));
    const model = statisticsGrid({ ...table, rows }, () => ({ displayName: "shown" }), false);
    expect(toCsv(model, model.rows)).toBe(
      [
        "endpoint,metric,engine,model,avg,max",
        `http://host0:8000/metrics,vllm:kv_cache_usage_perc,0,"say ""hi"", model",0.30000000000000004,919`,
        `http://host1:8000/metrics,process_open_fds,1,"say ""hi"", model",757,`,
        "",
      ].join("\r\n"),
    );
  });

  it("has no formula for a spreadsheet where that is asked for", () => {
    const model = statisticsGrid(statistics(2), () => ({ displayName: "shown" }), false);
    const rows = model.rows.map((row) => ({ ...row, labels: [["model", '=HYPERLINK("x")']] as const }));
    expect(toCsv(model, rows)).toContain(',"=HYPERLINK(""x"")",');
    expect(toCsv(model, rows, safeCsvLine)).toContain(`,"'=HYPERLINK(""x"")",`);
  });

  it("has the rows that the filter left, in the order shown", () => {
    const model = grid(12);
    const rows = rowsIn(model, makeFilter("kv"), { key: "avg", descending: true });
    const lines = toCsv(model, rows).trim().split("\r\n").slice(1);
    expect(lines).toHaveLength(6);
    const averages = lines.map((line) => Number(line.split(",").at(-2)));
    expect(averages).toEqual([...averages].sort((a, b) => b - a));
  });
});

describe("timeslice rows", () => {
  const model = timesliceGrid(
    {
      family: "f",
      type: "counter",
      columns: [{ key: "rate", title: "rate" }],
      rows: [
        {
          series: 0 as SeriesId,
          endpointUrl: "http://a:1/metrics",
          labels: [],
          start: offsetNs(10e9),
          end: offsetNs(15e9),
          complete: true,
          values: { rate: 3 },
        },
        {
          series: 0 as SeriesId,
          endpointUrl: "http://a:1/metrics",
          labels: [],
          start: offsetNs(100e9),
          end: offsetNs(102.5e9),
          complete: false,
          values: { rate: 4 },
        },
      ],
    },
    10e9,
  );

  it("start relative to the start of profiling and set the incomplete one apart", () => {
    expect(model.rows.map((row) => row.texts)).toEqual([
      ["0", "5 s"],
      ["1:30", "2.5 s"],
    ]);
    expect(model.rows.map((row) => row.incomplete)).toEqual([false, true]);
  });

  it("sort by time, not by its words, and copy seconds", () => {
    const rows = rowsIn(model, NOTHING, { key: "start", descending: true });
    expect(rows.map((row) => row.index)).toEqual([1, 0]);
    expect(model.common.endpointUrl).toBe("http://a:1/metrics");
    expect(toCsv(model, rows)).toBe(
      "endpoint,metric,start_seconds,length_seconds,rate\r\nhttp://a:1/metrics,f,90,2.5,4\r\nhttp://a:1/metrics,f,0,5,3\r\n",
    );
  });
});

describe("a table of histograms", () => {
  const estimate = (value: number, bounds: readonly [number, number], interval: readonly [number, number]) => ({
    value,
    lower: bounds[0],
    upper: bounds[1],
    interval,
    linear: value,
    extrapolated: bounds[1] === Infinity,
  });
  const cells: readonly RowCells[] = [
    {
      values: { count: 100, sum: 30, avg: 0.3, p50_estimate: 0.41, p99_estimate: 12.3 },
      estimates: {
        p50_estimate: estimate(0.41, [0.25, 0.5], [0.38, 0.43]),
        p99_estimate: estimate(12.3, [10, Infinity], [11, 15]),
      },
    },
    {
      values: { count: 100, sum: 20, avg: 0.2, p50_estimate: 0.2, p99_estimate: 0.9, resets: 1 },
      estimates: {
        p50_estimate: estimate(0.2, [0.1, 0.25], [0.18, 0.22]),
        p99_estimate: estimate(0.9, [0.5, 1], [0.85, 0.95]),
      },
    },
  ];
  const table: StatisticsTable = {
    type: "histogram",
    columns: ["count", "sum", "avg", "p50_estimate", "p99_estimate", "resets"].map((key) => ({ key, title: key })),
    rows: cells.map((one, i) => ({
      series: i as SeriesId,
      family: "ttft_seconds",
      endpointUrl: "http://a:1/metrics",
      labels: makeLabels([["engine", String(i)]]),
      ...one,
    })),
  };
  const model = statisticsGrid(table, () => undefined, true);

  it("has average and percentiles first, totals after them", () => {
    expect(model.numberColumns.map((column) => column.key)).toEqual([
      "avg",
      "p50_estimate",
      "p99_estimate",
      "resets",
      "count",
      "sum",
    ]);
  });

  it("knows of each estimate, and of nothing else, what is certain", () => {
    const at = (row: number, key: string) => model.rows[row]?.estimates?.[key];
    expect(at(0, "p50_estimate")).toMatchObject({ lower: 0.25, upper: 0.5, interval: [0.38, 0.43] });
    expect(at(0, "p99_estimate")).toMatchObject({ lower: 10, upper: Infinity, interval: [11, 15] });
    expect(at(1, "p99_estimate")).toMatchObject({ lower: 0.5, upper: 1, interval: [0.85, 0.95] });
    expect(at(1, "avg")).toBeUndefined();
    expect(at(1, "count")).toBeUndefined();
  });

  it("copies the estimates' numbers, beyond the last bound too, and sorts by them", () => {
    const rows = rowsIn(model, NOTHING, { key: "p99_estimate", descending: false });
    expect(toCsv(model, rows)).toBe(
      "endpoint,metric,engine,avg,p50_estimate,p99_estimate,resets,count,sum\r\n" +
        "http://a:1/metrics,ttft_seconds,1,0.2,0.2,0.9,1,100,20\r\nhttp://a:1/metrics,ttft_seconds,0,0.3,0.41,12.3,,100,30\r\n",
    );
  });
});
