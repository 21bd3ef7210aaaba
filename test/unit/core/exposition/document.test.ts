import { expect, it } from "vitest";
import { parseDocument } from "../../../../src/core/exposition/index.js";

const encode = (text: string) => new TextEncoder().encode(text);

it("parseDocument gives families in order with all that stands in them, ready for JSON", () => {
  const text = `# HELP a_seconds Time \\"spent\\"\\nhere.
# TYPE a_seconds histogram
# UNIT a_seconds seconds
a_seconds_bucket{le="0.5",m="x"} 1 # {trace="t1"} 0.25 1.5e9
a_seconds_bucket{le="+Inf",m="x"} 2 12.50
a_seconds_sum{m="x"} +Inf
a_seconds_created{m="x"} 1.5e9
# TYPE b counter
b_total NaN
c{z="1",a="2"} -Inf
# TYPE s summary
s{quantile="0.5"} 3
# HELP lonely Without samples.
# EOF
`;
  const families = parseDocument(encode(text), "openmetrics");
  expect(JSON.parse(JSON.stringify(families))).toEqual([
    {
      name: "a_seconds",
      type: "histogram",
      description: 'Time "spent"\nhere.',
      unit: "seconds",
      samples: [
        {
          name: "a_seconds_bucket",
          labels: { le: "0.5", m: "x" },
          value: 1,
          exemplar: { labels: { trace: "t1" }, value: 0.25, timestamp: "1.5e9" },
        },
        { name: "a_seconds_bucket", labels: { le: "+Inf", m: "x" }, value: 2, timestamp: "12.50" },
        { name: "a_seconds_sum", labels: { m: "x" }, value: "+Inf" },
        { name: "a_seconds_created", labels: { m: "x" }, value: 1.5e9 },
      ],
    },
    { name: "b", type: "counter", description: "", samples: [{ name: "b_total", labels: {}, value: "NaN" }] },
    {
      name: "c",
      type: "unknown",
      description: "",
      samples: [{ name: "c", labels: { z: "1", a: "2" }, value: "-Inf" }],
    },
    { name: "s", type: "summary", description: "", samples: [{ name: "s", labels: { quantile: "0.5" }, value: 3 }] },
    { name: "lonely", type: "unknown", description: "Without samples.", samples: [] },
  ]);
});

it("parseDocument takes any label name as a name", () => {
  expect(Object.entries(parseDocument(encode('a{__proto__="1"} 1\n'), "text")[0]?.samples[0]?.labels ?? {})).toEqual([
    ["__proto__", "1"],
  ]);
});

it("parseDocument strips _total of counters declared with it, and takes a family's metadata wherever it stands", () => {
  const families = parseDocument(
    encode("a_total 1\n# TYPE a_total counter\n# HELP a_total Help.\nb_total 2\n# TYPE b counter\n"),
    "text",
  );
  expect(
    families.map(({ name, type, description, samples }) => ({ name, type, description, samples: samples.length })),
  ).toEqual([
    { name: "a", type: "counter", description: "Help.", samples: 1 },
    { name: "b", type: "counter", description: "", samples: 1 },
  ]);
});

it("parseDocument judges strictly when asked", () => {
  const text = encode("# TYPE a gauge\na 1\n# TYPE a gauge\n");
  expect(parseDocument(text, "text")).toHaveLength(1);
  expect(() => parseDocument(text, "text", "strict")).toThrow("line 3, column 1");
});

it("parseDocument says which samples a counter has when its line has another name", () => {
  const parse = () => parseDocument(encode("# TYPE a counter\na 1\n# EOF\n"), "openmetrics", "strict");
  expect(parse).toThrow("line 2, column 1: expected a sample of the counter a (a_total, a_created), found a");
});
