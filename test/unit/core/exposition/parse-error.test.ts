import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  ExpositionParser,
  ParseError,
  parseDocument,
  type ExpositionFormat,
} from "../../../../src/core/exposition/index.js";

function errorOf(
  body: string | Uint8Array,
  format: ExpositionFormat = "text",
  mode: "lenient" | "strict" = "lenient",
): ParseError {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const caught = [
    () => parseDocument(bytes, format, mode),
    ...(mode === "strict" ? [] : [() => new ExpositionParser().parse(bytes, format)]),
  ].map((parse) => {
    try {
      parse();
    } catch (error) {
      if (error instanceof ParseError) return error;
      throw error;
    }
    throw new Error("no error");
  });
  const [error, ofScrape = error] = caught;
  expect(ofScrape?.message).toBe(error?.message);
  return error!;
}

describe("garbage is rejected, with its place", () => {
  it.each([
    ["HTML", "<!DOCTYPE html>\n<html>", 1, 1, 'a metric name or "#"', '"<!DOCTYPE"'],
    ["a JSON object", '{"kv": 1}', 1, 6, '"," or "}"', '":"'],
    ["an empty JSON object", "{}", 1, 1, "a metric name", '"{}"'],
    ["a JSON array", '[{"iter": 1}]', 1, 1, 'a metric name or "#"', '"[{"iter":"'],
    ["prose", "a 1\nService Unavailable\n", 2, 9, "a number", '"Unavailable"'],
    ["one word", "OK", 1, 3, "a number", "the end of the line"],
    ["a number of another kind", "a 0x10\n", 1, 3, "a number", '"0x10"'],
    ["a number with more behind it", "a 1_000\n", 1, 3, "a number", '"1_000"'],
    ["a number without digits", "a .\n", 1, 3, "a number", '"."'],
    ["an exponent without digits", "a 1e\n", 1, 3, "a number", '"1e"'],
    ["a second number that is none", "a 1 x\n", 1, 5, "a timestamp, or nothing, after the value", '"x"'],
    ["too many numbers", "a 1 2 3\n", 1, 7, "the end of the line", '"3"'],
    ["an unknown type", "# TYPE a meter\n", 1, 10, undefined, '"meter"'],
    ["TYPE without a type", "a 1\n# TYPE a\n", 2, 9, "a metric type", "the end of the line"],
    ["a name that needs quotes", 'é{a="ü', 1, 1, 'a metric name or "#"', '"é{a="ü"'],
    ["an open quote", 'a{b="ü✓\nc 1\n', 1, 8, "a closing double quote", "the end of the line"],
    ["an open quote after a backslash", 'a{b="c\\\nd 1\n', 1, 8, "a closing double quote", "the end of the line"],
    ["a missing equals sign", 'a{b "c"} 1\n', 1, 5, '"=" after the label name', '""c"}"'],
    ["a missing comma", 'a{b="c"d="e"} 1\n', 1, 8, '"," or "}"', '"d="e"}"'],
    ["two commas", 'a{b="c",,d="e"} 1\n', 1, 9, 'a label name or "}"', '",d="e"}"'],
    ["a colon in a label name", 'a{b:c="d"} 1\n', 1, 4, '"=" after the label name', '":c="d"}"'],
    ["two metric names", 'a{"b"} 1\n', 1, 6, '"=" after the label name', '"}"'],
  ])("%s", (_, body, line, column, expected, found) => {
    const error = errorOf(body);
    expect({ line: error.line, column: error.column, found: error.found }).toEqual({ line, column, found });
    if (expected !== undefined) expect(error.expected).toBe(expected);
    expect(error.message).toBe(`line ${line}, column ${column}: expected ${error.expected}, found ${found}`);
  });

  it("binary", () => {
    expect(errorOf(gzipSync("a 1\n")).message).toBe(
      'line 1, column 1: expected a metric name or "#", found the byte 0x1f',
    );
    expect(errorOf(new Uint8Array([0, 0, 0])).message).toContain("found the byte 0x00");
  });

  it("label values that are not UTF-8", () => {
    const body = new Uint8Array([
      ...new TextEncoder().encode('b 1\na{x="'),
      0xff,
      0xfe,
      ...new TextEncoder().encode('"} 1\n'),
    ]);
    expect(errorOf(body).message).toBe("line 2, column 6: expected UTF-8 text, found bytes that are not UTF-8");
  });

  it("every truncation of a line within its name, labels or before its value", () => {
    const line = 'vllm:x_bucket{engine="0",le="1\\"0"} 5';
    for (let length = 1; length < line.length; length++) expect(errorOf(`a 1\n${line.slice(0, length)}`).line).toBe(2);
  });

  it("OpenMetrics that is cut off, or goes on", () => {
    expect(errorOf("a 1\n", "openmetrics").expected).toMatch(/^"# EOF"/);
    expect(errorOf("", "openmetrics").expected).toMatch(/^"# EOF"/);
    const error = errorOf("a 1\n# EOF\nb 1\n", "openmetrics");
    expect([error.line, error.column, error.expected]).toEqual([3, 1, 'nothing after "# EOF"']);
  });

  it("the same in a scrape that was expected to be like the last", () => {
    const parser = new ExpositionParser();
    const bytes = (text: string) => new TextEncoder().encode(text);
    parser.parse(bytes('a{x="1"} 1\nb 2\n# EOF\n'), "openmetrics");
    for (const bad of [
      'a{x="1"} x\nb 2\n# EOF\n',
      'a{x="1"} 1\nb 2 2 2\n# EOF\n',
      'a{x="1"} 1\nb 2\n',
      'a{x="1"} 1\nb 2\n# EOF\na 1\n',
      'a{x="1"} \nb 2\n# EOF\n',
    ]) {
      const cold = errorOf(bad, "openmetrics");
      expect(() => parser.parse(bytes(bad), "openmetrics")).toThrow(cold.message);
    }
  });
});

describe("strict text format", () => {
  it.each([
    ["a type twice", "# TYPE a gauge\n# TYPE a gauge\n"],
    ["a type after the samples", "a 1\n# TYPE a gauge\n"],
    ["a family in two blocks", '# TYPE a gauge\na 1\n# TYPE b gauge\nb 1\na{x="1"} 1\n'],
    ["a series twice", "a 1\na 1\n"],
    ["a label twice", 'a{x="1",x="2"} 1\n'],
    ["a type of OpenMetrics", "# TYPE a info\na_info 1\n"],
    ["a histogram without +Inf", '# TYPE h histogram\nh_bucket{le="1"} 1\nh_sum 1\nh_count 1\n'],
    ["a count that is not that of +Inf", '# TYPE h histogram\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 2\n'],
    ["a bucket without le", "# TYPE h histogram\nh_bucket 1\n"],
    ["an exemplar", '# TYPE a_total counter\na_total 1 # {x="1"} 1\n'],
    ["no newline at the end", "a 1"],
  ])("refuses %s", (_, text) => expect(errorOf(text, "text", "strict")).toBeInstanceOf(ParseError));

  it("takes what the format allows", () => {
    const text = `# a comment

# HELP a_total Help.
# TYPE a_total counter
a_total { x = "1", } -1 1395066363000
# TYPE h histogram
h_bucket{le="1"} 1
h_bucket{le="+Inf"} 2
h_sum -3
h_count 2
# TYPE u untyped
u NaN
`;
    expect(() => parseDocument(new TextEncoder().encode(text), "text", "strict")).not.toThrow();
  });
});
