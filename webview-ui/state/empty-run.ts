import { t } from "@vscode/l10n";
import type { Problem, RunHeader } from "../../src/protocol/index.js";

/** Why a run has no metrics to show, and what to do about it. */
export function emptyRun(header: RunHeader): Problem {
  switch (header.state) {
    case "opening":
      return { severity: "info", reason: t("The run is being opened.") };
    case "stopping":
    case "stopped":
      return {
        severity: "info",
        reason: t("This capture ended before any endpoint answered with metrics."),
        remedy: t("The endpoints' states above say what was wrong."),
      };
    case "opened":
    case "following":
      return {
        severity: "info",
        reason: t("This run holds no metrics."),
        remedy: t("Its endpoints above say whether any was ever reached."),
      };
    case "capturing":
      return {
        severity: "info",
        reason: t("No endpoint has answered with metrics yet."),
        remedy: t("Metrics appear with the first scrape that succeeds; the endpoints' states above say what is wrong."),
      };
  }
}
