import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { parseAssertion } from "../../src/core/compare/index.js";
import { root } from "../support/manifest.js";

interface Schema {
  readonly definitions: {
    readonly assertions: { readonly items: { readonly pattern: string; readonly examples: readonly string[] } };
  };
}

const { definitions } = JSON.parse(readFileSync(path.join(root, "media/check.schema.json"), "utf8")) as Schema;
const { examples, pattern } = definitions.assertions.items;

it("the schema of check files takes what can be read, and refuses what is no assertion", () => {
  for (const text of [...examples, "all: a::b{c=~'x.*', d!=\"e\"} rate_avg >= -1.5e3", "a p99_estimate<5"]) {
    expect(() => parseAssertion(text)).not.toThrow();
    expect(text).toMatch(new RegExp(pattern));
  }
  for (const text of ["a avg", "avg < 5", "a avg = 5", "a avg < x", "a avg < 5 s"]) {
    expect(() => parseAssertion(text), text).toThrow();
    expect(text).not.toMatch(new RegExp(pattern));
  }
});
