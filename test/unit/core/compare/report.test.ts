import { describe, expect, it } from "vitest";
import {
  comparisonCsv,
  comparisonJson,
  comparisonDocument,
  headlines,
  setLabel,
  intervalText,
  shareText,
  Reasons,
  undecidedText,
  verdictCounts,
  wholeQuantityText,
  withheldText,
  type ComparisonRow,
  type Verdict,
} from "../../../../src/core/compare/index.js";
import { documentMarkdown } from "../../../../src/core/text/index.js";
import { compareTwo } from "../../../support/compare-truth.js";
import { normal, seeded } from "../../../support/histogram-simulation.js";
import { RunBuilder } from "../../../support/run-builder.js";

function run(mean: number, seed: number, events: number) {
  const random = seeded(seed);
  const builder = new RunBuilder();
  for (let second = 0; second <= 300; second++) {
    builder.scrape(second, [
      { name: "app:level", labels: { path: 'a|b "c"' }, value: mean + normal(random) },
      { name: "app:errors", type: "counter", value: events * second + (events > 0 ? random() : 0) },
    ]);
  }
  Object.assign(builder.run.metadata, { benchmarkId: `run-${seed}` });
  return builder.window(5, 300).run;
}
const comparison = compareTwo(run(100, 1, 0), run(90, 2, 2));

describe("what is the same with many rows", () => {
  const [row] = comparison.rows;
  const [cell] = row?.cells ?? [];
  if (row === undefined || cell === undefined) throw new Error("the comparison has no row");
  const rows = (count: number, own: Partial<typeof cell>) =>
    Array.from({ length: count }, () => ({ ...row, cells: [{ ...cell, ...own }] }));

  it("is a reason said once, below the table, and not again where a warning has said it", () => {
    const reason = "the bucket bounds differ";
    const verdict = "cannot-tell";
    const few = new Reasons({ warnings: [] }, rows(2, { verdict, reason }));
    expect([few.verdict({ ...cell, verdict, reason }), few.below]).toEqual([`cannot tell: ${reason}`, []]);
    const many = new Reasons({ warnings: [] }, rows(152, { verdict, reason }));
    expect([many.verdict({ ...cell, verdict, reason }), many.below]).toEqual(["cannot tell [a]", [`[a] ${reason}`]]);
    const warned = { kind: "bounds", severity: "incomparable", message: reason } as const;
    const said = new Reasons({ warnings: [warned] }, rows(152, { verdict, reason }));
    expect([said.verdict({ ...cell, verdict, reason }), said.below]).toEqual(["cannot tell", []]);
  });

  it("is why an interval that leaves 0 out has no verdict", () => {
    const open = { verdict: "no-evidence", share: 0.1, adjustedP: 0.08 } as const;
    const shown = [
      ...rows(2, { ...open, shareLow: 0.01, shareHigh: 0.2 }),
      ...rows(5, { ...open, shareLow: -0.01, shareHigh: 0.2 }),
    ];
    expect(withheldText(comparison, shown)).toMatch(/^2 rows without a verdict have an interval that leaves 0 out: /);
    expect(withheldText(comparison, shown.slice(2))).toBe("");
  });
});

describe("a comparison exported", () => {
  it("is Markdown whose tables have as many cells in every row", () => {
    const text = documentMarkdown(comparisonDocument(comparison));
    expect(text).toContain("**No key latency or throughput was compared**<br>1 worse, 1 different (threshold 3 %)");
    expect(text).toMatch(/<br>`app:errors` \| rate \| 0\/s \| 2\/s \| from 0 \|  \| \*\*worse\*\* \|/);
    expect(text).toMatch(/<br>`app:level\{path="a\\\|b \\"c\\""\}` \| avg \|/);
    const rows = text.split("\n").filter((line) => line.startsWith("|"));
    expect(rows.length).toBeGreaterThan(3);
    const cells = rows.map((line) => line.replace(/\\\|/g, "").split("|").length);
    expect(new Set(cells).size).toBe(1);
  });

  it("is CSV with quoted labels and unrounded numbers", () => {
    const [head, ...lines] = comparisonCsv(comparison).trimEnd().split("\r\n");
    expect(lines).toHaveLength(2);
    const level = lines.find((line) => line.startsWith("app:level"))!;
    expect(level).toContain('"{path=""a|b \\""c\\""""}"');
    const fields = level.replace(/"(?:[^"]|"")*"/g, "q").split(",");
    const columns = head!.split(",");
    expect(fields).toHaveLength(columns.length);
    expect(Number(fields[columns.indexOf("difference")])).toBe(
      comparison.rows.find(({ family }) => family === "app:level")!.cells[0]!.difference,
    );
    // Infinite shares have no number.
    const errors = lines.find((line) => line.startsWith("app:errors"))!.split(",");
    expect(errors[columns.indexOf("percent")]).toBe("");
  });

  it("is CSV without formulas where that is asked for", () => {
    const hostile = {
      ...comparison,
      rows: comparison.rows.map((row) => ({ ...row, family: `=${row.family}` })),
      candidates: comparison.candidates.map((candidate) => ({ ...candidate, label: '@HYPERLINK("x")' })),
    };
    expect(comparisonCsv(hostile)).toMatch(/^=app:level,.*,"@HYPERLINK\(""x""\)",/m);
    const safe = comparisonCsv(hostile, true);
    expect(safe).toMatch(/^'=app:level,.*,"'@HYPERLINK\(""x""\)",/m);
    // Negative numbers are no formulas.
    expect(safe).toMatch(/,-\d/);
    expect(safe).not.toMatch(/,'-\d/);
    expect(comparisonCsv(comparison, true)).toBe(comparisonCsv(comparison));
  });

  it("is JSON that any reader takes", () => {
    const read = JSON.parse(comparisonJson(comparison)) as {
      rows: { family: string; baseline: { trend: number[] }; cells: { share: number | null; verdict: string }[] }[];
    };
    expect(read.rows.map(({ family, cells }) => [family, cells[0]!.verdict])).toEqual(
      comparison.rows.map(({ family, cells }) => [family, cells[0]!.verdict]),
    );
    expect(read.rows[0]!.baseline.trend).toHaveLength(48);
    expect(read.rows.find(({ family }) => family === "app:errors")!.cells[0]!.share).toBeNull();
  });

  it("says what there is to say when no row is decided, and not that nothing differs when that is unknown", () => {
    const rows = (...verdicts: Verdict[]) =>
      verdicts.map((verdict, i) => ({
        ...comparison.rows[0]!,
        id: String(i),
        cells: [{ ...comparison.rows[0]!.cells[0]!, verdict }],
      }));
    const text = (...verdicts: Verdict[]) => undecidedText({ ...comparison, rows: rows(...verdicts) });
    expect(text("same", "no-evidence", "cannot-tell", "cannot-tell")).toBe(
      "No metric differs by 3 % or more: of 4 rows 1 is the same within the threshold, for 1 there is no evidence, 2 could not be judged.",
    );
    expect(text("same", "same")).toBe(
      "No metric differs by 3 % or more: of 2 rows 2 are the same within the threshold.",
    );
    expect(text("cannot-tell", "cannot-tell")).toBe("2 rows compared, none could be judged.");
    expect(documentMarkdown(comparisonDocument({ ...comparison, rows: rows("cannot-tell") }))).toContain(
      "1 row compared, none could be judged.",
    );
  });

  it("writes shares with their sign", () => {
    expect([0.1234, -0.5, 0, Infinity, NaN].map(shareText)).toEqual(["+12.3 %", "−50 %", "0 %", "from 0", "–"]);
    expect(intervalText({ shareLow: -0.01, shareHigh: 0.2 })).toBe("[−1 %, +20 %]");
    expect(intervalText({ shareLow: NaN, shareHigh: NaN })).toBe("");
    expect(verdictCounts(comparison, 0)).toBe("1 worse, 1 different");
  });
});

it("names how the values of several series are one", () => {
  const fleet = (endpoints: number) => {
    const builder = new RunBuilder().window(0, 60);
    for (let second = 0; second <= 60; second++)
      for (let e = 0; e < endpoints; e++)
        builder.scrape(
          second + e / 10,
          [
            { name: "vllm:num_requests_running", value: 4 },
            { name: "vllm:kv_cache_usage_perc", value: 0.5 },
            { name: "vllm:generation_tokens", type: "counter", value: second },
            {
              name: "vllm:time_to_first_token_seconds",
              buckets: { "1": second, "2": second, "+Inf": second },
              sum: second,
              count: second,
            },
          ],
          `http://${e}:8000/metrics`,
        );
    return builder.run;
  };
  const { rows } = compareTwo(fleet(3), fleet(2));
  const text = (family: string) => rows.filter((row) => row.family === family).map(wholeQuantityText)[0];
  expect(text("vllm:num_requests_running")).toBe("avg, sum of 3 and 2");
  expect(text("vllm:kv_cache_usage_perc")).toBe("avg, average of 3 and 2");
  expect(text("vllm:generation_tokens")).toBe("rate, sum of 3 and 2");
  expect(text("vllm:time_to_first_token_seconds")).toMatch(/^\w+, of 3 and 2 series$/);
  const alone = compareTwo(fleet(1), fleet(1)).rows.find(({ type }) => type === "gauge");
  expect(alone && wholeQuantityText(alone)).toBe("avg");
});

it("a set of repeats has the name that they have in common", () => {
  expect([["base-1", "base-2", "base-3"], ["run 1"], ["a_rep2", "a_rep1"], ["x", "y"]].map(setLabel)).toEqual([
    "base ×3",
    "run 1",
    "a ×2",
    "x ×2",
  ]);
});

describe("a comparison in one line", () => {
  const of = (own: Partial<ComparisonRow>, before: number, after: number, verdict: Verdict): ComparisonRow => {
    const [row] = comparison.rows;
    const [cell] = row?.cells ?? [];
    if (row === undefined || cell === undefined) throw new Error("the comparison has no row");
    const share = (after - before) / before;
    const side = (value: number) => ({ ...row.baseline, value });
    return { ...row, ...own, baseline: side(before), cells: [{ ...cell, candidate: side(after), share, verdict }] };
  };
  const ttft = {
    family: "vllm:time_to_first_token_seconds",
    type: "histogram",
    quantity: "p99",
    unit: "seconds",
  } as const;
  const tokens = { family: "vllm:generation_tokens", type: "counter", quantity: "rate", unit: "tokens/s" } as const;
  const kv = { appeared: [{ id: "kv-pressure", title: "The KV cache is the limit" }] };

  it("says what is decided of the key latencies and the throughput, and what became the limit", () => {
    const rows = [of(tokens, 1000, 1790, "better"), of(ttft, 0.065, 47, "worse")];
    const text = "TTFT p99 65 ms → 47 s, throughput +79 %, KV cache became the limit";
    const found = { ...comparison, rows };
    expect(headlines(found, [kv])).toEqual([{ candidate: comparison.candidates[0]?.label, text }]);
    expect(headlines({ ...found, rows: [of(ttft, 0.065, 0.07, "no-evidence")] }).map((one) => one.text)).toEqual([
      "No evidence that a key latency or throughput differs",
    ]);
    // Also where only some rows are written.
    expect(documentMarkdown(comparisonDocument(found, { rows: [], findings: [kv] }))).toContain(`**${text}**`);
    expect(comparisonJson(found, { rows: [], findings: [kv] })).toContain(JSON.stringify(text));
  });

  it("says a factor from ten times on", () => {
    expect([0.79, 8.99, 9, 9469, -0.5].map(shareText)).toEqual(["+79 %", "+899 %", "×10", "×9,470", "−50 %"]);
  });
});
