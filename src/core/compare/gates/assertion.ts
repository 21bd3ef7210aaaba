import { RARE_STATISTICS, STATISTICS, type MetricType } from "../../model/index.js";

/** `[all:|any:] family[{label="value", …}] statistic < number`, taken apart. */
export interface Assertion {
  readonly text: string;
  /** Over the family's series that the selectors leave. */
  readonly over: "all" | "any";
  readonly family: string;
  readonly selectors: readonly LabelSelector[];
  /** As the artifacts spell it: "p99_estimate"; or "share_below", with its threshold. */
  readonly statistic: string;
  /** Of share_below, in the metric's unit. */
  readonly threshold?: number;
  readonly operator: Operator;
  readonly limit: number;
}

export interface LabelSelector {
  readonly label: string;
  readonly operator: "=" | "!=" | "=~" | "!~";
  readonly value: string;
}

export type Operator = "<" | "<=" | ">" | ">=" | "==" | "!=";

/** An assertion that cannot be read; the message points at the place. */
export class AssertionError extends Error {
  override readonly name = "AssertionError";
  /** The message in one line, without the text. */
  readonly what: string;

  constructor(
    text: string,
    /** From 0. */
    readonly position: number,
    what: string,
  ) {
    const line = `column ${position + 1}: ${what}`;
    super(`${line}\n  ${text}\n  ${" ".repeat(position)}^`);
    this.what = line;
  }
}

/** What an assertion can be about. */
export const ASSERTED: Readonly<Record<MetricType, readonly string[]>> = {
  gauge: [...STATISTICS.gauge, ...RARE_STATISTICS.gauge],
  unknown: [...STATISTICS.unknown, ...RARE_STATISTICS.unknown],
  counter: [...STATISTICS.counter, ...RARE_STATISTICS.counter, "increase"],
  histogram: [...STATISTICS.histogram, ...RARE_STATISTICS.histogram, "increase_count", "increase_sum", "share_below"],
};

/** @throws AssertionError naming the column, what was expected and what stands there */
export function parseAssertion(text: string): Assertion {
  const reader = new Reader(text);
  const over = reader.take(/(all|any)\s*:(?!:)/y)?.[1] === "any" ? "any" : "all";
  const family = reader.expect(/[a-zA-Z_:][a-zA-Z0-9_:]*/y, "a metric name")[0];
  const selectors = reader.take(/\{/y) === undefined ? [] : readSelectors(reader);
  const at = reader.position;
  const statistic = reader.expect(/[a-zA-Z_][a-zA-Z0-9_]*/y, "a statistic (such as avg, rate or p99_estimate)")[0];
  if (!Object.values(ASSERTED).some((known) => known.includes(statistic))) {
    const estimate = ASSERTED.histogram.find((known) => known === `${statistic}_estimate`);
    throw new AssertionError(
      text,
      at,
      `there is no statistic "${statistic}"${estimate === undefined ? `; there are ${[...new Set(Object.values(ASSERTED).flat())].join(", ")}` : `; did you mean ${estimate}`}.`,
    );
  }
  const threshold = statistic === "share_below" ? readThreshold(reader) : undefined;
  const operator = operatorOf(reader.expect(/<=|>=|==|!=|<|>/y, "one of < <= > >= == !=")[0]);
  const limit = readNumber(reader);
  reader.end();
  return {
    text: text.trim(),
    over,
    family,
    selectors,
    statistic,
    ...(threshold === undefined ? {} : { threshold }),
    operator,
    limit,
  };
}

function readThreshold(reader: Reader): number {
  reader.expect(/\(/y, "a threshold in the metric's unit, as in share_below(0.5)");
  const threshold = readNumber(reader);
  reader.expect(/\)/y, '")"');
  return threshold;
}

function readNumber(reader: Reader): number {
  return Number(reader.expect(/[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?/y, "a number")[0]);
}

function readSelectors(reader: Reader): LabelSelector[] {
  const selectors: LabelSelector[] = [];
  while (reader.take(/\}/y) === undefined) {
    if (selectors.length > 0) {
      reader.expect(/,/y, '"," or "}"');
      if (reader.take(/\}/y) !== undefined) break;
    }
    const label = reader.expect(/[a-zA-Z_][a-zA-Z0-9_]*/y, "a label name")[0];
    const operator = reader.expect(/=~|!~|!=|=/y, "one of = != =~ !~")[0];
    const at = reader.position;
    const value = reader.expect(/"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'/y, "a value in quotes");
    const unescaped = (value[1] ?? value[2] ?? "").replace(/\\(.)/g, (_, character: string) =>
      character === "n" ? "\n" : character,
    );
    if (operator.endsWith("~")) requirePattern(reader.text, at, unescaped);
    selectors.push({
      label,
      operator: operator === "=~" || operator === "!~" || operator === "!=" ? operator : "=",
      value: unescaped,
    });
  }
  return selectors;
}

/** What RE2 lacks: with it, matching can take time without bound. */
const NOT_LINEAR = /\(\?<?[=!]|\\[1-9]|\\k</;

function requirePattern(text: string, position: number, pattern: string): void {
  if (NOT_LINEAR.test(pattern))
    throw new AssertionError(
      text,
      position,
      "the pattern cannot be read: RE2 has no lookaround and no backreferences.",
    );
  try {
    new RegExp(pattern);
  } catch (error) {
    throw new AssertionError(
      text,
      position,
      `the pattern cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
}

function operatorOf(text: string): Operator {
  return text === "<=" || text === ">=" || text === "==" || text === "!=" || text === ">" ? text : "<";
}

/** Takes tokens off a text, past the white space before them. */
class Reader {
  position = 0;

  constructor(readonly text: string) {
    this.skip();
  }

  take(token: RegExp): RegExpExecArray | undefined {
    token.lastIndex = this.position;
    const match = token.exec(this.text);
    if (match === null) return undefined;
    this.position += match[0].length;
    this.skip();
    return match;
  }

  expect(token: RegExp, what: string): RegExpExecArray {
    const match = this.take(token);
    if (match === undefined)
      throw new AssertionError(this.text, this.position, `expected ${what}, but ${this.here()}.`);
    return match;
  }

  end(): void {
    if (this.position < this.text.length)
      throw new AssertionError(this.text, this.position, `expected the end, but ${this.here()}.`);
  }

  private here(): string {
    const rest = /\S+/.exec(this.text.slice(this.position))?.[0];
    return rest === undefined ? "the text ends here" : `there is "${rest}"`;
  }

  private skip(): void {
    while (/\s/.test(this.text[this.position] ?? "")) this.position++;
  }
}
