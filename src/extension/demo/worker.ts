import { UserError, errorCode } from "../../core/text/errors.js";
import { hostPort } from "../../engine/port.js";
import { startDemoServer, type DemoProfile } from "../../demo/index.js";
import { ChannelServer } from "../../protocol/index.js";
import { recordDemoRun } from "./demo-run.js";

/** What the extension host asks of the worker thread that runs the demo server. */
export interface DemoRequests {
  /** Port 0 takes any free one. Rejects when the port is taken. */
  start: {
    params: { readonly port: number; readonly profile: DemoProfile; readonly seed: number };
    result: { readonly url: string };
  };
  /** Writes the run that "Open Demo Run" shows. */
  record: { params: { readonly file: string }; result: null };
}

/** The demo server reports nothing by itself. */
export type DemoEvents = Record<string, never>;

new ChannelServer<DemoRequests, DemoEvents>(hostPort(), {
  start: async (options) => {
    try {
      const { url } = await startDemoServer(options);
      return { url };
    } catch (error) {
      if (errorCode(error) === "EADDRINUSE")
        throw new UserError(
          `The demo server cannot listen on port ${options.port}: it is in use.`,
          "Choose another port, or 0 for any free one.",
          { code: "port-in-use" },
        );
      throw error;
    }
  },
  record: ({ file }) => recordDemoRun(file),
});
