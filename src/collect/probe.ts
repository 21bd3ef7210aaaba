import {
  DEFAULT_LIMITS,
  displayName,
  NS_PER_MS,
  type Problem,
  type ScrapeLimits,
  noteOf,
  warningOf,
} from "../core/model/index.js";
import { ByteBuffer } from "../core/bytes/index.js";
import { hintsFor, recogniseServers, serverById } from "../core/catalog/index.js";
import { failureProblem, type Failure } from "./failure.js";
import type { Access } from "./secrets.js";
import { TextSource, type LiveRequest, type UnreadAnswer } from "./text-source.js";
import { MonotonicClock } from "./clock.js";
import type { EndpointOptions, Reachability, Target } from "./types.js";
import {
  candidateUrls,
  InvalidUrlError,
  parseEndpointUrl,
  prometheusFallbackUrl,
  redactUrl,
  serverMetricsUrl,
} from "./url.js";

export interface ProbeResult {
  readonly reachability: Reachability;
  readonly target: Target;
}

/** An endpoint that was just decided. */
export interface ProbeProgress extends ProbeResult {
  readonly done: number;
  readonly total: number;
  /** Its place among the given ones. */
  readonly index: number;
}

/** What one URL answered; with neither families nor a refusal it was not read, as a reading takes something away. */
interface Finding {
  readonly url: string;
  readonly latencyMs: number;
  readonly families?: ReadonlySet<string>;
  readonly refused?: UnreadAnswer;
}

interface Probe {
  readonly source: TextSource;
  /** Milliseconds left of the test's time. */
  readonly leftMs: () => number;
  readonly limit: NonNullable<LiveRequest["limit"]>;
  readonly limits: ScrapeLimits;
}

/**
 * Tests endpoints, all at once and each within `timeoutMs`: HEAD, then GET; a status of 200 is reachable. Settles what
 * a URL means whose path does not end in `/metrics`, looks at `/prometheus/metrics` where `/metrics` is JSON, and drops
 * those that turn out to be one already listed. Disabled endpoints are left out.
 * @param limits those of the capture: what would be a failed scrape is a failed test
 * @returns one result per endpoint, in the given order.
 * @throws InvalidUrlError naming the first URL that cannot be used; the signal's reason when aborted.
 */
export async function probeEndpoints(
  endpoints: readonly EndpointOptions[],
  timeoutMs: number,
  signal?: AbortSignal,
  onProgress?: (progress: ProbeProgress) => void,
  limits = DEFAULT_LIMITS,
): Promise<readonly ProbeResult[]> {
  signal?.throwIfAborted();
  const enabled = endpoints
    .filter((endpoint) => endpoint.enabled)
    .map((endpoint) => ({ endpoint, ...addressOf(endpoint) }));
  numberTwins(enabled);
  // One listener for all: node warns of a leak from the eleventh on.
  const open = new Set<TextSource>();
  const close = () => open.forEach((source) => source.close());
  signal?.addEventListener("abort", close);
  let done = 0;
  const results = await Promise.all(
    enabled.map(async ({ endpoint, url, search, authorization }, index) => {
      const access: Access = {
        url,
        headers: { ...(authorization === undefined ? {} : { authorization }), ...endpoint.headers },
        ...(search === undefined ? {} : { search }),
        ...(endpoint.tls === undefined ? {} : { tls: endpoint.tls }),
        ...(endpoint.avoidsReserved === undefined ? {} : { avoidsReserved: true }),
      };
      const result = await probeEndpoint(access, endpoint, timeoutMs, limits, open);
      onProgress?.({ ...result, done: ++done, total: enabled.length, index });
      return result;
    }),
  ).finally(() => signal?.removeEventListener("abort", close));
  signal?.throwIfAborted();
  return distinctProbes(results);
}

/** Without those that turn out to be one already listed. */
export function distinctProbes(results: readonly ProbeResult[]): readonly ProbeResult[] {
  const seen = new Set<string>();
  return results.filter(({ target }) => !seen.has(target.url) && seen.add(target.url));
}

/** The ports of some hosts as endpoints, to test where inference servers are found by default. */
export function discoveryEndpoints(
  ports: readonly number[],
  hosts: readonly string[] = ["localhost"],
): readonly EndpointOptions[] {
  return hosts.flatMap((host) =>
    ports.map((port) => ({
      url: `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}/metrics`,
      enabled: true,
    })),
  );
}

function addressOf({ url, secretParameters }: EndpointOptions) {
  try {
    return { ...parseEndpointUrl(url, secretParameters) };
  } catch (error) {
    if (error instanceof InvalidUrlError)
      throw new InvalidUrlError(`Endpoint "${redactUrl(url, secretParameters)}": ${error.message}`);
    throw error;
  }
}

/** Endpoints that differ only in a secret are recorded apart: the second under the URL with #2. */
function numberTwins(addresses: { url: string; readonly search?: string }[]): void {
  const taken = new Map<string, string | undefined>();
  for (const address of addresses) {
    const { url, search } = address;
    for (let number = 2; taken.has(address.url) && taken.get(address.url) !== search; number++)
      address.url = `${url.replace(/#.*$/, "")}#${number}`;
    taken.set(address.url, search);
  }
}

async function probeEndpoint(
  access: Access,
  { label, jsonAt, source: kind }: EndpointOptions,
  timeoutMs: number,
  limits: ScrapeLimits,
  open: Set<TextSource>,
): Promise<ProbeResult> {
  const time = new MonotonicClock();
  const begun = time.now();
  const source = new TextSource({ access, time, limits, keepFamily: () => true });
  open.add(source);
  try {
    const leftMs = () => Math.max(1, timeoutMs - Number(time.now() - begun) / NS_PER_MS);
    const probe: Probe = { source, leftMs, limit: { name: "reachability timeout", ms: timeoutMs }, limits };
    const settled =
      kind === "iteration-statistics"
        ? settleUnread(access.url, probe)
        : jsonAt === undefined
          ? settle(access.url, probe)
          : settleKnown(jsonAt, access.url, probe);
    const { finding, json, note: problem, ...way } = await settled;
    const target: Target = {
      ...access,
      url: finding.url,
      ...(finding.url === access.url ? {} : { asked: access.url }),
      ...(label === undefined ? {} : { label }),
      ...(kind === undefined ? {} : { source: kind }),
      answered: finding.refused === undefined,
      ...way,
    };
    return {
      target,
      reachability: {
        ...(problem === undefined ? {} : { problem }),
        ...reachabilityOf(finding),
        ...(json === undefined ? {} : { json }),
      },
    };
  } finally {
    open.delete(source);
    source.close();
  }
}

interface Settled extends Pick<Target, "fallbackTried" | "fallbackFirst" | "refusal">, Pick<Reachability, "json"> {
  readonly finding: Finding;
  /** What to say of the URL that it is. */
  readonly note?: Problem;
}

/**
 * Of an endpoint whose `/metrics` is known to be JSON that a reading takes away: asks `/prometheus/metrics`, and what
 * is known only when the server says that it has no metrics there.
 */
async function settleKnown(jsonAt: string, url: string, probe: Probe): Promise<Settled> {
  const fallback = prometheusFallbackUrl(jsonAt);
  if (fallback === undefined) return settle(url, probe);
  const finding = await probeUrl(fallback, probe);
  const json = { url: jsonAt, state: "known" } as const;
  if (finding.refused === undefined) return { finding, fallbackTried: true, json };
  if (finding.refused.kind === "failed" && finding.refused.failure.status === undefined)
    return { finding: { ...finding, url: jsonAt }, fallbackTried: false, fallbackFirst: true, json };
  return { json: { url: jsonAt, state: "gone" }, ...(await settle(url, probe)) };
}

/** Of iteration statistics: the first scrape reads them, not the test. Servers refuse HEAD here, which is an answer. */
async function settleUnread(url: string, probe: Probe): Promise<Settled> {
  const [metrics = url] = candidateUrls(url);
  const { refused, ...finding } = await head(metrics, probe, probe.leftMs());
  const isAnswer = refused?.failure.status === 405;
  return { finding: refused === undefined || isAnswer ? finding : { ...finding, refused }, fallbackTried: true };
}

/** Decides which URL an endpoint means. */
async function settle(url: string, probe: Probe): Promise<Settled> {
  const findings: Finding[] = [];
  for (const candidate of candidateUrls(url)) {
    const finding = await probeUrl(candidate, probe);
    if (finding.refused === undefined)
      return {
        finding,
        fallbackTried: false,
        ...(candidate === serverMetricsUrl(url) ? { note: readInstead(url) } : {}),
      };
    findings.push(finding);
    // The other URL is on the same host.
    if (isUnreachable(finding)) break;
  }
  const finding =
    findings.find(({ refused }) => refused?.kind !== "failed") ??
    findings.find(({ refused }) => refused?.failure.status !== 404) ??
    findings[0];
  if (finding === undefined) throw new Error(`${url} stands for no URL`);
  const { refused } = finding;
  const fallback = refused?.kind === "foreign" ? prometheusFallbackUrl(finding.url) : undefined;
  if (refused === undefined || fallback === undefined) return { finding, fallbackTried: false };
  const second = await get(fallback, probe);
  const isJson = refused.failure.answer === "JSON";
  if (second.refused !== undefined) {
    if (!isJson) return { finding, fallbackTried: true };
    return { finding, fallbackTried: true, refusal: refused.failure, json: { url: finding.url, state: "alone" } };
  }
  const json = { url: finding.url, state: "found" } as const;
  return { finding: second, fallbackTried: true, ...(isJson ? { json } : {}) };
}

async function probeUrl(url: string, probe: Probe): Promise<Finding> {
  // A server that hangs at HEAD still gets its GET.
  const finding = await head(url, probe, probe.leftMs() / 2);
  return isUnreachable(finding) ? finding : get(url, probe);
}

async function head(url: string, { source, limit, limits }: Probe, timeoutMs: number): Promise<Finding> {
  const into = new ByteBuffer();
  const request = { method: "HEAD", url, into, limitBytes: limits.bodyBytes, timeoutMs, limit } as const;
  const { outcome, completed, requestSent } = await source.fetcher.fetch(request);
  const latencyMs = Number(completed - requestSent) / NS_PER_MS;
  return { url, latencyMs, ...(outcome.kind === "failed" ? { refused: outcome } : {}) };
}

async function get(url: string, { source, leftMs, limit }: Probe): Promise<Finding> {
  const reading = await source.read({ timeoutMs: leftMs(), limit, at: url });
  if (reading === undefined) {
    const failure: Failure = { type: "other", reason: `The test of ${url} was cancelled.` };
    return { url, latencyMs: 0, refused: { kind: "failed", failure } };
  }
  const { scrapes, refused } = reading;
  const [{ latency, outcome }] = scrapes;
  const families = new Set<string>();
  if (outcome.kind === "samples")
    for (const id of outcome.batch.ids.subarray(0, outcome.batch.length)) {
      const def = outcome.batch.defs[id];
      if (def !== undefined) families.add(def.family.name);
    }
  return { url, latencyMs: latency / NS_PER_MS, ...(refused === undefined ? { families } : { refused }) };
}

/** Nothing that another path or method could change. */
function isUnreachable({ refused }: Finding): boolean {
  const type = refused?.failure.type;
  return type === "refused" || type === "unreachable" || type === "tls";
}

function reachabilityOf({ url, latencyMs, families, refused }: Finding): Reachability {
  const at = { url, displayName: displayName(url), reachable: true, servers: [], families: 0 };
  if (refused?.kind === "failed") return { ...at, reachable: false, problem: failureProblem(refused.failure) };
  if (refused !== undefined)
    return {
      ...at,
      latencyMs,
      problem: failureProblem(refused.failure, "warning"),
      answersInstead:
        refused.kind === "empty" ? "answers nothing yet" : `answers ${refused.failure.answer}, no metrics`,
    };
  if (families === undefined)
    return {
      ...at,
      servers: [serverById("trtllm").name],
      latencyMs,
      problem: noteOf(
        `Iteration statistics are read from ${url}: each reading takes them away from all other readers.`,
      ),
    };
  const servers = recogniseServers(families).map(({ name }) => name);
  const problem = families.size === 0 ? noFamilies(url) : hintsFor(families)[0];
  return { ...at, servers, families: families.size, latencyMs, ...(problem === undefined ? {} : { problem }) };
}

function readInstead(url: string): Problem {
  return noteOf(`${url} is for requests: the server's /metrics is read instead.`);
}

function noFamilies(url: string): Problem {
  return warningOf(
    `${url} answers, but exposes no metrics yet.`,
    "They may appear with the first request to the server.",
  );
}
