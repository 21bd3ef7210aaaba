import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { ExpositionParser, ParseError, parseDocument } from "../../../../src/core/exposition/index.js";
import { describeConformance } from "../../../support/conformance.js";

describeConformance("OpenMetrics parser suite, strict", (directory) => {
  const cases = join(directory, "openmetrics/cases");
  const names = readdirSync(cases).sort();

  let valid = 0;
  afterAll(() => expect(valid).toBe(44));

  it("has all its cases", () => expect(names).toHaveLength(211));

  it.each(names)("%s", (name) => {
    const { file, shouldParse } = JSON.parse(readFileSync(join(cases, name, "test.json"), "utf8")) as {
      file: string;
      shouldParse: boolean;
    };
    const body = readFileSync(join(cases, name, file));
    const document = () => parseDocument(body, "openmetrics", "strict");
    if (shouldParse) {
      expect(document).not.toThrow();
      // A scrape is no stricter than the letter.
      expect(() => new ExpositionParser().parse(body, "openmetrics")).not.toThrow();
      expect(() => parseDocument(body, "openmetrics")).not.toThrow();
      valid++;
    } else expect(document).toThrow(ParseError);
  });
});
