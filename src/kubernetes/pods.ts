import { isIP } from "node:net";
import type { V1Pod } from "@kubernetes/client-node";

/** Names in images that say that a container serves metrics of an inference server; AIPerf's list. */
const IMAGES = [
  "vllm",
  "sglang",
  "tritonserver",
  "triton-server",
  "triton-inference-server",
  "tensorrt-llm",
  "tensorrtllm",
  "trt-llm",
  "trtllm",
  "dynamo",
];
const ENABLED_LABEL = "nvidia.com/metrics-enabled";
const PATHS_ANNOTATION = "aiperf.nvidia.com/metrics-paths";

/** A pod's endpoint. */
export interface PodEndpoint {
  readonly url: string;
  /** namespace/name */
  readonly pod: string;
}

/** What a cluster has: endpoints without duplicates, sorted by URL, and why pods have none that may be contacted. */
export interface FoundPods {
  readonly endpoints: readonly PodEndpoint[];
  /** A sentence each. */
  readonly refused: readonly string[];
}

/**
 * The metrics endpoints of running pods by AIPerf's rules: label `nvidia.com/metrics-enabled`, annotations
 * `aiperf.nvidia.com/metrics-paths` and `prometheus.io/port`, `scheme`, `path`, and images of inference servers.
 * `prometheus.io/scrape` makes no pod eligible.
 * Annotations are text of whoever may label a pod: a URL made of them names the pod's own address, or is refused.
 * @param chosen by a selector of the user's: all of them are eligible
 */
export function podEndpoints(pods: readonly V1Pod[], chosen: boolean): FoundPods {
  const byUrl = new Map<string, PodEndpoint>();
  const refused: string[] = [];
  for (const pod of pods) {
    if (!chosen && !isEligible(pod)) continue;
    const found = endpointsOf(pod);
    if (typeof found === "string") refused.push(`Pod ${nameOf(pod)} is left out: ${found}.`);
    else for (const endpoint of found) if (!byUrl.has(endpoint.url)) byUrl.set(endpoint.url, endpoint);
  }
  return { endpoints: [...byUrl.values()].sort((a, b) => (a.url < b.url ? -1 : a.url > b.url ? 1 : 0)), refused };
}

function nameOf({ metadata, status }: V1Pod): string {
  return `${metadata?.namespace ?? "default"}/${metadata?.name ?? status?.podIP ?? ""}`;
}

function isEligible({ metadata, spec }: V1Pod): boolean {
  if (metadata?.labels?.[ENABLED_LABEL]?.toLowerCase() === "true") return true;
  if ((metadata?.annotations?.[PATHS_ANNOTATION] ?? "").trim() !== "") return true;
  return (spec?.containers ?? []).some(({ image = "" }) => IMAGES.some((name) => image.toLowerCase().includes(name)));
}

/** @returns why the pod's annotations are not used, else its endpoints */
function endpointsOf(pod: V1Pod): readonly PodEndpoint[] | string {
  const { metadata, spec, status } = pod;
  const { podIP = "" } = status ?? {};
  const annotations = metadata?.annotations ?? {};
  const ports = (spec?.containers ?? []).flatMap(({ ports: own }) => own ?? []);
  const stated = annotations["prometheus.io/port"]?.trim() ?? "";
  const port = /^\d+$/.test(stated)
    ? Number(stated)
    : (ports.find(({ name }) => name === "metrics") ?? ports[0])?.containerPort;
  if (status?.phase !== "Running" || podIP === "" || port === undefined) return [];
  const scheme = (nonEmpty(annotations["prometheus.io/scheme"]) ?? "http").toLowerCase();
  if (scheme !== "http" && scheme !== "https") return "its annotation prometheus.io/scheme is neither http nor https";
  if (port < 1 || port > 65_535) return "its annotation prometheus.io/port is not a valid port";
  const listed = (annotations[PATHS_ANNOTATION] ?? "")
    .split(",")
    .map((path) => path.trim())
    .filter((path) => path !== "");
  const paths = listed.length > 0 ? listed : [nonEmpty(annotations["prometheus.io/path"]) ?? "/metrics"];
  const urls = paths.map((path) => podUrl(scheme, podIP, port, path));
  if (!urls.every((url) => url !== undefined)) return `${podIP} is not an IP address`;
  return urls.map((url) => ({ url, pod: nameOf(pod) }));
}

/** By setters, so that no part can become another one; undefined where the host is not the address after all. */
function podUrl(scheme: string, ip: string, port: number, path: string): string | undefined {
  const host = isIP(ip) === 6 ? `[${ip}]` : ip;
  if (isIP(ip) === 0 || !URL.canParse(`http://${host}`)) return undefined;
  const url = new URL("http://pod.invalid");
  url.protocol = scheme;
  url.hostname = host;
  url.port = String(port);
  const [before = "", ...query] = path.split("?");
  url.pathname = before;
  url.search = query.join("?");
  return url.hostname === new URL(`http://${host}`).hostname ? url.href : undefined;
}

function nonEmpty(text: string | undefined): string | undefined {
  const trimmed = text?.trim() ?? "";
  return trimmed === "" ? undefined : trimmed;
}
