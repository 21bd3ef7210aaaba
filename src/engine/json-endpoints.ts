import { candidateUrls, normalizeUrl, prometheusFallbackUrl, validateUrl } from "../collect/url.js";
import type { Reachability } from "../core/model/index.js";
import { changeJsonEndpoints } from "../files/json-endpoints.js";

/**
 * Forgets that the `/metrics` of these endpoints is JSON. URLs that cannot be used are passed over.
 * @throws FileError
 */
export async function forgetJson(path: string, urls: readonly string[]): Promise<void> {
  const remove = urls.flatMap((url) => (validateUrl(url) === undefined ? candidateUrls(normalizeUrl(url)) : []));
  await changeJsonEndpoints(path, { remove });
}

/** What the user is told of an endpoint whose `/metrics` is JSON; undefined of all others. */
export function jsonWords({ url, json }: Reachability): string | undefined {
  switch (json?.state) {
    case "found":
      return (
        `${json.url} is JSON, and reading it takes it away from other readers. The metrics are read at ${url}; ` +
        "later captures ask there at once."
      );
    case "known":
      return `${json.url} was JSON in an earlier capture: it is not asked again, the metrics are read at ${prometheusFallbackUrl(json.url) ?? url}.`;
    case "gone":
      return `${json.url} was JSON in an earlier capture, but its other metrics are gone: it was asked again.`;
    case "alone":
      return (
        `${json.url} is JSON. Where that is TensorRT-LLM's iteration statistics, they can be recorded in place of metrics ` +
        '(--iteration-stats URL, or "source": "iteration-statistics" of the endpoint in the settings): each reading takes ' +
        "them away from all other readers."
      );
    case undefined:
      return undefined;
  }
}
