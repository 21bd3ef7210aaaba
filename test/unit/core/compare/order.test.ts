import { describe, expect, it } from "vitest";
import { comparisonDocument, type ComparisonRow, type Verdict } from "../../../../src/core/compare/index.js";
import { documentMarkdown, paragraph } from "../../../../src/core/text/index.js";
import { inReadingOrder } from "../../../../src/core/compare/judged-rows.js";
import { compareTwo } from "../../../support/compare-truth.js";
import { RunBuilder } from "../../../support/run-builder.js";

const run = (level: number) =>
  Array.from({ length: 121 }, (_, second) => second)
    .reduce(
      (builder, second) => builder.scrape(second, [{ name: "app:level", value: level + (second % 3) }]),
      new RunBuilder(),
    )
    .window(0, 120).run;
const comparison = compareTwo(run(100), run(200));
const [row] = comparison.rows;
if (row === undefined) throw new Error("the runs have a metric in common");
const [cell] = row.cells;
if (cell === undefined) throw new Error("there is a candidate");

/** A row of a metric, decided as given. */
function made(
  family: string,
  quantity: ComparisonRow["quantity"],
  verdict: Verdict,
  share: number,
  more: Partial<ComparisonRow> = {},
): ComparisonRow {
  return {
    ...row!,
    id: `${family} ${quantity}`,
    family,
    quantity,
    isKey: false,
    ...more,
    cells: [{ ...cell!, verdict, share }],
  };
}

const order = (rows: readonly ComparisonRow[]) => inReadingOrder(rows).map(({ id }) => id);

describe("rows of a comparison in reading order", () => {
  it("begin with objectives and what all engines are measured by, however much else differs", () => {
    expect(
      order([
        made("app:cache_entries", "avg", "differs", 400),
        made("vllm:kv_block_lifetime_seconds", "avg", "better", 30, { isKey: true }),
        made("vllm:time_to_first_token_seconds", "p99", "worse", 0.2, { isKey: true }),
        made("vllm:prefix_cache_hits", "ratio", "better", 0.1, { isKey: true }),
        made("vllm:time_to_first_token_seconds", "share_below(0.5)", "worse", -0.05, { isKey: true }),
      ]),
    ).toEqual([
      "vllm:time_to_first_token_seconds share_below(0.5)",
      "vllm:time_to_first_token_seconds p99",
      "vllm:prefix_cache_hits ratio",
      "vllm:kv_block_lifetime_seconds avg",
      "app:cache_entries avg",
    ]);
  });

  it("keep the quantities of a metric together, worse metrics leading, undecided ones last", () => {
    expect(
      order([
        made("app:fast_seconds", "avg", "better", -0.9),
        made("app:idle_seconds", "avg", "same", 0),
        made("app:slow_seconds", "avg", "no-evidence", 0.1),
        made("app:fast_seconds", "p50", "better", -0.8),
        made("app:slow_seconds", "p50", "better", -0.1),
        made("app:slow_seconds", "p99", "worse", 0.3),
        made("app:fresh_seconds", "avg", "better", Infinity),
      ]),
    ).toEqual([
      "app:slow_seconds avg",
      "app:slow_seconds p50",
      "app:slow_seconds p99",
      "app:fresh_seconds avg",
      "app:fast_seconds avg",
      "app:fast_seconds p50",
      "app:idle_seconds avg",
    ]);
  });

  it("are distinguished by labels", () => {
    const metric = (stage: string, verdict: Verdict, share: number) =>
      made(`app:waiting{stage="${stage}"}`, "avg", verdict, share, { family: "app:waiting" });
    expect(order([metric("a", "differs", 0.1), metric("b", "same", 0), metric("c", "differs", 0.5)])).toEqual([
      'app:waiting{stage="c"} avg',
      'app:waiting{stage="a"} avg',
      'app:waiting{stage="b"} avg',
    ]);
  });
});

describe("a comparison in Markdown", () => {
  const rows = [
    made("vllm:time_to_first_token_seconds", "p99", "worse", 0.2, { isKey: true, title: "Time to first token" }),
    made("app:level", "avg", "differs", 1),
  ];

  it("leads with the findings, and folds what is no key metric", () => {
    const text = documentMarkdown(
      comparisonDocument({ ...comparison, rows }, { lead: [paragraph("Findings that are gone:")] }),
    );
    const places = [
      "Findings that are gone:",
      "Time to first token<br>",
      "<details><summary>1 more row",
      "`app:level`",
    ].map((part) => text.indexOf(part));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(Math.min(...places)).toBeGreaterThan(0);
  });

  it("folds nothing where rows were chosen, or where no metric is a key metric", () => {
    expect(documentMarkdown(comparisonDocument(comparison, { rows }))).not.toContain("<details>");
    expect(documentMarkdown(comparisonDocument({ ...comparison, rows: rows.slice(1) }))).not.toContain("<details>");
  });
});
