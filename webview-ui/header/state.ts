import { t } from "@vscode/l10n";
import type { IconName } from "../components/icon.js";
import type { EndpointStatus, RunHeader } from "../../src/protocol/index.js";
import { formatRelative, relativeSeconds } from "../format/time.js";

/** How a state is shown: never by its colour alone. */
export interface StateLook {
  readonly icon: IconName;
  readonly text: string;
  readonly tone: "good" | "warning" | "error" | "neutral";
}

export function runLook(header: Pick<RunHeader, "state" | "phase" | "readShare">): StateLook {
  switch (header.state) {
    case "opening":
      return {
        icon: "loading",
        text: header.readShare === undefined ? t("Opening") : t`Reading, ${Math.floor(header.readShare * 100)} %`,
        tone: "neutral",
      };
    case "capturing":
      return header.phase === "warmup"
        ? { icon: "flame", text: t("Warm-up"), tone: "warning" }
        : { icon: "record", text: t("Profiling"), tone: "good" };
    case "stopping":
      return { icon: "loading", text: t("Stopping"), tone: "neutral" };
    case "stopped":
      return { icon: "debug-stop", text: t("Stopped"), tone: "neutral" };
    case "opened":
      return { icon: "archive", text: t("Saved run"), tone: "neutral" };
    case "following":
      return { icon: "record", text: t("Following"), tone: "good" };
  }
}

/** What is over is described as it was at its end. */
export function isOver({ state }: Pick<RunHeader, "state">): boolean {
  return state === "opened" || state === "stopped";
}

export function endpointLook({ state, answeredUntil }: EndpointStatus, header: RunHeader): StateLook {
  const over = isOver(header);
  if (over && answeredUntil !== undefined) {
    const until = formatRelative(relativeSeconds(answeredUntil, header.profilingStart));
    const text = state === "failing" ? t`failed at ${until}` : t`last answer at ${until}`;
    return { icon: "warning", text, tone: "warning" };
  }
  switch (state) {
    case "connecting":
      return { icon: "loading", text: t("connecting"), tone: "neutral" };
    case "up":
      return over
        ? { icon: "pass", text: t("reachable at the end"), tone: "neutral" }
        : { icon: "pass", text: t("up"), tone: "good" };
    case "failing":
      return { icon: "warning", text: over ? t("unreachable at the end") : t("failing"), tone: "warning" };
    case "disabled":
      return { icon: "circle-slash", text: t("disabled"), tone: "neutral" };
    case "recorded":
      return { icon: "pass", text: t("captured"), tone: "neutral" };
  }
}
