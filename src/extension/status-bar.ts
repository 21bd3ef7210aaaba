import { Disposable, MarkdownString, StatusBarAlignment, ThemeColor, window } from "vscode";
import type { Captures } from "./capture/captures.js";
import { endpointsUp, statusText, statusTooltip } from "./status-text.js";

/** The capture at a glance; shown while one is being prepared or runs. A click asks what to do. */
export function createStatusBar(captures: Captures): Disposable {
  const item = window.createStatusBarItem("serverMetrics.capture", StatusBarAlignment.Left, 50);
  item.name = "Server Metrics Capture";
  item.command = "serverMetrics.showCaptureMenu";
  const update = () => {
    const { state } = captures;
    if (state.kind === "idle") {
      item.hide();
      return;
    }
    const header = state.kind === "preparing" ? undefined : state.run.header;
    if (header === undefined) {
      item.text = "$(sync~spin) Testing endpoints";
      item.tooltip = "Server Metrics: the endpoints are being tested";
      item.backgroundColor = undefined;
    } else {
      const { up, total } = endpointsUp(header);
      const down = up < total;
      item.text =
        state.kind === "stopping"
          ? "$(sync~spin) Stopping the capture"
          : `${down ? "$(warning)" : "$(record)"} ${statusText(header)}`;
      const tooltip = new MarkdownString(statusTooltip(header), true);
      tooltip.isTrusted = false;
      item.tooltip = tooltip;
      item.backgroundColor = down ? new ThemeColor("statusBarItem.warningBackground") : undefined;
      item.accessibilityInformation = { label: `Server metrics capture: ${statusText(header)}` };
    }
    item.show();
  };
  update();
  return Disposable.from(item, captures.onDidChange(update));
}
