import type { LoggedScrape } from "./generated-log.js";

/*
 * What a run's numbers are, from the text that was scraped: written apart from the product, of which it uses nothing.
 */

export interface Recomputed {
  readonly family: string;
  readonly url: string;
  /** By name, without `le`. */
  readonly labels: Readonly<Record<string, string>>;
  readonly type: string;
  /** It restarted, or was born during the run: the file of AIPerf's rules alone, the CSV, has other numbers of it. */
  readonly adjusted: boolean;
  /** By the names that views have for them: of what has been counted, the increase across restarts. */
  readonly statistics: Readonly<Record<string, number>>;
}

interface Sample {
  readonly time: bigint;
  readonly value: number;
}

interface Series {
  readonly family: string;
  readonly url: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly type: string;
  /** By part: "" of a scalar, else sum or count. */
  readonly parts: Map<string, Sample[]>;
}

/**
 * Every series of a log over the window [start, end], which runs on to an endpoint's last change as a recorded window
 * does.
 */
export function recompute(scrapes: readonly LoggedScrape[], start: bigint, end: bigint): Recomputed[] {
  const urls = [...new Set(scrapes.map(({ url }) => url))];
  const runStart = scrapes[0]?.time ?? start;
  return urls.flatMap((own) =>
    ofEndpoint(
      scrapes.filter(({ url }) => url === own),
      start,
      end,
      runStart,
    ),
  );
}

function ofEndpoint(scrapes: readonly LoggedScrape[], start: bigint, end: bigint, runStart: bigint): Recomputed[] {
  const answered = scrapes.filter(({ status }) => status === 200);
  const changes = answered.filter(({ body }, i) => body !== answered[i - 1]?.body);
  const last = changes.at(-1)?.time ?? end;
  const until = last > end ? last : end;
  const all = new Map<string, Series>();
  for (const scrape of answered) read(scrape, all);
  const created = createdIn(answered[0]?.body ?? "");
  const born = new Set<Series>();
  for (const series of all.values())
    if (series.type === "counter" || series.type === "histogram")
      for (const samples of series.parts.values())
        if (beginAtZero(samples, answered, start, created.get(series.family) ?? 0n, runStart)) born.add(series);
  return [...all.values()].flatMap((series) => {
    const found = statisticsOf(series, start, until);
    const { family, url, labels, type } = series;
    if (found === undefined) return [];
    return [{ family, url, labels, type, statistics: found.statistics, adjusted: found.restarted || born.has(series) }];
  });
}

/** When families were created, by their names as exported; here they are the same for all series of one. */
function createdIn(body: string): ReadonlyMap<string, bigint> {
  const found = body.matchAll(/^([\w:]+)_created(?:\{.*\})? (\S+)$/gm);
  return new Map(Array.from(found, ([, name = "", seconds]) => [name, BigInt(Math.round(Number(seconds) * 1e9))]));
}

/**
 * What an earlier scrape that succeeded lacked stood at 0 then; where none did, what was created after the run's
 * start. Returns whether that is inside the window.
 */
function beginAtZero(
  samples: Sample[],
  answered: readonly LoggedScrape[],
  start: bigint,
  created: bigint,
  runStart: bigint,
): boolean {
  const [first] = samples;
  if (first === undefined) return false;
  const lacking = answered.flatMap(({ time }) => (time < first.time ? [time] : []));
  if (lacking.length === 0 && created > runStart && created < first.time) lacking.push(created);
  samples.unshift(...lacking.map((time) => ({ time, value: 0 })));
  return lacking.length > 0 && first.time > start;
}

function read({ body, time, url }: LoggedScrape, all: Map<string, Series>): void {
  const types = new Map<string, string>();
  for (const line of body.split("\n")) {
    const [, name = "", type = ""] = /^# TYPE (\S+) (\S+)/.exec(line) ?? [];
    if (name !== "") types.set(name, type);
    const [, sample, text = "", number = ""] = /^([\w:]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (sample === undefined) continue;
    const labels: Record<string, string> = {};
    for (const [, label = "", value = ""] of text.matchAll(/(\w+)="([^"]*)"/g)) labels[label] = value;
    const [, base = sample, part = ""] = /^(.*)_(bucket|sum|count)$/.exec(sample) ?? [];
    const isHistogram = types.get(base) === "histogram";
    if (isHistogram && part === "bucket") continue;
    const exposed = isHistogram ? base : sample;
    const kind = types.get(exposed) ?? "unknown";
    if (types.get(base) === "summary" || kind === "summary") continue;
    const family = kind === "counter" ? exposed.replace(/_total$/, "") : exposed;
    const key = [family, ...Object.entries(labels).map((pair) => pair.join("="))].join(" ");
    if (exposed.endsWith("_created")) continue;
    const series = all.get(key) ?? { family, url, labels, type: kind, parts: new Map<string, Sample[]>() };
    all.set(key, series);
    const samples = series.parts.get(isHistogram ? part : "") ?? [];
    series.parts.set(isHistogram ? part : "", samples);
    samples.push({ time, value: Number(number) });
  }
}

type Found = Pick<Recomputed, "statistics"> & { readonly restarted: boolean };

function statisticsOf({ type, parts }: Series, start: bigint, end: bigint): Found | undefined {
  if (type === "histogram") {
    const count = counted(parts.get("count") ?? [], start, end);
    const sum = counted(parts.get("sum") ?? [], start, end);
    if (count === undefined || sum === undefined) return undefined;
    const { restarted, seconds } = count;
    const rates = { count_rate: count.increase / seconds, sum_rate: sum.increase / seconds };
    const counts = { count: count.increase, sum: sum.increase, avg: sum.increase / count.increase, ...rates };
    return { restarted, statistics: count.increase === 0 ? { count: 0 } : counts };
  }
  const samples = parts.get("") ?? [];
  if (type === "counter") {
    const found = counted(samples, start, end);
    if (found === undefined) return undefined;
    const { increase, seconds, restarted } = found;
    return { restarted, statistics: { total: increase, rate: seconds === 0 ? 0 : increase / seconds } };
  }
  const inside = samples.filter(({ time, value }) => time >= start && time <= end && Number.isFinite(value));
  if (inside.length === 0) return undefined;
  const values = inside.map(({ value }) => value);
  const avg = values.reduce((all, value) => all + value, 0) / values.length;
  return { restarted: false, statistics: { avg, min: Math.min(...values), max: Math.max(...values) } };
}

/** What a counter rose by, over how long: a fall is a restart, after which it counts from 0 again. */
function counted(samples: readonly Sample[], start: bigint, end: bigint) {
  const inside = samples.filter(({ time }) => time >= start && time <= end);
  const [first] = inside;
  const last = inside.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const before = samples.filter(({ time }) => time < start).at(-1);
  let increase = 0;
  let restarted = false;
  let previous = before?.value ?? first.value;
  for (const { value } of inside) {
    restarted ||= value < previous;
    increase += value < previous ? value : value - previous;
    previous = value;
  }
  return { increase, restarted, seconds: Number(last.time - (before ?? first).time) / 1e9 };
}
