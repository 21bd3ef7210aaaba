import { DEFAULT_LIMITS, displayName, NS_PER_MS, type Problem, type ScrapeLimits } from "../core/model/index.js";
import { ByteBuffer } from "../core/bytes/index.js";
import { hintsFor, recogniseServers, serverById } from "../core/catalog/index.js";
import { formatOfContentType, ExpositionParser, ParseError } from "../core/exposition/index.js";
import { failureProblem, type Failure } from "./failure.js";
import { Fetcher, type FetchResult } from "./http/http.js";
import type { Access } from "./secrets.js";
import { emptyBodyFailure, isBlank, notPrometheusFailure } from "./not-prometheus.js";
import type { Body } from "./text-source.js";
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

/** What one URL answered. */
type Finding =
  | {
      readonly kind: "exposition";
      readonly url: string;
      readonly families: ReadonlySet<string>;
      readonly latencyMs: number;
    }
  /** A status of success: JSON or a body that does not parse. */
  | {
      readonly kind: "not-prometheus";
      readonly url: string;
      readonly what: "JSON" | "HTML" | "something else";
      readonly failure: Failure;
      readonly latencyMs: number;
    }
  | { readonly kind: "empty"; readonly url: string; readonly failure: Failure; readonly latencyMs: number }
  /** A reading would take something away: only that there is a server is known. */
  | { readonly kind: "unread"; readonly url: string; readonly latencyMs: number }
  | { readonly kind: "failed"; readonly url: string; readonly failure: Failure };

interface Probe {
  readonly fetcher: Fetcher;
  /** Milliseconds left of the test's time. */
  readonly leftMs: () => number;
  readonly timeoutMs: number;
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
  const open = new Set<Fetcher>();
  const close = () => open.forEach((fetcher) => fetcher.close());
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
      const result = await probeEndpoint(access, endpoint, { timeoutMs, limits }, open);
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
  { label, jsonAt, source }: EndpointOptions,
  { timeoutMs, limits }: Pick<Probe, "timeoutMs" | "limits">,
  open: Set<Fetcher>,
): Promise<ProbeResult> {
  const clock = new MonotonicClock();
  const begun = clock.now();
  const fetcher = new Fetcher(clock, access);
  open.add(fetcher);
  try {
    const leftMs = () => Math.max(1, timeoutMs - Number(clock.now() - begun) / NS_PER_MS);
    const probe: Probe = { fetcher, leftMs, timeoutMs, limits };
    const settled =
      source === "iteration-statistics"
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
      ...(source === undefined ? {} : { source }),
      answered: finding.kind === "exposition" || finding.kind === "unread",
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
    open.delete(fetcher);
    fetcher.close();
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
  if (finding.kind === "exposition") return { finding, fallbackTried: true, json };
  if (finding.kind === "failed" && finding.failure.status === undefined)
    return { finding: { ...finding, url: jsonAt }, fallbackTried: false, fallbackFirst: true, json };
  return { json: { url: jsonAt, state: "gone" }, ...(await settle(url, probe)) };
}

/** Of iteration statistics: the first scrape reads them, not the test. Servers refuse HEAD here, which is an answer. */
async function settleUnread(url: string, probe: Probe): Promise<Settled> {
  const [metrics = url] = candidateUrls(url);
  const { outcome, completed, requestSent } = await request("HEAD", metrics, probe, probe.leftMs());
  const latencyMs = Number(completed - requestSent) / NS_PER_MS;
  const refused = outcome.kind === "failed" && outcome.failure.status === 405;
  const finding: Finding =
    outcome.kind === "failed" && !refused
      ? { kind: "failed", url: metrics, failure: outcome.failure }
      : { kind: "unread", url: metrics, latencyMs };
  return { finding, fallbackTried: true };
}

/** Decides which URL an endpoint means. */
async function settle(url: string, probe: Probe): Promise<Settled> {
  const findings: Finding[] = [];
  for (const candidate of candidateUrls(url)) {
    const finding = await probeUrl(candidate, probe);
    if (finding.kind === "exposition")
      return {
        finding,
        fallbackTried: false,
        ...(candidate === serverMetricsUrl(url) ? { note: readInstead(url) } : {}),
      };
    findings.push(finding);
    // The other URL is on the same host.
    if (finding.kind === "failed" && isUnreachable(finding.failure)) break;
  }
  const finding =
    findings.find(({ kind }) => kind !== "failed") ??
    findings.find((each) => each.kind === "failed" && each.failure.status !== 404) ??
    findings[0];
  if (finding === undefined) throw new Error(`${url} stands for no URL`);
  const fallback = finding.kind === "not-prometheus" ? prometheusFallbackUrl(finding.url) : undefined;
  if (fallback === undefined) return { finding, fallbackTried: false };
  const second = await get(fallback, probe);
  const isJson = finding.kind === "not-prometheus" && finding.what === "JSON";
  if (second.kind !== "exposition") {
    if (!isJson) return { finding, fallbackTried: true };
    return { finding, fallbackTried: true, refusal: finding.failure, json: { url: finding.url, state: "alone" } };
  }
  const json = { url: finding.url, state: "found" } as const;
  return { finding: second, fallbackTried: true, ...(isJson ? { json } : {}) };
}

async function probeUrl(url: string, probe: Probe): Promise<Finding> {
  // A server that hangs at HEAD still gets its GET.
  const { outcome } = await request("HEAD", url, probe, probe.leftMs() / 2);
  if (outcome.kind === "failed" && isUnreachable(outcome.failure))
    return { kind: "failed", url, failure: outcome.failure };
  return get(url, probe);
}

async function get(url: string, probe: Probe): Promise<Finding> {
  const { outcome, completed, requestSent } = await request("GET", url, probe, probe.leftMs());
  const latencyMs = Number(completed - requestSent) / NS_PER_MS;
  switch (outcome.kind) {
    case "failed":
      return { kind: "failed", url, failure: outcome.failure };
    case "cancelled":
      return { kind: "failed", url, failure: { type: "other", reason: `The test of ${url} was cancelled.` } };
    case "json":
      return {
        kind: "not-prometheus",
        url,
        what: "JSON",
        failure: notPrometheusFailure(url, outcome.contentType, probe.fetcher.hidden),
        latencyMs,
      };
    case "body":
      return read(url, outcome, latencyMs, probe);
  }
}

function read(url: string, { body, contentType }: Body, latencyMs: number, { fetcher, limits }: Probe): Finding {
  if (isBlank(body)) return { kind: "empty", url, failure: emptyBodyFailure(url), latencyMs };
  try {
    const batch = new ExpositionParser({ limits }).parse(body, formatOfContentType(contentType));
    const families = new Set<string>();
    for (const id of batch.ids.subarray(0, batch.length)) {
      const def = batch.defs[id];
      if (def !== undefined) families.add(def.family.name);
    }
    return { kind: "exposition", url, families, latencyMs };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const what = /html/i.test(contentType) ? "HTML" : "something else";
    const failure = notPrometheusFailure(url, contentType, fetcher.hidden, { error, body });
    return { kind: "not-prometheus", url, what, failure, latencyMs };
  }
}

function request(method: "GET" | "HEAD", url: string, probe: Probe, timeoutMs: number): Promise<FetchResult> {
  return probe.fetcher.fetch({
    method,
    url,
    into: new ByteBuffer(),
    limitBytes: probe.limits.bodyBytes,
    timeoutMs,
    limit: { name: "reachability timeout", ms: probe.timeoutMs },
  });
}

/** Nothing that another path or method could change. */
function isUnreachable(failure: Failure): boolean {
  return failure.type === "refused" || failure.type === "unreachable" || failure.type === "tls";
}

function reachabilityOf(finding: Finding): Reachability {
  const at = { url: finding.url, displayName: displayName(finding.url) };
  switch (finding.kind) {
    case "exposition": {
      const { families, latencyMs } = finding;
      const servers = recogniseServers(families).map(({ name }) => name);
      const problem = families.size === 0 ? noFamilies(finding.url) : hintsFor(families)[0];
      return {
        ...at,
        reachable: true,
        servers,
        families: families.size,
        latencyMs,
        ...(problem === undefined ? {} : { problem }),
      };
    }
    case "not-prometheus":
    case "empty":
      return {
        ...at,
        reachable: true,
        servers: [],
        families: 0,
        latencyMs: finding.latencyMs,
        problem: failureProblem(finding.failure, "warning"),
        answersInstead: finding.kind === "empty" ? "answers nothing yet" : `answers ${finding.what}, no metrics`,
      };
    case "unread":
      return {
        ...at,
        reachable: true,
        servers: [serverById("trtllm").name],
        families: 0,
        latencyMs: finding.latencyMs,
        problem: {
          severity: "info",
          reason: `Iteration statistics are read from ${finding.url}: each reading takes them away from all other readers.`,
        },
      };
    case "failed":
      return { ...at, reachable: false, servers: [], families: 0, problem: failureProblem(finding.failure) };
  }
}

function readInstead(url: string): Problem {
  return { severity: "info", reason: `${url} is for requests: the server's /metrics is read instead.` };
}

function noFamilies(url: string): Problem {
  return {
    severity: "warning",
    reason: `${url} answers, but exposes no metrics yet.`,
    remedy: "They may appear with the first request to the server.",
  };
}
