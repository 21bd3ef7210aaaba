import { UserError } from "../core/text/errors.js";
import { ServerClient } from "../collect/index.js";
import { discover, fetchRun, PrometheusApi, storedDays, storedNames } from "../stores/index.js";
import type { EndpointOptions, StoreQuery, StoreRequests } from "../protocol/index.js";
import { engineError } from "./engine-error.js";

/** As many as a list of completions has use for. */
const MAX_NAMES = 2000;

/** @throws UserError "store" */
export function storeLabels(
  { store, label, match }: StoreRequests["storeLabels"]["params"],
  signal: AbortSignal,
): Promise<readonly string[]> {
  return asked(store, async (api) => (await storedNames(api, { label, match }, signal)).slice(0, MAX_NAMES));
}

/** @throws UserError "store" */
export function storedDaysOf(
  { store, ...question }: StoreRequests["storedDays"]["params"],
  signal: AbortSignal,
): Promise<readonly boolean[]> {
  return asked(store, (api) => storedDays(api, question, signal));
}

/** @throws UserError "store" */
export function findStored({ store, selectors, ...range }: StoreQuery, signal: AbortSignal) {
  return asked(store, async (api) => {
    const { series, instances, families, samples, totalsStepMs } = await discover(api, selectors, range, signal);
    return { series, instances, families, totalsStepMs, ...(samples === undefined ? {} : { samples }) };
  });
}

/** @throws UserError "store"; the signal's reason */
export function fetchStored(
  { store, selectors, startMs, endMs, ...options }: StoreRequests["fetchStored"]["params"],
  signal: AbortSignal,
  onProgress: (fraction: number, samples: number) => void,
) {
  return asked(store, async (api) => {
    const range = { startMs, endMs };
    const found = await discover(api, selectors, range, signal);
    const fetched = await fetchRun(api, found, { ...options, selectors, range, signal, onProgress });
    if (fetched.run.store.seriesCount === 0)
      throw new UserError(
        `${api.url} holds no sample of ${selectors.join(", ")} in this time range.`,
        "Choose another time range or selector.",
      );
    return fetched;
  });
}

async function asked<T>(store: EndpointOptions, work: (api: PrometheusApi) => Promise<T>): Promise<T> {
  const client = new ServerClient(store);
  try {
    return await work(new PrometheusApi(client));
  } catch (error) {
    if (error instanceof UserError) throw engineError("store", error.message, error.remedy);
    throw error;
  } finally {
    client.close();
  }
}
