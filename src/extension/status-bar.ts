import { t } from "@vscode/l10n";
import { Disposable, StatusBarAlignment, ThemeColor, commands } from "vscode";
import type { Captures } from "./capture/captures.js";
import { createStatus, pickOne, type PickRow } from "./workbench-text.js";
import { endpointsUp, statusText, statusTooltip } from "./status-text.js";
import type { CommandId } from "./manifest/commands.js";

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

type MenuItem = PickRow & { readonly command: CommandId };

/** What a click on the status bar item offers. */
export async function showCaptureMenu(captures: Captures): Promise<void> {
  const running = captures.state.kind === "capturing";
  const header = captures.active?.header;
  const hasRun = captures.latest !== undefined;
  const items: readonly (MenuItem & { readonly when: boolean })[] = [
    {
      when: running,
      icon: "debug-stop",
      label: t("Stop and write artifacts"),
      command: "serverMetrics.stopCapture",
    },
    {
      when: running && header?.phase === "warmup",
      icon: "flag",
      label: t("Mark profiling start"),
      description: t("ends the warm-up"),
      command: "serverMetrics.markProfilingStart",
    },
    { when: running, icon: "bookmark", label: t("Add mark"), command: "serverMetrics.addMark" },
    { when: hasRun, icon: "graph-line", label: t("Open live view"), command: "serverMetrics.openLiveView" },
    {
      when: hasRun && !running,
      icon: "save-as",
      label: t("Export capture as…"),
      command: "serverMetrics.exportCapture",
    },
    {
      when: captures.state.kind === "idle",
      icon: "play",
      label: t("Start a capture"),
      command: "serverMetrics.startCapture",
    },
    { when: true, icon: "output", label: t("Show log"), command: "serverMetrics.showLog" },
  ];
  const picked = await pickOne(
    items.filter(({ when }) => when),
    {
      title: t("Server Metrics"),
      placeHolder: header === undefined ? t("No capture is running") : statusText(header),
    },
  );
  if (picked !== undefined) await commands.executeCommand(picked.command);
}
