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

const COMMANDS = {
  stop: "serverMetrics.stopCapture",
  markProfilingStart: "serverMetrics.markProfilingStart",
  addMark: "serverMetrics.addMark",
  recover: "serverMetrics.recoverCaptures",
  start: "serverMetrics.startCapture",
} as const satisfies Record<string, CommandId>;

/** What the buttons of a run's page do. @param endpoints asked for when a button is pressed */
export function pageActions(captures: Captures, write: WriteParts, endpoints: () => EndpointParts): RunActions {
  return {
    captureCommand: async ({ command, time }, shown) => {
      if (command === "exportAs") return exportCapture(write, shown);
      if (command === "addMark" && time !== undefined) return addMark(captures, time);
      await commands.executeCommand(COMMANDS[command]);
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
