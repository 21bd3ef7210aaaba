import {
  epochNs,
  exposedName,
  formatLabels,
  runLabels,
  storedLabels,
  type EpochNs,
  type Family,
  type Labels,
  type SeriesId,
  type SeriesKey,
} from "../model/index.js";
import type { Run } from "../store/index.js";

/**
 * A run as OpenMetrics text with timestamps, family by family: what `promtool tsdb create-blocks-from openmetrics`
 * makes blocks of. Series have the labels of a remote write.
 * @param window samples outside are left out
 */
export function* openMetrics(run: Run, window?: { readonly start: EpochNs; readonly end: EpochNs }): Iterable<string> {
  const own = runLabels(run.metadata);
  const families = new Map<string, { readonly family: Family; readonly series: SeriesKey[] }>();
  for (const key of run.store.seriesKeys()) {
    const id = `${key.family.type} ${key.family.name}`;
    const known = families.get(id);
    if (known === undefined) families.set(id, { family: key.family, series: [key] });
    else known.series.push(key);
  }
  const { origin } = run.store;
  const within = (offset: number) => {
    const time = epochNs(origin + BigInt(offset));
    return window === undefined || (time >= window.start && time <= window.end);
  };
  for (const { family, series } of families.values()) {
    yield header(family);
    for (const { id, labels, endpointUrl } of series)
      yield* samplesOf(run, id, family, storedLabels(labels, endpointUrl, own), within);
  }
  yield "# EOF\n";
}

/** A counter that has kept its `_total` beside a family of its short name cannot be declared under that name again. */
function header({ name, type, description }: Family): string {
  const declared = type === "counter" && name.endsWith("_total") ? "unknown" : type;
  const help = description.replace(/\\/g, "\\\\").replace(/\n/g, "\\n").replace(/"/g, '\\"');
  return `# TYPE ${name} ${declared}\n${help === "" ? "" : `# HELP ${name} ${help}\n`}`;
}

function* samplesOf(
  { store }: Run,
  id: SeriesId,
  family: Family,
  labels: Labels,
  within: (offset: number) => boolean,
): Iterable<string> {
  const samples = store.read(id);
  const at = (offset: number) => seconds(epochNs(store.origin + BigInt(offset)));
  if (samples.kind === "scalar") {
    const head = exposedName(family, "value") + formatLabels(labels);
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
