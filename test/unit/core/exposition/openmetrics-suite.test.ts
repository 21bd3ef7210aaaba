import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ExpositionParser, ParseError, parseDocument } from "../../../../src/core/exposition/index.js";
import { describeConformance } from "../../../support/conformance.js";

describeConformance("OpenMetrics parser suite, strict", (directory) => {
  const cases = join(directory, "openmetrics/cases");
  const names = readdirSync(cases).sort();

  it("has all its cases", () => expect(names).toHaveLength(211));

  it.each(names)("%s", (name) => {
    const { file, shouldParse } = JSON.parse(readFileSync(join(cases, name, "test.json"), "utf8")) as {
      file: string;
      shouldParse: boolean;
    };
    const body = readFileSync(join(cases, name, file));
    const parse = () => new ExpositionParser({ mode: "strict" }).parse(body, "openmetrics");
    const document = () => parseDocument(body, "openmetrics", "strict");
    if (shouldParse) {
      expect(parse).not.toThrow();
      expect(document).not.toThrow();
    } else {
      expect(parse).toThrow(ParseError);
      expect(document).toThrow(ParseError);
    }
  });
});
