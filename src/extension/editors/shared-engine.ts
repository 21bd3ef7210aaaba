import type { RunEngine } from "../engine.js";

/**
 * An engine that several use, as an editor and the exports started from it do. It ends with the last that lets go of
 * it.
 */
export class SharedEngine {
  private users = 0;

  constructor(private readonly engine: RunEngine) {}

  /** The engine for one more user, whose `dispose` lets go of it. */
  share(): RunEngine {
    this.users++;
    let disposed = false;
    return {
      client: this.engine.client,
      crashed: this.engine.crashed,
      dispose: async () => {
        if (disposed) return;
        disposed = true;
        if (--this.users === 0) await this.engine.dispose();
      },
    };
  }
}
