import { describe, expect, it } from "vitest";
import { textTable } from "../../../src/cli/print/table.js";

describe("a text table", () => {
  it("aligns by what a terminal shows, wide characters included", () => {
    const { text } = textTable(
      [{ title: "NAME" }, { title: "VALUE", align: "right" }],
      [["日本", "1"], "A title that takes the line", ["abc", "1000"], ["e\u0301", ""]],
    );
    expect(text.split("\n")).toEqual([
      "NAME  VALUE",
      "日本      1",
      "A title that takes the line",
      "abc    1000",
      "e\u0301",
    ]);
  });

  it("writes out what would steer the terminal, and counts it so", () => {
    const { text } = textTable(
      [{ title: "A" }, { title: "B" }],
      [
        ["\u001b[2J", "x"],
        ["two\nlines", "y"],
      ],
    );
    expect(text.split("\n")).toEqual(["A          B", "\\u001b[2J  x", "two lines  y"]);
  });

  it("fits a width: columns of the highest rank go, then names wrap, and no number is cut", () => {
    const name = 'a_long_family_name{with="a label",and="another"}';
    const columns = [
      { title: "METRIC", wrapFrom: 20 },
      { title: "avg", align: "right" as const, rank: 0 },
      { title: "max", align: "right" as const, rank: 2 },
      { title: "std", align: "right" as const, rank: 1 },
    ];
    const { text, left } = textTable(columns, [[name, "123.45", "987.65", "555.55"]], 36);
    expect(left).toEqual(["max"]);
    const lines = text.split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(36);
    expect(lines[1]).toMatch(/123\.45 {2}555\.55$/);
    expect(
      lines
        .slice(1)
        .map((line) => line.slice(0, 20).trim())
        .join(" ")
        .replaceAll(" ", ""),
    ).toBe(name.replaceAll(" ", ""));
  });

  it("costs a fixed amount of work a cell", () => {
    // 20,000 rows take an hour where each measures all before it.
    const rows = Array.from({ length: 20_000 }, (_, i) => [`family_${i}`, String(i)]);
    expect(textTable([{ title: "A" }, { title: "B" }], rows, 80).text.split("\n")).toHaveLength(20_001);
  });
});
