import { Worker } from "node:worker_threads";

/** A reader that has not come back after so long does not come back: machines are busy, but not that busy. */
const ENDLESS_MS = 60_000;

/**
 * Watches from a thread of its own what a reader is given. From an endless loop no other thread can take the input
 * back: it is written to a file, and the process ends.
 */
export class HangWatch {
  private readonly input: Uint8Array;
  /** How many inputs there were, and the length of the last. */
  private readonly state: Int32Array;
  private readonly worker: Worker;

  /** @param file where the input is written */
  constructor(file: string, longestInput: number, endlessMs = ENDLESS_MS) {
    const shared = new SharedArrayBuffer(8 + longestInput);
    this.state = new Int32Array(shared, 0, 2);
    this.input = new Uint8Array(shared, 8);
    this.worker = new Worker(WATCH, { eval: true, workerData: { shared, file, endlessMs } });
    this.worker.unref();
  }

  begin(input: Uint8Array): void {
    this.input.set(input);
    this.state[1] = input.length;
    Atomics.add(this.state, 0, 1);
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }
}

const WATCH = `
const { workerData: { shared, file, endlessMs } } = require("node:worker_threads");
const fs = require("node:fs");
const state = new Int32Array(shared, 0, 2);
let seen = 0;
setInterval(() => {
  const now = Atomics.load(state, 0);
  if (now !== seen) return void (seen = now);
  if (now === 0) return;
  fs.mkdirSync(require("node:path").dirname(file), { recursive: true });
  fs.writeFileSync(file, Buffer.from(shared, 8, state[1]));
  fs.writeSync(2, file + ": the reader does not come back from it\\n");
  process.kill(process.pid, "SIGKILL");
}, endlessMs);
`;
