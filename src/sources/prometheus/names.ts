import { isList } from "../../core/model/index.js";
import { StoreError, type PrometheusApi } from "./api.js";

/**
 * Names of labels that a store knows, or the values of one, sorted.
 * @param match selector that narrows them
 * @throws StoreError; the signal's reason
 */
export async function storedNames(
  api: PrometheusApi,
  { label, match }: { readonly label?: string | undefined; readonly match?: string | undefined },
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const data = await api.ask(
    label === undefined ? "/labels" : `/label/${encodeURIComponent(label)}/values`,
    match === undefined ? [] : [["match[]", match]],
    signal === undefined ? {} : { signal },
  );
  if (!isList(data)) throw new StoreError(`${api.url} answered a query for labels with something unexpected.`);
  return data.filter((name) => typeof name === "string").sort();
}
