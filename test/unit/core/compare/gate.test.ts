import { describe, expect, it } from "vitest";
import { gateDocument, guardedText, gateOf, gateSummary } from "../../../../src/core/compare/index.js";
import { documentMarkdown } from "../../../../src/core/text/index.js";
import type { ComparisonCell, ComparisonRow } from "../../../../src/core/compare/types.js";
import { compareTwo } from "../../../support/compare-truth.js";
import { normal, seeded } from "../../../support/histogram-simulation.js";
import { RunBuilder } from "../../../support/run-builder.js";

function run(seed: number) {
  const random = seeded(seed);
  const builder = new RunBuilder();
  for (let second = 0; second <= 120; second++)
    builder.scrape(second, [{ name: "app:wait|seconds", value: 100 + normal(random) }]);
  return builder.window(5, 120).run;
}

const comparison = compareTwo(run(1), run(2));

/** Rows of which less is better, with what the gate looks at. */
function rows(...cells: readonly Partial<ComparisonCell>[]): ComparisonRow[] {
  const [row] = comparison.rows;
  const [cell] = row?.cells ?? [];
  if (row === undefined || cell === undefined) throw new Error("the comparison has no row");
  return cells.map((own, i) => {
    const difference = (own.share ?? NaN) * row.baseline.value;
    const candidate = { ...cell.candidate, value: row.baseline.value + difference };
    return { ...row, id: `row ${i}`, direction: "down", cells: [{ ...cell, candidate, difference, ...own }] };
  });
}

const same = { verdict: "same", share: 0.01, shareLow: -0.01, shareHigh: 0.02 } as const;
const open = { verdict: "no-evidence", share: 0.05, shareLow: -0.04, shareHigh: 0.12 } as const;
const endless = { verdict: "no-evidence", share: 0.05, shareLow: -Infinity, shareHigh: Infinity } as const;
const worse = { verdict: "worse", share: 2, shareLow: 1.9, shareHigh: 2.1 } as const;
const worseThisTime = { verdict: "worse", share: 0.35, shareLow: 0.3, shareHigh: 0.4 } as const;
const unknown = { verdict: "cannot-tell", share: NaN, shareLow: NaN, shareHigh: NaN, reason: "other bounds" } as const;

describe("the gate of a comparison", () => {
  it.each([
    ["nothing worse", [same], "pass", 0],
    ["nothing worse, strictly", [same], "fail", 0],
    ["an interval that holds a worsening", [same, open], "pass", 0],
    ["the same, strictly", [same, open], "fail", 3],
    ["what cannot be judged", [same, unknown], "pass", 3],
    ["worse beside what cannot be judged", [unknown, worse], "pass", 1],
    ["worse beside what is undecided, strictly", [open, worse], "fail", 1],
  ] as const)("ends for %s with its exit code", (_, cells, undecided, exitCode) => {
    expect(gateOf(comparison, rows(...cells), undecided).exitCode).toBe(exitCode);
  });

  it("takes an interval below the threshold for passed, whatever side is better", () => {
    const small = { verdict: "no-evidence", share: -0.05, shareLow: -0.1, shareHigh: 0.02 } as const;
    expect(gateOf(comparison, rows(small), "fail").metrics[0]?.outcome).toBe("passed");
    const [row] = rows(small);
    const other = gateOf(comparison, row === undefined ? [] : [{ ...row, direction: "up" }], "fail");
    expect(other.metrics[0]).toMatchObject({ outcome: "undecided", largestWorsening: 0.1 });
  });

  it("leaves open what two runs of one configuration may differ by, unless earlier runs lie closer together", () => {
    const [row] = rows(worseThisTime);
    if (row === undefined) throw new Error("there is no row");
    const alone = gateOf(comparison, [row], "pass");
    expect(alone).toMatchObject({ exitCode: 0, singleRuns: { falseFailures: 0.05, earlier: [] } });
    expect(alone.metrics[0]).toMatchObject({ outcome: "undecided", worseThisTime: true });
    expect(gateSummary(alone)).toContain("1 was worse in this run, which may be chance");
    expect(gateSummary(alone)).toContain("three or more repeats of each would measure that");
    const { value } = row.baseline;
    const values = new Map([[row.id, [0, 1, -1, 1, 0, -1, 0, 1, 0, -1].map((off) => value + off)]]);
    const labels = ["mon", "tue", "wed", "thu"];
    const known = gateOf(comparison, [row], "pass", { labels, values });
    expect(known.exitCode).toBe(1);
    expect(gateSummary(known)).toContain(
      "the spread of 4 earlier runs of the baseline's configuration (mon, tue, wed, …)",
    );
  });

  it("lists what did not pass in Markdown, with the largest worsening that cannot be ruled out", () => {
    const text = documentMarkdown(gateDocument(gateOf(comparison, rows(same, open, endless, unknown, worse), "pass")));
    expect(text).toMatch(/^### Gate\n\nGate failed: 1 of 5 got worse; 1 cannot be judged; for 2 a worsening above 3 %/);
    const table = text.split("\n").filter((line) => line.startsWith("|"));
    expect(table.slice(2)).toEqual([
      "| app:wait\\|seconds avg | undecided | a worsening by up to 12 % cannot be ruled out |",
      "| app:wait\\|seconds avg | undecided | a worsening of any size cannot be ruled out |",
      "| app:wait\\|seconds avg | unjudged | cannot be judged: other bounds |",
      "| app:wait\\|seconds avg | worse | worse by 200 %, at most by 210 % |",
    ]);
    const cells = table.map((line) => line.replaceAll("\\|", "").split("|").length);
    expect(new Set(cells)).toEqual(new Set([5]));
  });

  it("says in words what has no share of the baseline", () => {
    const text = (share: number) =>
      guardedText({ id: "a", name: "a", candidate: "b", outcome: "worse", share, largestWorsening: NaN });
    expect([0.12, -0.12, 94, Infinity].map(text)).toEqual([
      "worse by 12 %",
      "worse by 12 %",
      "worse: ×95",
      "worse: from 0",
    ]);
  });

  it("says which undecided metrics made it end with 3, and has no table where all passed", () => {
    expect(gateSummary(gateOf(comparison, rows(same, open), "fail"))).toMatch(
      /^Gate not checked \(--undecided fail\): None of 2 guarded metrics got worse; for 1 a worsening above 3 % cannot be ruled out\. /,
    );
    expect(documentMarkdown(gateDocument(gateOf(comparison, rows(same), "fail")))).not.toContain("|");
  });
});
