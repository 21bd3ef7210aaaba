import { t } from "@vscode/l10n";
import { plural } from "../../src/core/text/plural.js";
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

/**
 * @param over the run is: its endpoints are described as they were at its end
 * @param until when it answered last, of one that did not to the end
 */
export function endpointLook(state: EndpointState, over: boolean, until?: string): StateLook {
  if (over && until !== undefined)
    return state === "failing"
      ? { icon: "warning", text: t`failed at ${until}`, tone: "warning" }
      : { icon: "warning", text: t`last answer at ${until}`, tone: "warning" };
  if (over && state === "up") return { icon: "pass", text: t("reachable at the end"), tone: "neutral" };
  if (over && state === "failing") return { icon: "warning", text: t("unreachable at the end"), tone: "warning" };
  const looks: Readonly<Record<EndpointState, StateLook>> = {
    connecting: { icon: "loading", text: t("connecting"), tone: "neutral" },
    up: { icon: "pass", text: t("up"), tone: "good" },
    failing: { icon: "warning", text: t("failing"), tone: "warning" },
    disabled: { icon: "circle-slash", text: t("disabled"), tone: "neutral" },
    recorded: { icon: "pass", text: t("captured"), tone: "neutral" },
  };
  return looks[state];
}

/** "3 scrapes failed, 2 ticks missed" of an endpoint; "" when nothing is amiss. */
export function failureCounts(failures: number, missedTicks: number): string {
  const parts: string[] = [];
  if (failures > 0) parts.push(plural(failures, t("failed scrape"), t("failed scrapes")));
  if (missedTicks > 0) parts.push(plural(missedTicks, t("missed tick"), t("missed ticks")));
  return parts.join(", ");
}
