import { t } from "@vscode/l10n";
import { commands } from "vscode";
import type { CommandId } from "../manifest/commands.js";
import { pickOne, type PickRow } from "../workbench-text.js";
import { statusText } from "../status-text.js";
import type { Captures } from "./captures.js";

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
