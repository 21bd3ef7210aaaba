import { UserError } from "../../core/text/user-error.js";
import { errorCode } from "../../core/text/error-text.js";
import { hostPort } from "../../engine/port.js";
import { startDemoServer } from "../../demo/index.js";
import { ChannelServer } from "../../protocol/index.js";
import { recordDemoRun } from "./demo-run.js";
import type { DemoEvents, DemoRequests } from "./protocol.js";

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
