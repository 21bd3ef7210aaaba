import { UserError, messageOf } from "../core/text/errors.js";
import type { PodLister, PodSelection } from "./client.js";
import { podEndpoints, type FoundPods } from "./pods.js";

const TIMEOUT_MS = 10_000;
const UNREACHABLE = { code: "nothing-reachable" };

/** The metrics endpoints of a cluster's pods, as often as they are asked for. */
export class PodDiscovery {
  private constructor(
    private readonly lister: PodLister,
    private readonly chosen: boolean,
  ) {}

  /** @throws UserError when there is no usable kubeconfig */
  static async open(selection: PodSelection): Promise<PodDiscovery> {
    const { podLister } = await import("./client.js");
    try {
      return new PodDiscovery(podLister(selection), selection.selector !== undefined);
    } catch (error) {
      throw new UserError(`The kubeconfig cannot be used: ${reasonOf(error)}.`, REMEDY, UNREACHABLE);
    }
  }

  get namespace(): string {
    return this.lister.namespace;
  }

  /** @throws UserError */
  async endpoints(): Promise<FoundPods> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS);
    });
    try {
      return podEndpoints(await Promise.race([this.lister.list(), late]), this.chosen);
    } catch (error) {
      throw this.described(error);
    } finally {
      clearTimeout(timer);
    }
  }

  private described(error: unknown): UserError {
    const { namespace, server } = this.lister;
    const where = namespace === "*" ? "all namespaces" : `namespace ${namespace}`;
    const status = error instanceof Error && "code" in error && typeof error.code === "number" ? error.code : undefined;
    if (status === 401 || status === 403)
      return new UserError(
        `The Kubernetes API server ${server} does not let you list the pods of ${where} (HTTP ${status}).`,
        "Log in again, ask for the right to list pods there, or name another one with --namespace.",
        UNREACHABLE,
      );
    if (status !== undefined)
      return new UserError(
        `The Kubernetes API server ${server} answered with HTTP ${status} when asked for the pods of ${where}.`,
        status === 400 ? "Check --selector: it is written as for kubectl, such as app=vllm." : REMEDY,
        UNREACHABLE,
      );
    return new UserError(
      `The Kubernetes API server ${server} cannot be asked: ${reasonOf(error)}.`,
      REMEDY,
      UNREACHABLE,
    );
  }
}

const REMEDY = "Check with kubectl get pods; the variable KUBECONFIG names another kubeconfig.";

/** Of what a parser or a command says only the first line: the others quote the kubeconfig. */
function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError || error instanceof TypeError)
    return "the command that the kubeconfig has for credentials printed none";
  const [message = ""] = messageOf(error).trim().split("\n");
  const command = /^spawn (.*) (ENOENT|EACCES)$/.exec(message)?.[1];
  if (command !== undefined) return `${command}, the command that the kubeconfig has for credentials, cannot be run`;
  if (message === "") return "the command that the kubeconfig has for credentials failed, or took longer than 8 s";
  return message.replace(/\.$/, "");
}
