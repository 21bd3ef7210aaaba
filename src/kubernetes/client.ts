import { spawn, type SpawnOptions } from "node:child_process";
import { CoreV1Api, KubeConfig, type V1Pod } from "@kubernetes/client-node";

/** Less than listing pods may take. */
const COMMAND_MS = 8000;

export interface PodSelection {
  /** "*" for all that may be listed; absent: that of the kubeconfig's context, or the own one inside a cluster. */
  readonly namespace?: string;
  /** As kubectl takes it: app=vllm,tier!=test. */
  readonly selector?: string;
}

/** Lists pods of one cluster. */
export interface PodLister {
  /** As asked for. */
  readonly namespace: string;
  /** Address of the API server. */
  readonly server: string;
  /** @throws what the API server answers or the network does */
  readonly list: () => Promise<readonly V1Pod[]>;
}

/** The client waits without end for the command of a kubeconfig that gives credentials. */
function endHangingCommands(config: KubeConfig): void {
  const limited = (command: string, args: readonly string[] | undefined, options: SpawnOptions) => {
    const child = spawn(command, args ?? [], options);
    // With a limit of spawn's own, this process would live until then where there is no such command.
    setTimeout(() => child.kill("SIGKILL"), COMMAND_MS).unref();
    return child;
  };
  for (const one of config["authenticators"]) if ("execFn" in one) Object.assign(one, { execFn: limited });
}

/**
 * A lister by the kubeconfig (`KUBECONFIG`, else ~/.kube/config, else a service account inside a cluster). This module
 * is a bundle of its own, loaded only when it is needed: the client brings all kinds of objects there are.
 * @throws Error for a kubeconfig that cannot be read
 */
export function podLister({ namespace, selector }: PodSelection): PodLister {
  const config = new KubeConfig();
  config.loadFromDefault();
  // What the client makes up where it has found nothing: no cluster answers there.
  if (config.getCurrentContext() === "loaded-context" && config.getCurrentCluster()?.server === "http://localhost:8080")
    throw new Error("there is none (~/.kube/config does not exist, and KUBECONFIG is not set)");
  endHangingCommands(config);
  const api = config.makeApiClient(CoreV1Api);
  const own = config.getContextObject(config.getCurrentContext())?.namespace;
  const chosen = namespace ?? process.env["AIPERF_NAMESPACE"] ?? own ?? "default";
  const wanted = {
    fieldSelector: "status.phase=Running",
    // From the API server's cache: asking often costs it little.
    resourceVersion: "0",
    ...(selector === undefined ? {} : { labelSelector: selector }),
  };
  return {
    namespace: chosen,
    server: config.getCurrentCluster()?.server ?? "",
    list: async () => {
      const { items } = await (chosen === "*"
        ? api.listPodForAllNamespaces(wanted)
        : api.listNamespacedPod({ namespace: chosen, ...wanted }));
      return items;
    },
  };
}
