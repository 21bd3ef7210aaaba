import type { IconName } from "../components/icon.js";
import type { EndpointState, RunHeader } from "../../src/protocol/index.js";

/** How a state is shown: never by its colour alone. */
export interface StateLook {
  readonly icon: IconName;
  readonly text: string;
  readonly tone: "good" | "warning" | "error" | "neutral";
}

export function runLook(header: Pick<RunHeader, "state" | "phase" | "readShare">): StateLook {
  switch (header.state) {
    case "preparing":
      return { icon: "loading", text: "Preparing", tone: "neutral" };
    case "opening":
      return {
        icon: "loading",
        text: header.readShare === undefined ? "Opening" : `Reading, ${Math.floor(header.readShare * 100)} %`,
        tone: "neutral",
      };
    case "capturing":
      return header.phase === "warmup"
        ? { icon: "flame", text: "Warm-up", tone: "warning" }
        : { icon: "record", text: "Profiling", tone: "good" };
    case "stopping":
      return { icon: "loading", text: "Stopping", tone: "neutral" };
    case "stopped":
      return { icon: "debug-stop", text: "Stopped", tone: "neutral" };
    case "opened":
      return { icon: "archive", text: "Saved run", tone: "neutral" };
    case "following":
      return { icon: "record", text: "Following", tone: "good" };
    case "failed":
      return { icon: "error", text: "Failed", tone: "error" };
  }
}

export function endpointLook(state: EndpointState): StateLook {
  switch (state) {
    case "connecting":
      return { icon: "loading", text: "connecting", tone: "neutral" };
    case "up":
      return { icon: "pass", text: "up", tone: "good" };
    case "failing":
      return { icon: "warning", text: "failing", tone: "warning" };
    case "disabled":
      return { icon: "circle-slash", text: "disabled", tone: "neutral" };
  }
}
