import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { SampleBatch, SampleDef } from "../../../../src/core/model/index.js";
import { ExpositionParser, ParseError, type ExpositionFormat } from "../../../../src/core/exposition/index.js";
import { Tokenizer } from "../../../../src/core/exposition/tokenizer.js";
import { seededRandom } from "../../../support/random.js";

/** All that a batch means, in its order. */
function meaning({ defs, ids, values, length }: SampleBatch): unknown[] {
  return Array.from({ length }, (_, i) => [defs[ids[i]!], values[i]]);
}

function outcome(
  parser: ExpositionParser,
  body: Uint8Array,
  format: ExpositionFormat,
  seen: SampleDef[] = [],
): unknown {
  try {
    const batch = parser.parse(body, format);
    // What an id meant once it means for ever.
    expect(seen.every((def, id) => batch.defs[id] === def)).toBe(true);
    seen.splice(0, seen.length, ...batch.defs);
    return meaning(batch);
  } catch (error) {
    if (error instanceof ParseError) return error.message;
    throw error;
  }
}

type Random = () => number;
const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)]!;

const TYPES = ["counter", "gauge", "histogram", "summary", "untyped", "info", "gaugehistogram"];
const NAMES = ["a", "a_total", "long_family_name_of_more_than_sixteen_bytes", "h", "h_sum", "x_created", "b_info"];
const GARBAGE = ["garbage here", "a{", "a 1 2 3", "# TYPE a nonsense", "{}", 'a{x="1" 2', 'new_series{y="1"} 1\nb x'];
const SUFFIXES = ["", "", "_total", "_bucket", "_sum", "_count", "_created", "_info"];
const LABELS = [
  "",
  "{}",
  '{x="1"}',
  '{x="2",y="ü"}',
  '{y="ü",x="2"}',
  '{le="1"}',
  '{le="+Inf"}',
  '{engine="0",model_name="meta-llama/Llama-3.1-8B-Instruct",le="0.5"}',
  '{p="\\"\\\\"}',
  '{le="1",x="1"}',
  '{x="1",le="1"}',
  '{x="1",le="2"}',
  '{x="1",le="2",le="1"}',
  '{x="1",le="2",y="ü"}',
];

/** Blanks beside a comma, as many in all. */
const SPACED = ['{x="1" ,le="2"}', '{x="1", le="2"}'];

/** What the buckets of a histogram have in common. */
const BUCKET_HEADS = [
  "h_bucket",
  'h_bucket{engine="0"',
  'h_bucket{engine="0",model_name="meta-llama/Llama-3.1-8B-Instruct"',
  'g_bucket{engine="0",model_name="meta-llama/Llama-3.1-8B-Instruct"',
  '{"h_bucket",engine="0"',
  '{engine="0"',
];
const BOUND_LISTS = [
  ["1", "2", "4", "+Inf"],
  ["1", "2", "3", "4", "+Inf"],
  ["1", "x", "+Inf"],
];

/** The buckets of a histogram as most servers write them; now and then one is written otherwise, or wrongly. */
function bucketLines(random: Random): string[] {
  const head = pick(random, BUCKET_HEADS);
  const first = head.startsWith("{e") ? ',"h_bucket",' : head.includes("{") ? "," : "{";
  return pick(random, BOUND_LISTS).map((le) => {
    const usual = `${first}le="${le}"}`;
    const tails = [`{le="${le}"}`, ` ,le="${le}",}`, `${usual} `, `,"g_bucket",le="${le}"}`, `,le="${le}",le="2"}`];
    return `${head}${random() < 0.95 ? usual : pick(random, tails)} ${randomValue(random)}`;
  });
}

function randomValue(random: Random): string {
  return pick(random, [
    "0",
    "1",
    "1.0",
    "12",
    "-3.5",
    "1e3",
    "NaN",
    "+Inf",
    "0.3795613171844524",
    String(Math.floor(random() * 1e6)),
    "7 1395066363000",
    "8 ",
  ]);
}

function randomLine(random: Random): string {
  const roll = random();
  if (roll < 0.06) return `# TYPE ${pick(random, NAMES)} ${pick(random, TYPES)}`;
  if (roll < 0.1) return `# HELP ${pick(random, NAMES)} ${pick(random, ["one", "two", ""])}`;
  if (roll < 0.12) return pick(random, ["", "# a comment", "# another comment", "#"]);
  return `${pick(random, NAMES)}${pick(random, SUFFIXES)}${pick(random, LABELS)} ${randomValue(random)}`;
}

/** The next scrape: mostly values that move, and now and then lines that come, go, change places or stand twice. */
function mutate(random: Random, lines: readonly string[]): string[] {
  const next = lines.map((line) =>
    random() < 0.3 && !line.startsWith("#")
      ? line.replace(/^(\S+) .*$/, (_, series: string) => `${series} ${randomValue(random)}`)
      : line,
  );
  const calm = random() < 0.4;
  for (let i = calm ? 0 : 1 + Math.floor(random() * 4); i > 0; i--) {
    const at = Math.floor(random() * (next.length + 1));
    const count = 1 + Math.floor(random() * 6);
    const kind = Math.floor(random() * 4);
    if (kind === 0) next.splice(at, count);
    else if (kind === 1) next.splice(at, 0, ...Array.from({ length: count }, () => randomLine(random)));
    else if (kind === 2) next.splice(Math.floor(random() * (next.length + 1)), 0, ...next.splice(at, count));
    else next.splice(at, 0, ...next.slice(at, at + count));
  }
  return next;
}

describe("a scrape means the same whatever was scraped before it", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])("random scrapes, seed %i", (seed) => {
    const random = seededRandom(seed);
    const warm = new ExpositionParser();
    const seen: SampleDef[] = [];
    const ends = { good: 0, bad: 0 };
    const original = Array.from({ length: 60 }, () => randomLine(random)).filter(
      (line) => typeof outcome(new ExpositionParser(), new TextEncoder().encode(line), "text") !== "string",
    );
    let lines: readonly string[] = original;
    for (let scrape = 0; scrape < 250; scrape++) {
      if (random() < 0.05) lines = original;
      const mutated = mutate(random, lines);
      if (random() < 0.08) mutated.splice(Math.floor(random() * mutated.length), 0, pick(random, GARBAGE));
      const format: ExpositionFormat = random() < 0.05 ? "openmetrics" : "text";
      const body = new TextEncoder().encode(
        mutated.join("\n") + (format === "openmetrics" ? "\n# EOF\n" : random() < 0.1 ? "" : "\n"),
      );
      const expected = outcome(new ExpositionParser(), body, format);
      const result = outcome(warm, body, format, seen);
      expect(result).toEqual(expected);
      if (typeof result === "string") ends.bad++;
      else {
        ends.good++;
        lines = mutated;
      }
    }
    expect(ends.good).toBeGreaterThan(100);
    expect(ends.bad).toBeGreaterThan(5);
  });

  it("lines in every second scrape only, before, between and behind the others", () => {
    const random = seededRandom(99);
    const warm = new ExpositionParser();
    for (let scrape = 0; scrape < 20; scrape++) {
      const created = (name: string) =>
        scrape % 2 === 0 ? [`# TYPE ${name}_created gauge`, `${name}_created{x="1"} 1.7e9`] : [];
      const family = (name: string) => [
        `# HELP ${name}_total Jobs.`,
        `# TYPE ${name}_total counter`,
        `${name}_total{x="1"} ${Math.floor(random() * 1e5)}`,
      ];
      const lines = [...created("a"), ...family("a"), ...family("b"), ...created("b"), ...family("c"), ...created("c")];
      const body = new TextEncoder().encode(`${lines.join("\n")}\n`);
      const batch = warm.parse(body, "text");
      expect(meaning(batch)).toEqual(outcome(new ExpositionParser(), body, "text"));
      expect([...batch.ids.subarray(0, batch.length)]).toEqual([0, 1, 2]);
    }
  });

  it("a line is known again whatever stands before it", () => {
    const random = seededRandom(14);
    const names = ["a", "h_bucket", "h_sum", "long_family_name_of_more_than_sixteen_bytes"];
    const lines = names.flatMap((name) => [...LABELS, ...SPACED].map((labels) => `${name}${labels}`));
    const parser = new ExpositionParser();
    const first = parser.parse(new TextEncoder().encode(`# TYPE h histogram\n${lines.join(" 1\n")} 1\n`), "text");
    const known = first.defs.length;
    for (let round = 0; round < 50; round++) {
      const shuffled = [...lines].sort(() => random() - 0.5);
      const body = new TextEncoder().encode(`# TYPE h histogram\n${shuffled.join(" 2\n")} 2\n`);
      expect(parser.parse(body, "text").defs).toHaveLength(known);
    }
  });

  it.each([1, 2])("each bucket reads as if it stood alone, seed %i", (seed) => {
    const random = seededRandom(seed);
    const read = (lines: readonly string[]) => {
      const text = ["# TYPE h histogram", "# TYPE g histogram", ...lines, ""].join("\n");
      return outcome(new ExpositionParser(), new TextEncoder().encode(text), "text");
    };
    const ends = { good: 0, bad: 0 };
    for (let scrape = 0; scrape < 150; scrape++) {
      const lines = Array.from({ length: 5 }, () => bucketLines(random)).flat();
      const alone = lines.map((line) => read([line]));
      const amiss = alone.findIndex((each) => typeof each === "string");
      if (amiss < 0) expect(read(lines)).toEqual(alone.flat());
      else expect(read(lines)).toBe(String(alone[amiss]).replace("line 3", `line ${amiss + 3}`));
      ends[amiss < 0 ? "good" : "bad"]++;
    }
    expect(ends.good).toBeGreaterThan(40);
    expect(ends.bad).toBeGreaterThan(20);
  });

  it.each(["with WebAssembly", "without WebAssembly"])("parsers in turns, of few lines and of many, %s", (how) => {
    onTestFinished(() => void vi.unstubAllGlobals());
    if (how === "without WebAssembly") vi.stubGlobal("WebAssembly", undefined);
    const random = seededRandom(5);
    const endpoints = [3, 40, 600].map((count) => ({
      parser: new ExpositionParser(),
      lines: Array.from({ length: count }, (_, i) => `${pick(random, NAMES)}_${i}${pick(random, LABELS)} 1`),
    }));
    for (let scrape = 0; scrape < 40; scrape++) {
      const endpoint = pick(random, endpoints);
      endpoint.lines = mutate(random, endpoint.lines);
      const body = new TextEncoder().encode(`${endpoint.lines.join("\n")}\n`);
      expect(outcome(endpoint.parser, body, "text")).toEqual(outcome(new ExpositionParser(), body, "text"));
    }
  });

  it("numbers are rounded as Number() does", () => {
    const random = seededRandom(7);
    const digits = (count: number) => Array.from({ length: count }, () => Math.floor(random() * 10)).join("");
    const below = (limit: number) => Math.floor(random() * limit);
    const halfway = () => (2n ** 53n + BigInt(below(2 ** 31))) * 2n + 1n;
    const kinds = [
      () => digits(1 + below(24)),
      () => `-${digits(below(20))}.${digits(1 + below(22))}`,
      () => `${digits(1 + below(8))}.0`,
      () => `${digits(1)}.${digits(1 + below(17))}e${pick(random, ["", "+", "-"])}${below(45)}`,
      () => `${digits(17 + below(3))}e${below(90) - 45}`,
      () => `0.${"0".repeat(below(12))}${digits(1 + below(18))}`,
      () => String(random() * 10 ** (below(60) - 30)),
      () => String(below(1e6) / 2 ** below(12)),
      () => String(halfway() << BigInt(below(10))),
      () => String(halfway() * 5n ** 7n).replace(/.{7}$/, ".$&"),
      () =>
        pick(random, ["0", "-0", "0.0e-30", "-0.00", "5.", ".5", "1e22", "1e23", "9007199254740993", "1E5", "1e-007"]),
      () => pick(random, ["18446744073709551615", "18446744073709551616", "9999999999999999999", "1e999", "1e-999"]),
      () => pick(random, ["NaN", "nan", "Infinity", "-Infinity", "+7"]),
    ];
    const parser = new ExpositionParser();
    const read = (texts: readonly string[]) =>
      parser.parse(new TextEncoder().encode(texts.map((text, i) => `a_${i} ${text}\n`).join("")), "text");
    read(Array.from({ length: 1000 }, () => "1"));
    for (let scrape = 0; scrape < 20; scrape++) {
      const texts = Array.from({ length: 1000 }, () => pick(random, kinds)());
      const { values, length } = read(texts);
      const wrong = texts.flatMap((text, i) => (Object.is(values[i], Number(text)) ? [] : [`${text}: ${values[i]}`]));
      expect([length, wrong]).toEqual([1000, []]);
    }
  });

  it("a last line that was much longer", () => {
    const warm = new ExpositionParser();
    const body = (tail: string) => new TextEncoder().encode(`a_series_of_some_length{x="1"} 1${tail}\n`);
    for (const tail of [` # {trace="${"t".repeat(2000)}"} 1`, "", ` ${"0".repeat(3000)}1`, ""]) {
      expect(meaning(warm.parse(body(tail), "text"))).toEqual(outcome(new ExpositionParser(), body(tail), "text"));
    }
  });

  it("only lines that were not expected are tokenized", () => {
    const scan = vi.spyOn(Tokenizer.prototype, "scan");
    const tokenized = (parser: ExpositionParser, lines: readonly string[]) => {
      scan.mockClear();
      parser.parse(new TextEncoder().encode(`${lines.join("\n")}\n`), "text");
      return scan.mock.calls.length;
    };
    const scrape = (value: number, left: readonly number[] = []) =>
      Array.from({ length: 300 }, (_, i) =>
        left.includes(i) ? [] : [`# TYPE family_${i} gauge`, `family_${i}{label="some value"} ${value}`],
      ).flat();
    const parser = new ExpositionParser();
    expect(tokenized(parser, scrape(1))).toBe(600);
    expect(tokenized(parser, scrape(1))).toBe(0);
    expect(tokenized(parser, scrape(23456.5))).toBe(0);
    // Gone: one look for where it goes on. Back again: each line that has come.
    expect(tokenized(parser, scrape(3, [10, 11, 200]))).toBe(2);
    expect(tokenized(parser, scrape(4))).toBe(6);
    expect(tokenized(parser, [...scrape(5).slice(100), ...scrape(5).slice(0, 100)])).toBe(2);
    expect(tokenized(parser, ["# a comment", ...scrape(6)])).toBe(1 + 2);
    scan.mockRestore();
  });
});
