import { familyUnit } from "../../core/catalog/index.js";
import type { Roles } from "../../core/exposition/index.js";
import type { PrometheusApi } from "./api.js";
import { readSamples, type ReadSamples, type SampleQuestion, type StoredSamples } from "./samples.js";

/** What tells the parts of one histogram or summary apart; all other labels are summed over. */
const KEPT = "__name__, le, quantile";
/** Units of which a sum over instances means nothing: their mean is taken. */
const MEANT = new Set(["ratio", "percent", "celsius"]);

export interface Aggregated extends ReadSamples {
  /** Steps at which a sum of counters fell: an instance restarted or left. */
  readonly falls: number;
}

/**
 * Totals over all instances of a selection, made by the store itself: counters, histogram buckets by `le` and gauges
 * are summed, gauges of shares and temperatures averaged. A counter's sum that falls goes on from where it was: what
 * came in that step is lost, and counted.
 * @throws StoreError; the signal's reason
 */
export async function readAggregated(
  api: PrometheusApi,
  { selectors, range, stepMs }: Omit<SampleQuestion, "expected" | "stepMs"> & { readonly stepMs: number },
  roles: Roles,
  context: Parameters<typeof readSamples>[2],
): Promise<Aggregated> {
  const ask = (operation: string, share: (fraction: number) => number) =>
    readSamples(
      api,
      {
        selectors: selectors.map((selector) => `${operation} by (${KEPT}) (${selector})`),
        range,
        stepMs,
        expected: undefined,
      },
      {
        ...context,
        onProgress: (fraction, samples) => context?.onProgress?.(share(fraction), samples),
      },
    );
  const sums = await ask("sum", (fraction) => fraction / 2);
  const means = await ask("avg", (fraction) => 0.5 + fraction / 2);
  let falls = 0;
  const series: StoredSamples[] = [];
  for (const samples of sums.series) {
    const kind = kindOf(samples, roles);
    if (kind === "mean") continue;
    const fallen = kind === "counter" ? withoutFalls(samples) : { samples, falls: 0 };
    falls += fallen.falls;
    series.push(fallen.samples);
  }
  series.push(...means.series.filter((samples) => kindOf(samples, roles) === "mean"));
  return {
    series,
    falls,
    nativeHistograms: new Set([...sums.nativeHistograms, ...means.nativeHistograms]),
    warnings: new Set([...sums.warnings, ...means.warnings]),
  };
}

function kindOf({ labels }: StoredSamples, roles: Roles): "counter" | "sum" | "mean" {
  const role = roles.roleOf(roles.nameOf(labels["__name__"] ?? ""));
  if (role.kind !== "sample") return "sum";
  const { family, part } = role;
  if (family.type === "counter" || family.type === "histogram" || part === "count") return "counter";
  return MEANT.has(familyUnit(family) ?? "") ? "mean" : "sum";
}

function withoutFalls({ labels, times, values }: StoredSamples) {
  let falls = 0;
  let lost = 0;
  const steady = values.map((value, i) => {
    const before = values[i - 1];
    if (before !== undefined && value < before) {
      falls++;
      lost += before - value;
    }
    return value + lost;
  });
  return { samples: { labels, times, values: steady }, falls };
}
