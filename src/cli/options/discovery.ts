import { warningOf } from "../../core/model/index.js";
import { setTimeout as wait } from "node:timers/promises";
import type { Command, OptionValues } from "@commander-js/extra-typings";
import { discoveryEndpoints, type ProbeResult } from "../../collect/index.js";
import { DISCOVERY_PORTS } from "../../core/catalog/index.js";
import { forgetJson, jsonWords, probeAndRemember, type Capture } from "../../engine/index.js";
import { groupBy } from "../../core/math/index.js";
import { messageOf, errorText, UserError } from "../../core/text/index.js";
import type { EndpointOptions } from "../../protocol/index.js";
import { PodDiscovery } from "../../kubernetes/discovery.js";
import type { PodEndpoint } from "../../kubernetes/pods.js";
import { endpointsWith, headerArgument, type AccessFlags } from "./access.js";
import type { EnvironmentSettings } from "./environment.js";
import { append, OPTIONS, type FlagsOf, type NoFlags } from "./shared.js";
import { note, noteProblem } from "../print/terminal.js";
import { noun } from "../../core/text/plural.js";
import { notDone } from "../exit.js";

/** What the options below leave in the flags of `capture`. */
export type DiscoveryFlags = FlagsOf<typeof withDiscoveryOptions<[], NoFlags>> & { readonly forgetJson?: true };

/** Adds the options that find endpoints beside those named by `--url`. */
export function withDiscoveryOptions<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command
    .optionsGroup("More endpoints:")
    .option(
      "--iteration-stats <url>",
      "read TensorRT-LLM's iteration statistics, the JSON at /metrics of trtllm-serve; each reading takes them away from " +
        "all other readers (repeatable)",
      append,
    )
    .option(
      "--server-events <url>",
      "record the requests (/perf_metrics) and KV-cache events of trtllm-serve as events beside the metrics; reading takes " +
        "them away from all other readers (repeatable)",
      append,
    )
    .option(
      "--discover [host...]",
      "capture what answers at the usual ports and paths of these hosts (default: this machine, also when no endpoint is given)",
    )
    .option("--kubernetes", "capture the inference servers among the pods of a cluster, by the kubeconfig")
    .option("--namespace <name>", "namespace of these pods, * for all (default: that of the kubeconfig's context)")
    .option("--selector <labels>", "only pods of these labels, as for kubectl: app=vllm")
    .option(
      "--pod-header <'K: V'>",
      "header sent to these pods, as --header, which they do not get (repeatable)",
      headerArgument,
    )
    .optionsGroup(OPTIONS);
}

type WithAccess = (urls: readonly string[]) => Promise<readonly EndpointOptions[]>;

/**
 * The endpoints of a capture: those that are given, else those of the environment, and what is discovered. Without any
 * of these, what answers at the usual ports of this machine.
 * @throws UserError when there is none
 */
export async function findEndpoints(
  flags: DiscoveryFlags & AccessFlags & { readonly url: readonly string[] },
  environment: EnvironmentSettings,
): Promise<{ readonly endpoints: readonly EndpointOptions[]; readonly pods: Pods | undefined }> {
  const { discover, iterationStats = [], kubernetes, namespace, selector } = flags;
  const withAccess: WithAccess = (urls) => endpointsWith(urls, flags);
  const discovers = [discover, kubernetes, namespace, selector].some((flag) => flag !== undefined);
  const chosen = flags.url.length > 0 || iterationStats.length > 0 || discovers;
  const given = chosen ? [...flags.url] : environment.endpoints;
  const byDefault = !chosen && given.length === 0;
  const hosts = discover === true || byDefault ? [] : discover;
  const local =
    hosts === undefined ? [] : await discovered(hosts, flags, environment.reachabilityTimeoutMs, withAccess, byDefault);
  const known = [...new Set([...given, ...local])];
  // Whoever may label a pod would get the headers that are meant for the endpoints named here.
  const { header: _, headerFile: __, ...others } = flags;
  const toPods: WithAccess = (urls) =>
    endpointsWith(urls, { ...others, ...(flags.podHeader === undefined ? {} : { header: flags.podHeader }) });
  const pods = await Pods.find(flags, known, toPods);
  const statistics = (await withAccess([...new Set(iterationStats)])).map((endpoint): EndpointOptions => {
    return { ...endpoint, source: "iteration-statistics" };
  });
  const ofPods = (pods?.urls ?? []).filter((url) => !known.includes(url));
  const endpoints = [...statistics, ...(await withAccess(known)), ...(await toPods(ofPods))];
  return {
    endpoints: endpoints.map((endpoint) => {
      const label = pods?.labelOf(endpoint.url);
      return label === undefined ? endpoint : { ...endpoint, label };
    }),
    pods,
  };
}

/** Asked for the pods that there are, so often. */
const FOLLOW_MS = 5000;

/** A host with a port is asked there alone. */
const WITH_PORT = /^(\[[^\]]+\]|[^:]+):\d+$/;

/**
 * Tests the usual ports, and says which of them answer with metrics and why the others do not.
 * @param byDefault nobody asked for it
 * @throws UserError when none does
 */
async function discovered(
  hosts: readonly string[],
  flags: DiscoveryFlags,
  timeoutMs: number,
  withAccess: WithAccess,
  byDefault: boolean,
): Promise<readonly string[]> {
  if (byDefault) note("no endpoint given: trying the usual ports of this machine");
  const ports = DISCOVERY_PORTS.map(({ port }) => port);
  const urls = (hosts.length === 0 ? ["localhost"] : hosts).flatMap((host) =>
    /^https?:\/\//.test(host) || WITH_PORT.test(host)
      ? [host]
      : discoveryEndpoints(ports, [host]).map(({ url }) => url),
  );
  if (flags.forgetJson === true) await forgetJson(urls);
  const { probes } = await probeAndRemember(await withAccess(urls), { timeoutMs: Math.min(2000, timeoutMs) });
  const found = probes.filter(({ target }) => target.answered);
  note(`discovered: ${found.length}/${probes.length} endpoints reachable`);
  for (const line of outcomes(probes)) note(`  ${line}`);
  for (const { reachability } of probes) {
    const words = jsonWords(reachability);
    if (words !== undefined) note(`  ${reachability.displayName}: ${words}`);
  }
  if (found.length === 0 && byDefault)
    throw notDone(
      "no endpoint: give --url, set SERVER_METRICS_DEFAULT_ENDPOINTS, or look for some with --discover HOST or --kubernetes. Nothing answers at the usual ports of this machine.",
    );
  if (found.length === 0)
    throw notDone(
      "no endpoint was discovered.",
      "Start the server, name its host (--discover HOST), or give its address with --url.",
    );
  return found.map(({ target }) => target.url);
}

/** A line for each endpoint that answers, and one for all ports of a host that fail for the same reason. */
function outcomes(probes: readonly ProbeResult[]): readonly string[] {
  const groups = groupBy(probes, (probe) => {
    const { hostname } = new URL(probe.target.url);
    return probe.target.answered ? probe.target.url : `${hostname} ${reasonOf(probe, hostname)}`;
  });
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [outcome(first, group)];
  });
}

function outcome(first: ProbeResult, group: readonly ProbeResult[]): string {
  const { displayName, servers, families } = first.reachability;
  if (first.target.answered)
    return `${displayName}: ${servers.length === 0 ? "server not recognised" : servers.join(", ")}, ${families} ${noun(families, "family", "families")}`;
  if (group.length === 1) return `${displayName}: ${reasonOf(first)}`;
  const { hostname } = new URL(first.target.url);
  const isOfHost = group.every((probe) => reasonOf(probe) === reasonOf(first));
  const ports = isOfHost ? "" : `, ports ${group.map(({ target }) => portOf(target.url)).join(", ")}`;
  return `${hostname}${ports}: ${reasonOf(first, hostname)}`;
}

function portOf(url: string): string {
  const { port, protocol } = new URL(url);
  return port === "" ? (protocol === "https:" ? "443" : "80") : port;
}

/** Why an endpoint does not answer; with `host` in place of its host and port. */
function reasonOf({ reachability, target }: ProbeResult, host?: string): string {
  const reason = reachability.problem?.reason ?? "no answer";
  return host === undefined ? reason : reason.replaceAll(new URL(target.url).host, host);
}

/** The pods of a cluster in a capture: those of its start, and from then on those that come and go. */
class Pods {
  private readonly over = new AbortController();
  private failing = false;

  private constructor(
    private readonly discovery: PodDiscovery,
    private known: readonly PodEndpoint[],
    /** Given besides: they stay, whatever becomes of a pod. */
    private readonly given: ReadonlySet<string>,
    private readonly withAccess: WithAccess,
  ) {}

  /** @throws UserError when the cluster cannot be asked, or has no such pod and nothing else is given */
  static async find(
    { kubernetes, namespace, selector }: DiscoveryFlags,
    given: readonly string[],
    withAccess: WithAccess,
  ): Promise<Pods | undefined> {
    if (kubernetes === undefined) {
      if (namespace !== undefined || selector !== undefined)
        throw new UserError("--namespace and --selector choose pods: they need --kubernetes.");
      return undefined;
    }
    try {
      const discovery = await PodDiscovery.open({
        ...(namespace === undefined ? {} : { namespace }),
        ...(selector === undefined ? {} : { selector }),
      });
      const { endpoints: pods, refused } = await discovery.endpoints();
      for (const reason of refused) noteProblem(warningOf(reason));
      const where = discovery.namespace === "*" ? "all namespaces" : `namespace ${discovery.namespace}`;
      if (pods.length === 0 && given.length === 0)
        throw notDone(
          `no running pod of an inference server in ${where}.`,
          'Name others with --selector, or label them nvidia.com/metrics-enabled: "true".',
        );
      note(`kubernetes: ${pods.length} ${noun(pods.length, "endpoint")} of pods in ${where}`);
      return new Pods(discovery, pods, new Set(given), withAccess);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      if (given.length === 0) throw error;
      noteProblem(warningOf(error.message, error.remedy));
      return undefined;
    }
  }

  get urls(): readonly string[] {
    return this.known.map(({ url }) => url);
  }

  /** The pod's name for each of its endpoints. */
  labelOf(url: string): string | undefined {
    return this.known.find((one) => one.url === url)?.pod;
  }

  /** From now on pods that come join the capture, and those that go leave it, until it is stopped. */
  async follow(capture: Capture): Promise<void> {
    const { signal } = this.over;
    while (!signal.aborted) {
      await wait(FOLLOW_MS, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await this.ask(capture);
    }
  }

  stop(): void {
    this.over.abort();
  }

  /** Never rejects. */
  private async ask(capture: Capture): Promise<void> {
    try {
      const { endpoints: now } = await this.discovery.endpoints();
      this.failing = false;
      if (this.over.signal.aborted || capture.state !== "capturing") return;
      const before = this.known;
      this.known = now;
      const missing = (from: readonly PodEndpoint[], others: readonly PodEndpoint[]) =>
        from.filter(({ url }) => !this.given.has(url) && !others.some((other) => other.url === url));
      for (const { url, pod } of missing(before, now)) {
        note(`note: pod ${pod} is gone: ${url} has left the capture; its samples are kept`);
        capture.remove(url);
      }
      for (const one of missing(now, before)) await this.join(capture, one);
    } catch (error) {
      if (!this.failing && !this.over.signal.aborted)
        noteProblem(warningOf(`Pods that start or stop cannot be followed at the moment: ${messageOf(error)}`));
      this.failing = true;
    }
  }

  /** What is wrong with one pod keeps no other from joining. Never rejects. */
  private async join(capture: Capture, { url, pod }: PodEndpoint): Promise<void> {
    try {
      const [endpoint] = await this.withAccess([url]);
      if (this.over.signal.aborted || endpoint === undefined || capture.state !== "capturing") return;
      note(`note: new pod ${pod}: ${url} joins the capture`);
      await capture.add({ ...endpoint, label: pod });
    } catch (error) {
      noteProblem(warningOf(`Pod ${pod} cannot join the capture: ${errorText(error)}`));
    }
  }
}
