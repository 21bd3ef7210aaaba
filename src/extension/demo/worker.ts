import { errorCode } from "../../core/text/error-text.js";
import { hostPort } from "../../engine/port.js";
import { startDemoServer } from "../../demo/index.js";
import { ChannelServer, RequestError } from "../../protocol/index.js";
import { recordDemoRun } from "./demo-run.js";
import type { DemoEvents, DemoRequests } from "./protocol.js";

new ChannelServer<DemoRequests, DemoEvents>(hostPort(), {
  start: async (options) => {
    try {
      const { url } = await startDemoServer(options);
      return { url };
    } catch (error) {
      if (errorCode(error) === "EADDRINUSE") {
        throw new RequestError({
          code: "port-in-use",
          message: `The demo server cannot listen on port ${options.port}: it is in use.`,
          remedy: "Choose another port, or 0 for any free one.",
        });
      }
      throw error;
    }
  },
  record: async ({ file }) => {
    await recordDemoRun(file);
    return null;
  },
});
