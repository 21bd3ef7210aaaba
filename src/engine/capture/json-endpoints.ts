import { candidateUrls, normalizeUrl, prometheusFallbackUrl, validateUrl } from "../../collect/url.js";
import type { Reachability } from "../../core/model/index.js";
import { changeJsonEndpoints, readJsonEndpoints } from "../../files/json-endpoints.js";

/**
 * Forgets that the `/metrics` of these endpoints is JSON. URLs that cannot be used are passed over.
 * @throws UserError
 */
export async function forgetJson(urls: readonly string[]): Promise<void> {
  const remove = urls.flatMap((url) => (validateUrl(url) === undefined ? candidateUrls(normalizeUrl(url)) : []));
  await changeJsonEndpoints({ remove });
}

/** Forgets all of them. @returns their URLs @throws UserError */
export async function forgetAllJson(): Promise<readonly string[]> {
  const urls = [...(await readJsonEndpoints())];
  await changeJsonEndpoints({ remove: urls });
  return urls;
}

/** What to say to the user about an endpoint whose `/metrics` is JSON; undefined of all others. */
export function jsonWords({ url, json }: Reachability): string | undefined {
  switch (json?.state) {
    case "found":
      return (
        `${json.url} returns JSON, and reading it removes it for other readers. The metrics are read from ${url}; ` +
        "later captures start there."
      );
    case "known":
      return `${json.url} returned JSON in an earlier capture. It is not read again; the metrics are read from ${prometheusFallbackUrl(json.url) ?? url}.`;
    case "gone":
      return `${json.url} returned JSON in an earlier capture, but /prometheus/metrics no longer answers, so it was read again.`;
    case "alone":
      return (
        `If the JSON at ${json.url} is TensorRT-LLM's iteration statistics, they can be recorded as metrics ` +
        '(--iteration-stats URL, or "source": "iteration-statistics" of the endpoint in the settings): each reading takes ' +
        "them away from all other readers."
      );
    case undefined:
      return undefined;
  }
}
