/** Words that are written in capitals. */
const ACRONYMS: ReadonlySet<string> = new Set(
  "api cpu d2d d2h dcgm e2e fb fds gpu h2d http id kv kvbm sm ttft url uuid vllm xid".split(" "),
);

/** "vllm:kv_cache_usage_perc" → "VLLM | KV Cache Usage Perc". */
export function displayNameOf(name: string): string {
  return name
    .split(":")
    .map((part) =>
      part
        .split("_")
        .filter((word) => word !== "")
        .map(capitalize)
        .join(" "),
    )
    .join(" | ");
}

function capitalize(word: string): string {
  const lower = word.toLowerCase();
  return ACRONYMS.has(lower) ? lower.toUpperCase() : lower.charAt(0).toUpperCase() + lower.slice(1);
}

/** A title within a sentence: "requests running", but "KV cache usage" and "GPU memory in use". */
export function inSentence(title: string): string {
  return /^\p{Lu}[\p{Ll} ]/u.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title;
}

/** How a unit is shown: its symbol, and the steps by which a value of it is scaled to be read. */
export interface DisplayUnit {
  /** "" for a plain number. */
  readonly symbol: string;
  /**
   * Ascending; the largest step whose `from` ≤ |value| applies, below all of them the first. Shown value = value /
   * divisor.
   */
  readonly steps: readonly { readonly from: number; readonly divisor: number; readonly symbol: string }[];
}

/** A number apart from its unit, so that both can be set differently. */
export interface FormattedValue {
  readonly number: string;
  /** "" when there is none. */
  readonly unit: string;
}

const plain = (symbol: string): DisplayUnit => ({ symbol, steps: [{ from: 0, divisor: 1, symbol }] });

/**
 * The units of a quantity with their symbols, each `power` of the one before: values are shown in what suits them.
 * @param per what ends all of them
 */
function ladder(power: number, units: Readonly<Record<string, string>>, per = ""): readonly [string, DisplayUnit][] {
  const rungs = Object.entries(units).map(([unit, symbol]) => [unit + per, symbol + per] as const);
  return rungs.map(([unit, symbol], at) => {
    const steps = rungs
      .slice(at)
      .map(([, name], i) => ({ from: i === 0 ? 0 : power ** i, divisor: power ** i, symbol: name }));
    return [unit, { symbol, steps }];
  });
}

/**
 * From nanoseconds up; `base` seconds is one of the unit. Minutes only from ten on: a latency of "123 s" is read beside
 * one of "65 s", "2.05 min" is not.
 */
function time(base: number, symbol: string): DisplayUnit {
  const seconds = [
    [0, 1e-9, "ns"],
    [1e-6, 1e-6, "µs"],
    [1e-3, 1e-3, "ms"],
    [1, 1, "s"],
    [600, 60, "min"],
    [7200, 3600, "h"],
  ] as const;
  return {
    symbol,
    steps: seconds.map(([from, divisor, name]) => ({ from: from / base, divisor: divisor / base, symbol: name })),
  };
}

/** Whether values of a unit are lengths of time. */
export function isDuration(unit: string | undefined): boolean {
  return displayUnit(unit).steps[0]?.symbol === "ns";
}

const UNITS: ReadonlyMap<string, DisplayUnit> = new Map<string, DisplayUnit>([
  ["seconds", time(1, "s")],
  ["milliseconds", time(1e-3, "ms")],
  ["microseconds", time(1e-6, "µs")],
  ["nanoseconds", time(1e-9, "ns")],
  ["minutes", { symbol: "min", steps: [...plain("min").steps, { from: 120, divisor: 60, symbol: "h" }] }],
  ["hours", plain("h")],
  ...["", "/s"].flatMap((per) => [
    ...ladder(
      1024,
      { bytes: "B", kibibytes: "KiB", mebibytes: "MiB", gibibytes: "GiB", tebibytes: "TiB", pebibytes: "PiB" },
      per,
    ),
    ...ladder(1000, { kilobytes: "KB", megabytes: "MB", gigabytes: "GB", terabytes: "TB", petabytes: "PB" }, per),
  ]),
  ...ladder(1000, { "mb/s": "MB/s", "gb/s": "GB/s" }),
  ["ratio", { symbol: "%", steps: [{ from: 0, divisor: 0.01, symbol: "%" }] }],
  ["percent", plain("%")],
  ["celsius", plain("°C")],
  ["fahrenheit", plain("°F")],
  ["kelvin", plain("K")],
  ...ladder(1000, { hertz: "Hz", kilohertz: "kHz", megahertz: "MHz", gigahertz: "GHz" }),
  ...ladder(1000, { milliwatt: "mW", watt: "W" }),
  ...ladder(1000, {
    microjoule: "µJ",
    millijoule: "mJ",
    joule: "J",
    kilojoule: "kJ",
    megajoule: "MJ",
    gigajoule: "GJ",
  }),
  ...ladder(1000, { "millijoule/s": "mW", "joule/s": "W", "kilojoule/s": "kW" }),
  // Time spent per second: a share of time, or how many did it at once.
  ...ladder(1000, { "nanoseconds/s": "ns/s", "microseconds/s": "µs/s", "milliseconds/s": "ms/s", "seconds/s": "s/s" }),
  // Shown as a date; see splitValue.
  ["timestamp", plain("")],
  ["count", plain("")],
  ["count/s", plain("/s")],
  ["/s", plain("/s")],
]);

/**
 * Symbol and scaling of a unit as the artifacts spell it, or of its rate ("tokens/s"); an unknown one is shown as it
 * stands.
 */
export function displayUnit(unit: string | undefined): DisplayUnit {
  return unit === undefined ? plain("") : (UNITS.get(unit) ?? plain(unit));
}

/**
 * A value as a person reads it, number and unit apart. Large plain numbers carry k, M or G before their unit.
 * @param digits significant digits of a fraction; whole numbers below 10,000 are always shown whole
 */
export function splitValue(value: number, unit: string | undefined, digits = 3): FormattedValue {
  if (Number.isNaN(value)) return { number: "–", unit: "" };
  if (unit === "timestamp" && Math.abs(value) < LAST_DATE_SECONDS) return dateOf(value);
  if (value < 0) {
    const size = splitValue(-value, unit, digits);
    return { ...size, number: `−${size.number}` };
  }
  if (value === Infinity) return { number: "∞", unit: "" };
  const { symbol, steps } = displayUnit(unit);
  if (value === 0) return { number: "0", unit: symbol };
  if (steps.length === 1 && steps[0]?.divisor === 1) return { number: scaled(value, digits), unit: symbol };
  const [first] = steps;
  if (first === undefined) return { number: scaled(value, digits), unit: symbol };
  // Rounded first: 0.9999 s is "1 s", not "1,000 ms". In the step's own terms too, since 1 GiB is no round number.
  const rounded = (size: number) => Number(size.toPrecision(Math.max(3, digits)));
  const step = steps.findLast(({ from }) => from <= rounded(value) || rounded(value / from) >= 1) ?? first;
  // No prefix makes it readable: what it is then of the unit itself.
  if (value / step.divisor >= BEYOND_PREFIXES) return { number: exponential(value, digits), unit: symbol };
  return { number: significant(value / step.divisor, digits), unit: step.symbol };
}

/** As many of the greatest step, or of anything, are said by their power of ten. */
const BEYOND_PREFIXES = 1e15;

/** "1.7e308". */
function exponential(value: number, digits: number): string {
  return Number(value.toPrecision(digits)).toExponential().replace("e+", "e");
}

/** Beyond it a Date has no value. */
const LAST_DATE_SECONDS = 8.64e12;

/** Seconds since the epoch as a date: "2026-11-22 09:13:26", "UTC". */
function dateOf(seconds: number): FormattedValue {
  return {
    number: new Date(seconds * 1000)
      .toISOString()
      .replace("T", " ")
      .replace(/\.\d+Z$/, ""),
    unit: "UTC",
  };
}

/** What a scrape took: below 0.1 ms nothing waited, and digits would only be those of the clock. */
export function scrapeTimeText(milliseconds: number): string {
  return milliseconds < 0.1 ? "less than 0.1 ms" : formatValue(milliseconds / 1000, "seconds");
}

/** The unit beside a number that is read as a sentence: "1 request", where `splitValue` names the unit itself. */
export function unitBeside({ number, unit }: FormattedValue): string {
  return number === "1" && /^[a-z]{4,}s$/.test(unit) && !/(?:ss|us|is|series)$/.test(unit) ? unit.slice(0, -1) : unit;
}

/** `splitValue` in one text: "12.3 ms", "45 %", "3.2 GiB", "1.2 k tokens/s"; "–" for NaN. */
export function formatValue(value: number, unit: string | undefined, digits = 3): string {
  const split = splitValue(value, unit, digits);
  const { number } = split;
  const symbol = unitBeside(split);
  return symbol === "" ? number : symbol.startsWith("/") ? number + symbol : `${number} ${symbol}`;
}

const PREFIXES = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e4, "k"],
] as const;

function scaled(value: number, digits: number): string {
  const size = Math.abs(value);
  if (size >= BEYOND_PREFIXES) return exponential(value, digits);
  const prefix = PREFIXES.find(([from]) => size >= from);
  if (prefix === undefined) return significant(value, digits);
  const [from, letter] = prefix;
  return `${significant(value / (letter === "k" ? 1e3 : from), digits)} ${letter}`;
}

/** "1,234" of 1234. By hand: making an `Intl.NumberFormat` takes 10 ms, a third of what the extension's start took. */
function grouped(whole: number): string {
  const digits = String(Math.abs(whole));
  let text = digits.slice(-3);
  for (let end = digits.length - 3; end > 0; end -= 3) text = `${digits.slice(Math.max(0, end - 3), end)},${text}`;
  return whole < 0 ? `-${text}` : text;
}

function significant(value: number, digits: number): string {
  const size = Math.abs(value);
  if (size >= BEYOND_PREFIXES) return exponential(value, digits);
  if (Number.isInteger(value) || size >= 10 ** (digits - 1)) return grouped(Math.round(value));
  if (size < 1e-3) return value.toExponential(digits - 1);
  return String(Number(value.toPrecision(digits)));
}

/**
 * Unit of a statistic of a family, by the statistic's key as the artifacts spell it.
 * @param unit the family's; undefined or "count" for a plain number
 */
export function statisticUnit(key: string, unit: string | undefined): string | undefined {
  if (key === "count" || key === "gaps" || key === "resets" || key === "increase_count") return undefined;
  if (key.startsWith("share_below")) return "ratio";
  if (key === "count_rate") return "/s";
  if (key.startsWith("rate") || key === "sum_rate") return rateUnit(unit);
  // How far times of day lie apart is a duration.
  return unit === "timestamp" && key === "std" ? "seconds" : unit;
}

/** Unit of a counter's increase per second. */
export function rateUnit(unit: string | undefined): string {
  return unit === undefined || unit === "count" ? "/s" : `${unit}/s`;
}

/** "98.1 %"; never rounded up to all of them. */
export function attainedText(share: number): string {
  if (Number.isNaN(share)) return "-";
  const rounded = Number((100 * share).toFixed(1));
  return rounded === 100 && share < 1 ? "> 99.9 %" : `${rounded} %`;
}

/** "share ≤ 500 ms": what an objective's statistic is called beside its metric. @param unit of the metric */
export function objectiveText(threshold: number, unit: string | undefined): string {
  return `share ≤ ${formatValue(threshold, unit)}`;
}
