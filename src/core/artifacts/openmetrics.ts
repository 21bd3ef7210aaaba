import { exposedName } from "../catalog/index.js";
import {
  escapedText,
  epochNs,
  formatLabels,
  runLabels,
  storedLabels,
  type EpochNs,
  type Family,
  type Labels,
  type SeriesId,
  type SeriesKey,
} from "../model/index.js";
import { getOrInsert } from "../math/index.js";
import type { Run } from "../store/index.js";

/**
 * A run as OpenMetrics text with timestamps, family by family: what `promtool tsdb create-blocks-from openmetrics`
 * makes blocks of. Series have the labels of a remote write. `promtool check metrics` is not for it: that command reads
 * one scrape in Prometheus' text format, where times are in milliseconds and nothing like `# EOF` has a meaning.
 * @param window samples outside are left out
 */
export function* openMetrics(run: Run, window?: { readonly start: EpochNs; readonly end: EpochNs }): Iterable<string> {
  const own = runLabels(run.metadata);
  const families = new Map<string, Exposed>();
  for (const key of run.store.seriesKeys()) {
    const { family } = key;
    const name = exposedName(family, "value");
    const id = `${family.type} ${name}`;
    getOrInsert(families, id, () => ({ name, family, series: [] })).series.push(key);
  }
  const names = new Set(Array.from(families.values(), ({ name }) => name));
  const { origin } = run.store;
  const within = (offset: number) => {
    const time = epochNs(origin + BigInt(offset));
    return window === undefined || (time >= window.start && time <= window.end);
  };
  for (const exposed of families.values()) {
    yield header(exposed, names);
    for (const { id, labels, endpointUrl } of exposed.series)
      yield* samplesOf(run, id, exposed, storedLabels(labels, endpointUrl, own), within);
  }
  yield "# EOF\n";
}

/** Series whose samples have one name, but for the suffixes of a histogram. */
interface Exposed {
  readonly name: string;
  readonly family: Family;
  readonly series: SeriesKey[];
}

/**
 * The samples of a counter MUST end in `_total`, which its family's name lacks; those of type unknown have the family's
 * very name (OpenMetrics 1.0, Text Format, Counter and Unknown). So a counter that is served without the suffix is
 * declared unknown, and one whose short name is another family's, too.
 */
function header({ name, family: { type, description } }: Exposed, names: ReadonlySet<string>): string {
  const short = name.replace(/(?<=.)_total$/, "");
  const [declared, word] =
    type !== "counter" ? [name, type] : short === name || names.has(short) ? [name, "unknown"] : [short, type];
  const help = escapedText(description);
  return `# TYPE ${declared} ${word}\n${help === "" ? "" : `# HELP ${declared} ${help}\n`}`;
}

function* samplesOf(
  { store }: Run,
  id: SeriesId,
  { name, family }: Exposed,
  labels: Labels,
  within: (offset: number) => boolean,
): Iterable<string> {
  const samples = store.read(id);
  const at = (offset: number) => seconds(epochNs(store.origin + BigInt(offset)));
  if (samples.kind === "scalar") {
    const head = name + formatLabels(labels);
    const { times, values, gapTimes } = samples;
    const lines: string[] = [];
    let gap = 0;
    times.forEach((time, i) => {
      for (; gap < gapTimes.length && (gapTimes[gap] ?? 0) < time; gap++)
        if (within(gapTimes[gap] ?? 0)) lines.push(`${head} NaN ${at(gapTimes[gap] ?? 0)}\n`);
      if (within(time)) lines.push(`${head} ${number(values[i] ?? NaN)} ${at(time)}\n`);
    });
    for (; gap < gapTimes.length; gap++)
      if (within(gapTimes[gap] ?? 0)) lines.push(`${head} NaN ${at(gapTimes[gap] ?? 0)}\n`);
    yield lines.join("");
    return;
  }
  const plain = formatLabels(labels);
  for (const { bounds, times, sums, counts, buckets } of samples.segments) {
    const heads = bounds.map((bound) => exposedName(family, "bucket") + formatLabels([...labels, ["le", bound]]));
    for (let i = 0; i < times.length; i++) {
      const offset = times[i] ?? 0;
      if (!within(offset)) continue;
      const time = at(offset);
      const lines = heads.map((head, b) => `${head} ${number(buckets[b]?.[i] ?? NaN)} ${time}\n`);
      const sum = sums[i] ?? NaN;
      yield `${lines.join("")}${exposedName(family, "count")}${plain} ${number(counts[i] ?? NaN)} ${time}\n${Number.isNaN(sum) ? "" : `${exposedName(family, "sum")}${plain} ${number(sum)} ${time}\n`}`;
    }
  }
}

function number(value: number): string {
  return Number.isFinite(value) ? String(value) : Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}

/** Seconds since the epoch with as many decimals as are needed. */
function seconds(time: EpochNs): string {
  const text = String(time).padStart(10, "0");
  return `${text.slice(0, -9)}.${text.slice(-9).replace(/0{1,8}$/, "")}`;
}
