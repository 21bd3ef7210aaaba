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

/**
 * The metrics endpoints of running pods by AIPerf's rules: label `nvidia.com/metrics-enabled`, annotations
 * `aiperf.nvidia.com/metrics-paths` and `prometheus.io/port`, `scheme`, `path`, and images of inference servers.
 * `prometheus.io/scrape` makes no pod eligible.
 * @param chosen by a selector of the user's: all of them are eligible
 * @returns without duplicates, sorted by URL
 */
export function podEndpoints(pods: readonly V1Pod[], chosen: boolean): readonly PodEndpoint[] {
  const byUrl = new Map<string, PodEndpoint>();
  for (const pod of pods)
    if (chosen || isEligible(pod))
      for (const endpoint of endpointsOf(pod)) if (!byUrl.has(endpoint.url)) byUrl.set(endpoint.url, endpoint);
  return [...byUrl.values()].sort((a, b) => (a.url < b.url ? -1 : a.url > b.url ? 1 : 0));
}

function isEligible({ metadata, spec }: V1Pod): boolean {
  if (metadata?.labels?.[ENABLED_LABEL]?.toLowerCase() === "true") return true;
  if ((metadata?.annotations?.[PATHS_ANNOTATION] ?? "").trim() !== "") return true;
  return (spec?.containers ?? []).some(({ image = "" }) => IMAGES.some((name) => image.toLowerCase().includes(name)));
}

function endpointsOf(pod: V1Pod): readonly PodEndpoint[] {
  const { metadata, spec, status } = pod;
  const { podIP = "" } = status ?? {};
  const annotations = metadata?.annotations ?? {};
  const ports = (spec?.containers ?? []).flatMap(({ ports: own }) => own ?? []);
  const stated = annotations["prometheus.io/port"]?.trim() ?? "";
  const port = /^\d+$/.test(stated)
    ? Number(stated)
    : (ports.find(({ name }) => name === "metrics") ?? ports[0])?.containerPort;
  if (status?.phase !== "Running" || podIP === "" || port === undefined) return [];
  const scheme = nonEmpty(annotations["prometheus.io/scheme"]) ?? "http";
  const host = podIP.includes(":") ? `[${podIP}]` : podIP;
  const listed = (annotations[PATHS_ANNOTATION] ?? "")
    .split(",")
    .map((path) => path.trim())
    .filter((path) => path !== "");
  const paths = listed.length > 0 ? listed : [nonEmpty(annotations["prometheus.io/path"]) ?? "/metrics"];
  return paths.map((path) => ({
    url: `${scheme}://${host}:${port}${path.startsWith("/") ? path : `/${path}`}`,
    pod: `${metadata?.namespace ?? "default"}/${metadata?.name ?? podIP}`,
  }));
}

function nonEmpty(text: string | undefined): string | undefined {
  const trimmed = text?.trim() ?? "";
  return trimmed === "" ? undefined : trimmed;
}
