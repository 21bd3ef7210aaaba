import { describe, expect, it } from "vitest";
import { ExpositionParser } from "../../../../src/core/exposition/index.js";
import { DEFAULT_LIMITS, droppedProblem, formatLabels, type SampleBatch } from "../../../../src/core/model/index.js";

const limits = {
  ...DEFAULT_LIMITS,
  series: 100,
  labels: 3,
  labelValueBytes: 20,
  helpBytes: 30,
  lineBytes: 200,
};

const bytes = (text: string) => new TextEncoder().encode(text);

function samples({ defs, ids, values, length }: SampleBatch): Map<string, number> {
  return new Map(
    [...ids.subarray(0, length)].map((id, i) => {
      const { family, labels, part } = defs[id]!;
      const bound = part.kind === "bucket" ? ` ${part.bound}` : "";
      return [`${family.name}${formatLabels(labels)} ${part.kind}${bound}`, values[i]!];
    }),
  );
}

function gauges(from: number, to: number, value = 1): string {
  let text = "";
  for (let i = from; i < to; i++) text += `g{i="${i}"} ${value}\n`;
  return text;
}

describe("limits of an endpoint", () => {
  it("drop and count the surplus series, and keep the rest of the scrape", () => {
    const parser = new ExpositionParser({ limits });
    const first = samples(parser.parse(bytes(gauges(0, 130)), "text"));
    expect(first.size).toBe(100);
    expect(parser.dropped).toEqual({ series: 30 });
    // The same lines again, and then with others among them: what was kept goes on, and what was not stays out.
    expect(samples(parser.parse(bytes(gauges(0, 130, 2)), "text")).get('g{i="99"} value')).toBe(2);
    expect(parser.dropped).toEqual({ series: 30 });
    const later = samples(parser.parse(bytes(gauges(1000, 1010) + gauges(50, 140, 3)), "text"));
    expect([...later.keys()]).toEqual(Array.from({ length: 50 }, (_, i) => `g{i="${i + 50}"} value`));
    expect(parser.dropped).toEqual({ series: 50 });
  });

  it("bound what labels that churn without end can take", () => {
    const parser = new ExpositionParser({ limits });
    let defs = 0;
    for (let i = 0; i < 50; i++) defs = parser.parse(bytes(gauges(i * 50, i * 50 + 50)), "text").defs.length;
    expect(defs).toBe(100);
    expect(parser.dropped).toEqual({ series: 50 });
  });

  it("never cut a histogram into two", () => {
    let text = gauges(0, 98) + "# TYPE h histogram\n";
    for (const engine of [0, 1])
      text +=
        [1, 2, 4, "+Inf"].map((le) => `h_bucket{engine="${engine}",le="${le}"} 1\n`).join("") +
        `h_sum{engine="${engine}"} 1\nh_count{engine="${engine}"} 1\n`;
    const parser = new ExpositionParser({ limits });
    const kept = [...samples(parser.parse(bytes(text), "text")).keys()].filter((key) => key.startsWith("h"));
    expect(kept).toHaveLength(6);
    expect(kept.every((key) => key.includes('engine="0"'))).toBe(true);
    expect(parser.dropped).toEqual({ series: 6 });
  });

  it("skip samples with too many labels or too long ones, HELP that is too long and lines that are too long", () => {
    const text = [
      `# HELP a ${"x".repeat(31)}`,
      "# TYPE a counter",
      "a_total 1",
      'a_total{a="1",b="2",c="3",d="4"} 2',
      `a_total{a="${"v".repeat(21)}"} 3`,
      `a_total{a="${"v".repeat(20)}"} 4`,
      `${"n".repeat(201)} 5`,
      "b 6",
      "",
    ].join("\n");
    const parser = new ExpositionParser({ limits });
    for (const time of [1, 2]) {
      const batch = parser.parse(bytes(text), "text");
      expect([time, ...samples(batch).values()]).toEqual([time, 1, 4, 6]);
      expect(batch.defs[0]!.family.description).toBe("");
      expect(parser.dropped).toEqual({ helpBytes: 1, labels: 1, labelValueBytes: 1, lineBytes: 1 });
    }
    expect(parser.parse(bytes("b 7\n"), "text").length).toBe(1);
    expect(parser.dropped).toEqual({});
  });

  it("are reported with their number, their setting and their option", () => {
    expect(droppedProblem("gpu-7:8000", "series", 1234, DEFAULT_LIMITS)).toEqual({
      severity: "warning",
      reason:
        "1,234 series of a scrape of gpu-7:8000 were dropped: the endpoint has more than 500,000. The rest is kept.",
      remedy: "Leave families out, or raise serverMetrics.seriesLimit (--series-limit).",
    });
    expect(droppedProblem("h", "lineBytes", 1, DEFAULT_LIMITS).reason).toBe(
      "1 line of a scrape of h was dropped: longer than 1 MiB. The rest is kept.",
    );
  });
});
