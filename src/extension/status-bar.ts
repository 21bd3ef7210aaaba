import { t } from "@vscode/l10n";
import { Disposable, StatusBarAlignment, ThemeColor } from "vscode";
import type { Captures } from "./capture/captures.js";
import { createStatus } from "./workbench-text.js";
import { endpointsUp, statusText, statusTooltip } from "./status-text.js";

/** The capture at a glance; shown while one is being prepared or runs. A click asks what to do. */
export function createStatusBar(captures: Captures): Disposable {
  const { item, set } = createStatus("serverMetrics.capture", StatusBarAlignment.Left, 50);
  item.name = t("Server Metrics Capture");
  item.command = "serverMetrics.showCaptureMenu";
  const update = () => {
    const { state } = captures;
    if (state.kind === "idle") {
      item.hide();
      return;
    }
    const header = state.kind === "preparing" ? undefined : state.run.header;
    if (header === undefined) {
      set({
        icon: "sync~spin",
        text: t("Testing endpoints"),
        tooltip: t("Server Metrics: the endpoints are being tested"),
        spoken: t("Server metrics capture: testing endpoints"),
      });
    } else {
      const { up, total } = endpointsUp(header);
      const down = up < total;
      const stopping = state.kind === "stopping";
      set({
        icon: stopping ? "sync~spin" : down ? "warning" : "record",
        text: stopping ? t("Stopping the capture") : statusText(header),
        tooltip: statusTooltip(header),
        ...(down ? { background: new ThemeColor("statusBarItem.warningBackground") } : {}),
        spoken: t`Server metrics capture: ${statusText(header)}`,
      });
    }
    item.show();
  };
  update();
  return Disposable.from(item, captures.onDidChange(update));
}
