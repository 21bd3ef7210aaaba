import { describe, expect, it } from "vitest";
import {
  iconFree,
  linkFree,
  markdown,
  markdownCell,
  markdownCode,
  Markdown,
  markdownText,
  oneLine,
  plainText,
} from "../../../../src/core/text/index.js";

describe("text that an endpoint or file wrote", () => {
  it("shows control and direction characters instead of obeying them", () => {
    expect(plainText("a\u001b[2Jb\u001b]0;title\u0007\rc\u009b31m\u202ed\u2066\u007f")).toBe(
      "a\\u001b[2Jb\\u001b]0;title\\u0007\\u000dc\\u009b31m\\u202ed\\u2066\\u007f",
    );
    expect(plainText("line\n\tindented, größer 模型 👍")).toBe("line\n\tindented, größer 模型 👍");
  });

  it("leaves the JSON it stands in the same JSON", () => {
    const value = { text: "\u009b31m\u202e\u001b[0m\n" };
    expect(JSON.parse(plainText(JSON.stringify(value)))).toEqual(value);
  });

  it("stays on one line where one is wanted", () => {
    expect(oneLine("a \r\n b\u2028c")).toBe("a b c");
  });

  it.each([
    "[x](command:a)",
    '[x](command:a "t")',
    "[x](https://evil.example)",
    "[a][b](file:///etc/passwd)",
    "[[x](command:a)](command:b)",
    "[x]\n(command:a)",
    "[x]\u200e(command:a)",
  ])("has no link in %j for the workbench, whose notifications know no escape", (text) => {
    // The workbench's own pattern (src/vs/base/common/linkedText.ts), after it has joined lines.
    const link = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/gi;
    expect(linkFree(text).replace(/\r\n|\n|\r/gm, " ")).not.toMatch(link);
  });

  it("has no icon for labels", () => {
    expect(iconFree("$(zap) $$(zap~spin) \\$(x)")).not.toMatch(/\$\(/);
    expect(iconFree("$5 (a)")).toBe("$5 (a)");
  });

  it("has no Markdown", () => {
    expect(markdownText("[x](command:y) $(bug) <b>* `c` |")).toBe(
      "\\[x\\]\\(command\\:y\\) \\$\\(bug\\) \\<b\\>\\* \\`c\\` \\|",
    );
    expect(markdown`**${"*a*"}** ${new Markdown("_own_")} ${3}`.text).toBe("**\\*a\\*** _own_ 3");
  });

  it.each([
    ["plain", "`plain`"],
    ["a `b` c", "``a `b` c``"],
    ["``a`` and ```b```", "```` ``a`` and ```b``` ````"],
    ["`", "`` ` ``"],
    ["a | b", "`a \\| b`"],
    ["two\nlines\u001b", "`two lines\\u001b`"],
  ])("does not leave its code span: %j", (text, code) => {
    expect(markdownCode(text)).toBe(code);
  });

  it("has no Markdown in a cell", () => {
    expect(markdownCell("[x](command:y) | ~a~ $b$ <i>")).toBe("\\[x\\](command:y) \\| \\~a\\~ \\$b\\$ \\<i\\>");
  });
});
