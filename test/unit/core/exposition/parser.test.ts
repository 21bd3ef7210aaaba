import { describe, expect, it } from "vitest";
import { ExpositionParser, parseDocument, type ExpositionFormat } from "../../../../src/core/exposition/index.js";
import { sampleLines } from "../../../support/samples.js";

const encode = (text: string) => new TextEncoder().encode(text);

function parse(text: string, format: ExpositionFormat = "text", parser = new ExpositionParser()) {
  return parser.parse(encode(text), format);
}

function lines(text: string, format: ExpositionFormat = "text") {
  return sampleLines(parse(text, format));
}

describe("types and names", () => {
  it("strips _total of counters, however they are declared", () => {
    expect(lines("# TYPE a_total counter\na_total 1\n")).toEqual(["counter a value 1"]);
    expect(lines("# TYPE a counter\na 1\n")).toEqual(["counter a value 1"]);
    expect(lines("# TYPE a counter\na_total 1\n")).toEqual(["counter a value 1"]);
    expect(lines("# TYPE a counter\na_total 1\n# EOF\n", "openmetrics")).toEqual(["counter a value 1"]);
    expect(lines("# TYPE a_total counter\na_total 1\n# EOF\n", "openmetrics")).toEqual(["counter a value 1"]);
  });

  it("keeps the name under which a counter was served", () => {
    const served = (text: string, format?: ExpositionFormat) =>
      parse(text, format).defs.map(({ family }) => family.exposedName);
    expect(served("# TYPE a counter\na 1\n# TYPE b_total counter\nb_total 1\n")).toEqual(["a", "b_total"]);
    expect(served("# TYPE a counter\na_total 1\n# EOF\n", "openmetrics")).toEqual(["a_total"]);
    expect(served("# TYPE a gauge\na 3\n# TYPE a_total counter\na_total 1\n")).toEqual([undefined, "a_total"]);
  });

  it("leaves _total on what is not a counter", () => {
    expect(lines("# TYPE a_total gauge\na_total 1\nb_total 2\n")).toEqual([
      "gauge a_total value 1",
      "unknown b_total value 2",
    ]);
  });

  it("leaves _total on a counter when another family has the shorter name", () => {
    expect(lines("# TYPE a gauge\na 3\n# TYPE a_total counter\na_total 1\n")).toEqual([
      "gauge a value 3",
      "counter a_total value 1",
    ]);
  });

  it("knows a histogram whose name ends like a counter's by its declaration", () => {
    const text = `# TYPE vllm:iteration_tokens_total histogram
vllm:iteration_tokens_total_bucket{engine="0",le="1.0"} 2.0
vllm:iteration_tokens_total_bucket{engine="0",le="+Inf"} 3.0
vllm:iteration_tokens_total_count{engine="0"} 3.0
vllm:iteration_tokens_total_sum{engine="0"} 40.0
`;
    expect(lines(text)).toEqual([
      'histogram vllm:iteration_tokens_total{engine="0"} le 1.0 2',
      'histogram vllm:iteration_tokens_total{engine="0"} le +Inf 3',
      'histogram vllm:iteration_tokens_total{engine="0"} count 3',
      'histogram vllm:iteration_tokens_total{engine="0"} sum 40',
    ]);
  });

  it("takes untyped and undeclared families as unknown, suffix or not", () => {
    expect(lines('# TYPE a untyped\na{x="1"} 1\nb_count 2\nc_bucket{le="1"} 3\n')).toEqual([
      'unknown a{x="1"} value 1',
      "unknown b_count value 2",
      'unknown c_bucket{le="1"} value 3',
    ]);
  });

  it("takes info and stateset as gauges, under the names their samples have", () => {
    const text =
      '# TYPE build info\nbuild_info{version="1"} 1\n# TYPE mode stateset\nmode{mode="on"} 1\nmode{mode="off"} 0\n# EOF\n';
    expect(lines(text, "openmetrics")).toEqual([
      'gauge build_info{version="1"} value 1',
      'gauge mode{mode="on"} value 1',
      'gauge mode{mode="off"} value 0',
    ]);
  });

  it("drops creation times and uptimes without a word", () => {
    const parser = new ExpositionParser();
    const text = `# TYPE a_created gauge
a_created 1.7e9
# TYPE b_uptime gauge
b_uptime 3
# TYPE c_uptime_seconds gauge
c_uptime_seconds 3
# TYPE d_uptime_seconds_total counter
d_uptime_seconds_total 3
# TYPE e counter
e_total 1
e_created 1.7e9
uptime_e 2
`;
    expect(sampleLines(parse(text, "text", parser))).toEqual(["counter e value 1", "unknown uptime_e value 2"]);
    expect(parser.takeNotes()).toEqual([]);
  });

  it("tells with the first samples when counters and histograms were created", () => {
    const created = (text: string, format: ExpositionFormat, parser = new ExpositionParser()) =>
      parse(text, format, parser).created?.map(({ family, labels, time }) => [family.type, family.name, labels, time]);
    const text = `# TYPE a_total counter
a_total{x="1",b="2"} 1
# TYPE a_created gauge
a_created{x="1",b="2"} 1.5e9
# TYPE h_total histogram
h_total_bucket{le="+Inf"} 1
# TYPE h_total_created gauge
h_total_created 1.25e9
# TYPE s summary
s_sum 1
# TYPE s_created gauge
s_created 1
# TYPE g gauge
g 1
g_created 1
`;
    const parser = new ExpositionParser();
    expect(created(text, "text", parser)).toEqual([
      [
        "counter",
        "a",
        [
          ["b", "2"],
          ["x", "1"],
        ],
        1_500_000_000_000_000_000n,
      ],
      ["histogram", "h_total", [], 1_250_000_000_000_000_000n],
    ]);
    expect(created(`${text}z 1\n`, "text", parser)).toBeUndefined();
    expect(created("# TYPE a counter\na_total 1\na_created NaN\n# EOF\n", "openmetrics")).toBeUndefined();
    expect(created("# TYPE a counter\na_total 1\na_created 0.5\n# EOF\n", "openmetrics")).toEqual([
      ["counter", "a", [], 500_000_000n],
    ]);
  });

  it("leaves summaries and gaugehistograms out and says so once per family", () => {
    const parser = new ExpositionParser();
    const text = (value: number) => `# TYPE s summary
s{quantile="0.5"} ${value}
s{quantile="0.9"} ${value}
s_sum ${value}
s_count ${value}
s_created 1
# TYPE g gaugehistogram
g_bucket{le="+Inf"} ${value}
g_gcount ${value}
g_gsum ${value}
# TYPE a gauge
a ${value}
# EOF
`;
    expect(sampleLines(parse(text(1), "openmetrics", parser))).toEqual(["gauge a value 1"]);
    expect(parser.takeNotes().flatMap(({ families }) => families)).toEqual(["s", "g"]);
    expect(sampleLines(parse(text(2), "openmetrics", parser))).toEqual(["gauge a value 2"]);
    parse("# TYPE a gauge\na 1\n# EOF\n", "openmetrics", parser);
    parse(text(3), "openmetrics", parser);
    expect(parser.takeNotes()).toEqual([]);
  });

  it("tells several summaries in one note", () => {
    const parser = new ExpositionParser();
    const names = ["a", "b", "c", "d"];
    parse(names.map((name) => `# TYPE ${name} summary\n${name}_sum 1\n`).join(""), "text", parser);
    const notes = parser.takeNotes();
    expect(notes.map(({ families }) => families)).toEqual([names]);
    expect(notes[0]?.message).toMatch(/^4 summaries are left out \(a, b, c and 1 more\): /);
  });

  it("leaves samples out that a histogram cannot have, with a note", () => {
    const parser = new ExpositionParser();
    const text = '# TYPE h histogram\nh 1\nh_bucket 2\nh_bucket{le="x"} 3\nh_bucket{le="1"} 4\n';
    expect(sampleLines(parse(text, "text", parser))).toEqual(["histogram h le 1 4"]);
    expect(parser.takeNotes().flatMap(({ families }) => families)).toEqual(["h", "h"]);
  });

  it("asks once per family which ones to keep, under their exported names", () => {
    const asked: string[] = [];
    const parser = new ExpositionParser({
      keepFamily: (name) => {
        asked.push(name);
        return name !== "b" && name !== "s";
      },
    });
    const text =
      '# TYPE a_total counter\na_total 1\na_total{x="1"} 2\n# TYPE b gauge\nb 1\n# TYPE s summary\ns_sum 1\n';
    expect(sampleLines(parse(text, "text", parser))).toEqual(["counter a value 1", 'counter a{x="1"} value 2']);
    parse(text.replace("b 1", "b 2"), "text", parser);
    expect(asked).toEqual(["a", "b", "s"]);
    expect(parser.takeNotes()).toEqual([]);
  });

  it("keeps description and declared unit, unescaped, wherever the metadata stands", () => {
    const { defs } = parse('# HELP a_total a \\\\ b\\nc \\"d\\"\n# TYPE a_total counter\na_total 1\n');
    expect(defs[0]?.family).toEqual({
      name: "a",
      type: "counter",
      description: 'a \\ b\nc \\"d\\"',
      exposedName: "a_total",
    });
    const late = parse(
      'a_seconds 1\n# UNIT a_seconds seconds\n# HELP a_seconds say \\"hi\\"\n# TYPE a_seconds gauge\n# EOF\n',
      "openmetrics",
    );
    expect(late.defs[0]?.family).toEqual({
      name: "a_seconds",
      type: "gauge",
      description: 'say "hi"',
      declaredUnit: "seconds",
    });
  });
});

describe("labels of an exposition", () => {
  it("sorts labels, takes le out of a bucket alone, and keeps the bound as written", () => {
    const { defs } = parse(
      '# TYPE h histogram\nh_bucket{z="1",le="1e-3",b="2"} 1\nh_count{z="1",b="2"} 1\n# TYPE g gauge\ng{le="5",a=""} 1\n',
    );
    expect(defs.map(({ labels, part }) => ({ labels, part }))).toEqual([
      {
        labels: [
          ["b", "2"],
          ["z", "1"],
        ],
        part: { kind: "bucket", bound: "1e-3", upper: 0.001 },
      },
      {
        labels: [
          ["b", "2"],
          ["z", "1"],
        ],
        part: { kind: "count" },
      },
      {
        labels: [
          ["a", ""],
          ["le", "5"],
        ],
        part: { kind: "value" },
      },
    ]);
  });

  it("reads escapes, UTF-8 and punctuation in values", () => {
    const { defs } = parse('a{p="C:\\\\tmp\\\\\\"x\\"\\n",q="a,b}={ # ",u="ünïcødé ✓ 🚀",v="\\z"} 1\n');
    expect(defs[0]?.labels).toEqual([
      ["p", 'C:\\tmp\\"x"\n'],
      ["q", "a,b}={ # "],
      ["u", "ünïcødé ✓ 🚀"],
      ["v", "\\z"],
    ]);
  });

  it("reads quoted metric, family and label names", () => {
    const text = '# TYPE "my.metric" counter\n{"my.metric",a="b","c.d"="e"} 1\n{"two words"} 2\nplain{"ö"="1"} 3\n';
    expect(lines(text)).toEqual([
      'counter my.metric{a="b",c.d="e"} value 1',
      "unknown two words value 2",
      'unknown plain{ö="1"} value 3',
    ]);
  });

  it("delivers both of two lines with the same labels, the later one last", () => {
    const text = '# TYPE a gauge\na{x="1",y="2"} 1\na{y="2",x="1"} 0\na{x="1",y="2"} 3\n';
    expect(lines(text)).toEqual([
      'gauge a{x="1",y="2"} value 1',
      'gauge a{x="1",y="2"} value 0',
      'gauge a{x="1",y="2"} value 3',
    ]);
  });
});

describe("values of an exposition", () => {
  it("delivers what is not finite as it stands", () => {
    expect(lines("a NaN\nb +Inf\nc -Inf\nd inf\ne nan\nf Infinity\ng -0\nh 1e999\n")).toEqual([
      "unknown a value NaN",
      "unknown b value Infinity",
      "unknown c value -Infinity",
      "unknown d value Infinity",
      "unknown e value NaN",
      "unknown f value Infinity",
      "unknown g value -0",
      "unknown h value Infinity",
    ]);
  });

  it("ignores timestamps and exemplars", () => {
    expect(lines('a 1 1395066363000\nb{x="1"} 2 -1\n')).toEqual(["unknown a value 1", 'unknown b{x="1"} value 2']);
    const text =
      '# TYPE h histogram\nh_bucket{le="1"} 1 # {t="x"} 0.5 1.5e9\nh_bucket{le="+Inf"} 2 12.5 # {} 3\n# TYPE c counter\nc_total 5 # {a="b",c="d # "} 1\n# EOF\n';
    expect(lines(text, "openmetrics")).toEqual(["histogram h le 1 1", "histogram h le +Inf 2", "counter c value 5"]);
  });
});

describe("what servers get wrong and Prometheus takes", () => {
  it.each([
    ["blanks around tokens", ' \ta { x = "1" , y="2" , }\t 3 \n', ['unknown a{x="1",y="2"} value 3']],
    ["no blank after the brace", 'a{x="1"}3\n', ['unknown a{x="1"} value 3']],
    ["CR LF", '# TYPE a gauge\r\na 1\r\na{x="1"} 2 77\r\n\r\n', ["gauge a value 1", 'gauge a{x="1"} value 2']],
    ["no newline at the end", "a 1\nb 2", ["unknown a value 1", "unknown b value 2"]],
    [
      "comments and blank lines anywhere",
      "#\n\n# x\n#TYPE a gauge\n  # HELP a text\na 1\n\n# EOF\nb 2\n",
      ["gauge a value 1", "unknown b value 2"],
    ],
    ["empty braces", "a{} 1\n", ["unknown a value 1"]],
    ["metadata without samples", "# TYPE a gauge\n# HELP b text\n", []],
    ["HELP without text", "# HELP a\n# TYPE a gauge\na 1\n", ["gauge a value 1"]],
    ["nothing at all", "", []],
  ])("%s", (_, text, expected) => expect(lines(text)).toEqual(expected));
});

describe("scrape after scrape", () => {
  it("keeps ids, and adds definitions for what is new", () => {
    const parser = new ExpositionParser();
    const first = parse("# TYPE a gauge\na 1\nb 2\n", "text", parser);
    const ids = [...first.ids.subarray(0, first.length)];
    const second = parse("# TYPE a gauge\nnew 5\na 3\nb 4\n", "text", parser);
    expect(second.defs).toBe(first.defs);
    expect([...second.ids.subarray(1, second.length)]).toEqual(ids);
    expect(sampleLines(second)).toEqual(["unknown new value 5", "gauge a value 3", "unknown b value 4"]);
  });

  it("honours a change of type, description and labels, and a change back", () => {
    const parser = new ExpositionParser();
    const gauge = "# HELP a one\n# TYPE a gauge\na 1\n";
    expect(sampleLines(parse(gauge, "text", parser))).toEqual(["gauge a value 1"]);
    expect(sampleLines(parse("# HELP a one\n# TYPE a counter\na 2\n", "text", parser))).toEqual(["counter a value 2"]);
    expect(sampleLines(parse("a 3\n", "text", parser))).toEqual(["unknown a value 3"]);
    const described = parse("# HELP a two\n# TYPE a gauge\na 4\n", "text", parser);
    expect(described.defs[described.ids[0] ?? -1]?.family).toEqual({ name: "a", type: "gauge", description: "two" });
    const count = described.defs.length;
    const again = parse(gauge.replace("a 1", "a 5"), "text", parser);
    expect(sampleLines(again)).toEqual(["gauge a value 5"]);
    expect(again.defs[again.ids[0] ?? -1]?.family.description).toBe("one");
    expect(again.defs).toHaveLength(count);
  });

  it("parses the scrape after a bad one as if the bad one had not been", () => {
    const parser = new ExpositionParser();
    const good = (n: number) => `# TYPE a gauge\na{x="1"} ${n}\nb ${n}\nc ${n}\n`;
    parse(good(1), "text", parser);
    expect(() => parse(`# TYPE a counter\nb 9\na{x="1"} 9\nnew 9\nc nonsense\n`, "text", parser)).toThrow(
      "line 5, column 3",
    );
    const batch = parse(good(2), "text", parser);
    expect(sampleLines(batch)).toEqual(['gauge a{x="1"} value 2', "unknown b value 2", "unknown c value 2"]);
    expect([...batch.ids.subarray(0, 3)]).toEqual([0, 1, 2]);
  });

  it("changes from one format to the other and back", () => {
    const parser = new ExpositionParser();
    const text = '# HELP a \\"q\\"\n# TYPE a gauge\n# UNIT a b\na 1\n# EOF\n';
    const description = (format: ExpositionFormat) => {
      const batch = parse(text, format, parser);
      return batch.defs[batch.ids[0] ?? -1]?.family.description;
    };
    expect(
      ["text", "openmetrics", "text", "openmetrics"].map((format) => description(format as ExpositionFormat)),
    ).toEqual(['\\"q\\"', '"q"', '\\"q\\"', '"q"']);
    expect(parse(text, "text", parser).defs).toHaveLength(2);
  });
});

describe("a byte order mark", () => {
  it("is passed over, but not where the letter of the format counts", () => {
    expect(lines("\uFEFF# TYPE a gauge\na 1\n")).toEqual(["gauge a value 1"]);
    expect(lines("\uFEFFa 1\n")).toEqual(["unknown a value 1"]);
    const parser = new ExpositionParser();
    parse("\uFEFFa 1\n", "text", parser);
    expect(sampleLines(parse("\uFEFFa 2\n", "text", parser))).toEqual(["unknown a value 2"]);
    expect(() => parseDocument(new TextEncoder().encode("\uFEFFa 1\n"), "text", "strict")).toThrow(/byte order mark/);
  });
});
