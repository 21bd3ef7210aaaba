import { probeEndpoints, type EndpointOptions, type ProbeProgress, type ProbeResult } from "../../collect/index.js";
import { candidateUrls, parseEndpointUrl, validateUrl } from "../../collect/url.js";
import { type Problem, type ScrapeLimits, noteOf } from "../../core/model/index.js";
import { changeJsonEndpoints, readJsonEndpoints } from "../../files/json-endpoints.js";
import { messageOf } from "../../core/text/errors.js";

export interface Probing {
  readonly timeoutMs: number;
  /** Those of the capture; absent: the usual ones. */
  readonly limits?: ScrapeLimits;
}

/**
 * Tests endpoints and remembers whose `/metrics` is JSON that a reading takes away: from the second time on, those are
 * asked at `/prometheus/metrics` at once.
 * @throws InvalidUrlError; the signal's reason
 */
export async function probeAndRemember(
  endpoints: readonly EndpointOptions[],
  { timeoutMs, limits }: Probing,
  signal?: AbortSignal,
  onProgress?: (progress: ProbeProgress) => void,
): Promise<{ readonly probes: readonly ProbeResult[]; readonly problems: readonly Problem[] }> {
  const known = await readJsonEndpoints();
  const asked = endpoints.map((endpoint) => {
    const { url, secretParameters, source } = endpoint;
    if (source === "iteration-statistics" || validateUrl(url) !== undefined) return endpoint;
    const jsonAt = candidateUrls(parseEndpointUrl(url, secretParameters).url).find((one) => known.has(one));
    return jsonAt === undefined ? endpoint : { ...endpoint, jsonAt };
  });
  const probes = await probeEndpoints(asked, timeoutMs, signal, onProgress, limits);
  const found = probes.flatMap(({ reachability: { json } }) => (json === undefined ? [] : [json]));
  const of = (state: string) => found.filter((json) => json.state === state).map(({ url }) => url);
  try {
    await changeJsonEndpoints({ add: of("found"), remove: of("gone") });
    return { probes, problems: [] };
  } catch (error) {
    const why = messageOf(error);
    const reason = `The list of endpoints whose /metrics is JSON could not be saved: ${why}`;
    return { probes, problems: [noteOf(reason)] };
  }
}
