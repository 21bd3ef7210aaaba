import { UserError } from "../core/text/errors.js";
import { spawnWorker } from "../engine/client.js";
import { NARROWER_QUESTION } from "./answer.js";
import type { AgentCall, AgentRequests } from "./worker.js";
import type { ToolAnswer } from "./tool.js";

type AgentWorker = ReturnType<typeof spawnWorker<AgentRequests, Record<string, never>>>;

/** Beyond the time that reading a file may take, which gives up by itself. */
const DEADLINE_SECONDS = 50;
const ENDED = "Another call took too long and ended what answers.";

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
   * @param seconds that a call may take before its thread is ended
   */
  constructor(
    private readonly path: string,
    private readonly memoryMiB: () => number | undefined,
    private readonly seconds = DEADLINE_SECONDS,
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
   * left something there, the tool is called once more in a new one. One that takes too long ends its thread.
   * @throws what ends the thread
   */
  async answer(params: AgentCall): Promise<ToolAnswer> {
    const { client, calls } = this;
    const isFirst = calls.all++ === 0;
    calls.pending++;
    const { worker } = this;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      if (this.worker === worker) this.worker = undefined;
      void worker?.dispose();
    }, 1000 * this.seconds);
    const answer = await client
      .call("call", params)
      .catch((error: unknown) => {
        if (isLate)
          throw new UserError(`${params.tool} took longer than ${this.seconds} s and was ended.`, NARROWER_QUESTION);
        if (error instanceof UserError && error.code === "disposed") throw new UserError(ENDED, "Call it again.");
        throw error;
      })
      .finally(() => {
        clearTimeout(timer);
        calls.pending--;
      });
    if (answer.lacksMemory !== true || calls.pending > 0) return answer;
    if (calls === this.calls) await this.kill();
    return isFirst ? answer : this.answer(params);
  }

  /** Ends it in the midst of whatever it does: it only reads. */
  async kill(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    await worker?.dispose();
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
