import { commands } from "vscode";
import type { Captures } from "../capture/captures.js";
import { exportCapture } from "../capture/export.js";
import { addMark } from "../capture/marks.js";
import type { WriteParts } from "../capture/write-artifacts.js";
import type { CommandId } from "../manifest/commands.js";
import {
  editEndpointUrl,
  type EndpointParts,
  removeEndpoint,
  retryEndpoint,
  setEndpointHeaders,
} from "../endpoint-commands.js";
import type { RunActions } from "../view/live-view.js";

async function run(command: CommandId): Promise<void> {
  await commands.executeCommand(command);
}

/** What the buttons of a run's page do. @param endpoints asked for when a button is pressed */
export function pageActions(captures: Captures, write: WriteParts, endpoints: () => EndpointParts): RunActions {
  return {
    captureCommand: async ({ command, time }, shown) => {
      switch (command) {
        case "stop":
          return run("serverMetrics.stopCapture");
        case "markProfilingStart":
          return run("serverMetrics.markProfilingStart");
        case "addMark":
          return time === undefined ? run("serverMetrics.addMark") : addMark(captures, time);
        case "exportAs":
          return exportCapture(write, shown);
        case "recover":
          return run("serverMetrics.recoverCaptures");
        case "start":
          return run("serverMetrics.startCapture");
      }
    },
    endpointCommand: (command, url, shown) => {
      switch (command) {
        case "retry":
          return retryEndpoint(shown, url);
        case "setHeaders":
          return setEndpointHeaders(endpoints(), url);
        case "editUrl":
          return editEndpointUrl(endpoints(), shown, url);
        case "remove":
          return removeEndpoint(endpoints(), shown, url);
      }
    },
  };
}
