import { isList, UserError } from "../../core/text/index.js";
import type { PrometheusApi } from "./api.js";
import { eachAtOnce } from "./at-once.js";
import { seconds, type MsRange } from "./time.js";

/**
 * Names of labels that a store knows, or the values of one, sorted.
 * @param match selector that narrows them
 * @throws UserError; the signal's reason
 */
export async function storedNames(
  api: PrometheusApi,
  { label, match }: { readonly label?: string | undefined; readonly match?: string | undefined },
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const data = await api.ask(
    label === undefined ? "/labels" : `/label/${encodeURIComponent(label)}/values`,
    match === undefined ? [] : [["match[]", match]],
    { signal },
  );
  if (!isList(data)) throw new UserError(`${api.url} answered a query for labels with something unexpected.`);
  return data.filter((name) => typeof name === "string").sort();
}

/**
 * Whether a store may have anything of the selector in each of these stretches of time. It is asked for names, of
 * which indexes tell without a sample being read: Prometheus by blocks of some hours or days, VictoriaMetrics by days.
 * @throws UserError; the signal's reason
 */
export async function storedDays(
  api: PrometheusApi,
  { selector, days }: { readonly selector: string; readonly days: readonly MsRange[] },
  signal?: AbortSignal,
): Promise<readonly boolean[]> {
  const result = days.map(() => false);
  await eachAtOnce([...days.entries()], async ([i, { startMs, endMs }]) => {
    const data = await api.ask(
      "/label/__name__/values",
      [
        ["match[]", selector],
        ["start", seconds(startMs)],
        ["end", seconds(endMs)],
        ["limit", "1"],
      ],
      { signal },
    );
    result[i] = isList(data) && data.length > 0;
  });
  return result;
}
