import { setImmediate } from "node:timers/promises";

/**
 * Jobs that are done one at a time: the most urgent first, of one urgency in the order in which they came. A job waits
 * once, however often it is added.
 */
export class Jobs<Job> {
  private readonly waiting: Job[] = [];
  private running: { readonly job: Job; readonly controller: AbortController } | undefined;
  private working = false;

  constructor(
    private readonly rules: {
      /** Smaller is more urgent. */
      readonly urgency: (job: Job) => number;
      readonly same: (a: Job, b: Job) => boolean;
      /** Whether a running job is worth nothing once another has been added: its signal aborts. */
      readonly outdates: (added: Job, running: Job) => boolean;
      /** Never rejects. */
      readonly run: (job: Job, signal: AbortSignal) => Promise<void>;
    },
  ) {}

  add(job: Job): void {
    const { urgency, same, outdates } = this.rules;
    if (this.running !== undefined && outdates(job, this.running.job)) this.running.controller.abort();
    if (this.waiting.some((other) => same(other, job))) return;
    const later = this.waiting.findIndex((other) => urgency(other) > urgency(job));
    this.waiting.splice(later < 0 ? this.waiting.length : later, 0, job);
    if (!this.working) void this.work();
  }

  private async work(): Promise<void> {
    this.working = true;
    try {
      for (;;) {
        // What is asked for at once is known before anything of it begins.
        await setImmediate();
        const job = this.waiting.shift();
        if (job === undefined) return;
        const controller = new AbortController();
        this.running = { job, controller };
        await this.rules.run(job, controller.signal);
        this.running = undefined;
      }
    } finally {
      // A job that fails all the same does not keep the others waiting.
      this.running = undefined;
      this.working = false;
      if (this.waiting.length > 0) void this.work();
    }
  }
}
