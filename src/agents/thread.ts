import { spawnWorker } from "../engine/client.js";
import type { AgentRequests } from "./requests.js";

type AgentWorker = ReturnType<typeof spawnWorker<AgentRequests, Record<string, never>>>;

/**
 * A worker thread that answers agents: it is started at the first call, and anew at the next one after it has ended,
 * such as for its memory. Pending calls are then rejected with the reason.
 */
export class AgentThread {
  private worker: AgentWorker | undefined;

  /**
   * @param path of the bundled `agents.js`
   * @param memoryMiB what it may hold; undefined: as much as there is
   */
  constructor(
    private readonly path: string,
    private readonly memoryMiB: () => number | undefined,
  ) {}

  get client(): AgentWorker["client"] {
    if (this.worker !== undefined) return this.worker.client;
    const worker = spawnWorker<AgentRequests, Record<string, never>>(this.path, "server-metrics agents", {
      memoryMiB: this.memoryMiB(),
    });
    const forget = () => {
      if (this.worker === worker) this.worker = undefined;
    };
    worker.exited.then(forget, forget);
    this.worker = worker;
    return worker.client;
  }

  /** Ends captures that agents began in it, and writes their files. */
  async end(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    if (worker === undefined) return;
    await worker.client.call("stopCaptures", {});
    await worker.dispose();
  }
}
