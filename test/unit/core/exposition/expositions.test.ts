import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { SampleBatch } from "../../../../src/core/model/index.js";
import { formatOfContentType, ExpositionParser, parseDocument } from "../../../../src/core/exposition/index.js";
import { describeConformance } from "../../../support/conformance.js";
import { vllmExpositions } from "../../../support/vllm-exposition.js";
import { parseIndependently, sampleKey } from "./independent-parser.js";

const encode = (text: string) => new TextEncoder().encode(text);

function bySample({ defs, ids, values, length }: SampleBatch): Map<string, number> {
  const result = new Map<string, number>();
  for (let i = 0; i < length; i++) {
    const { family, labels, part } = defs[ids[i]!]!;
    result.set(
      sampleKey(family.name, family.type, labels, part.kind, part.kind === "bucket" ? part.bound : undefined),
      values[i]!,
    );
  }
  return result;
}

describeConformance("real expositions", (directory) => {
  const read = (name: string) => readFileSync(join(directory, "expositions", name));

  it.each([
    ["alltypes.237mfs.prom.txt", "text"],
    ["alltypes.5mfs.om.txt", "openmetrics"],
    ["node_e2e.txt", "text"],
    ["promtestdata.txt", "text"],
  ] as const)("%s reads as an independent parser reads it", (name, format) => {
    const samples = bySample(new ExpositionParser().parse(read(name), format));
    const expected = parseIndependently(read(name).toString());
    expect(samples.size).toBeGreaterThan(20);
    expect(samples).toEqual(expected);
  });

  it.each([
    // Counted by grep -c '^# TYPE' and grep -vc '^#\|^$'.
    ["alltypes.237mfs.prom.txt", "text", /^# TYPE/gm, /^[^#\n]/gm],
    ["node_e2e.txt", "text", /^# TYPE/gm, /^[^#\n]/gm],
    ["alltypes.5mfs.om.txt", "openmetrics", /^# TYPE/gm, /^[^#\n]/gm],
    ["promtestdata.txt", "text", /^# TYPE/gm, /^[^#\n]/gm],
  ] as const)("%s has all its families and samples as a document", (name, format, typeLine, sampleLine) => {
    const families = parseDocument(read(name), format);
    const text = read(name).toString();
    expect(families).toHaveLength(text.match(typeLine)!.length);
    expect(families.reduce((sum, { samples }) => sum + samples.length, 0)).toBe(text.match(sampleLine)!.length);
  });
});

describeConformance("recorded scrape logs", (directory) => {
  for (const run of readdirSync(join(directory, "runs")).sort()) {
    it(`${run}: every scrape of every endpoint, one after the other`, () => {
      const log = gunzipSync(readFileSync(join(directory, "runs", run, "scrapes.jsonl.gz")))
        .toString()
        .trim()
        .split("\n");
      const parsers = new Map<string, ExpositionParser>();
      for (const line of log) {
        const { url, content_type, body } = JSON.parse(line) as { url: string; content_type: string; body: string };
        let parser = parsers.get(url);
        if (parser === undefined) parsers.set(url, (parser = new ExpositionParser()));
        expect(bySample(parser.parse(encode(body), formatOfContentType(content_type)))).toEqual(
          parseIndependently(body),
        );
      }
    });
  }
});

describe("a vLLM server's scrapes", () => {
  it("read as an independent parser reads them", () => {
    const parser = new ExpositionParser();
    const source = vllmExpositions({ engines: 2, moving: 0.5, seed: 7 });
    for (let scrape = 0; scrape < 8; scrape++) {
      const text = source.next().value;
      expect(bySample(parser.parse(encode(text), "text"))).toEqual(parseIndependently(text));
    }
  });
});
