import { spawnWorker } from "../engine/client.js";
import type { AgentRequests } from "./requests.js";
import type { ToolAnswer } from "./tool.js";

type AgentWorker = ReturnType<typeof spawnWorker<AgentRequests, Record<string, never>>>;

/** Calls of a thread. */
interface Calls {
  all: number;
  pending: number;
}

/**
 * A worker thread that answers agents: it is started at the first call, and anew at the next one after it has ended,
 * such as for its memory. Pending calls are then rejected with the reason.
 */
export class AgentThread {
  private worker: AgentWorker | undefined;
  private calls: Calls = { all: 0, pending: 0 };

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
    this.calls = { all: 0, pending: 0 };
    return worker.client;
  }

  /**
   * Calls a tool that reads. Where it lacks memory, the thread ends, and all it held is free; where earlier calls had
   * left something there, the tool is called once more in a new one.
   * @throws what ends the thread
   */
  async answer(params: AgentRequests["call"]["params"]): Promise<ToolAnswer> {
    const { client, calls } = this;
    const isFirst = calls.all++ === 0;
    calls.pending++;
    const answer = await client.call("call", params).finally(() => calls.pending--);
    if (answer.lacksMemory !== true || calls.pending > 0) return answer;
    if (calls === this.calls) await this.end();
    return isFirst ? answer : this.answer(params);
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
