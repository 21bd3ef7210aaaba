import { commands, window, type QuickPickItem } from "vscode";
import type { CommandId } from "../command-ids.js";
import { statusText } from "../status-text.js";
import type { Captures } from "./captures.js";

type MenuItem = QuickPickItem & { readonly command: CommandId };

/** What a click on the status bar item offers. */
export async function showCaptureMenu(captures: Captures): Promise<void> {
  const running = captures.state.kind === "capturing";
  const header = captures.active?.header;
  const warmup = running && header?.phase === "warmup";
  const items: MenuItem[] = [
    ...(running
      ? [{ label: "$(debug-stop) Stop and write artifacts", command: "serverMetrics.stopCapture" } as const]
      : []),
    ...(warmup
      ? [
          {
            label: "$(flag) Mark profiling start",
            description: "ends the warm-up",
            command: "serverMetrics.markProfilingStart",
          } as const,
        ]
      : []),
    ...(running ? [{ label: "$(bookmark) Add mark", command: "serverMetrics.addMark" } as const] : []),
    ...(captures.latest === undefined
      ? []
      : [{ label: "$(graph-line) Open live view", command: "serverMetrics.openLiveView" } as const]),
    ...(captures.latest !== undefined && !running
      ? [{ label: "$(save-as) Export capture as…", command: "serverMetrics.exportCapture" } as const]
      : []),
    ...(captures.state.kind === "idle"
      ? [{ label: "$(play) Start a capture", command: "serverMetrics.startCapture" } as const]
      : []),
    { label: "$(output) Show log", command: "serverMetrics.showLog" },
  ];
  const picked = await window.showQuickPick(items, {
    title: "Server Metrics",
    placeHolder: header === undefined ? "No capture is running" : statusText(header),
  });
  if (picked !== undefined) await commands.executeCommand(picked.command);
}
