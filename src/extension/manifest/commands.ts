import { COMMAND_IDS, CONTEXT_KEYS, EDITOR_TYPES, LIVE_VIEW_TYPE, VIEW_IDS, type CommandId } from "../command-ids.js";

type Menu = "view/title" | "view/item/context" | "editor/title" | "explorer/context";

/** How the workbench shows a command. */
interface ShownCommand {
  readonly title: string;
  readonly icon?: string;
  readonly enablement?: string;
  /** The last of its keys, behind Ctrl+Alt+M. */
  readonly key?: string;
  /** When the palette lists it; absent: always. */
  readonly palette?: string;
  readonly menus?: readonly (readonly [menu: Menu, when: string, group: string])[];
}

const CATEGORY = "Server Metrics";
const NEVER = "false";
const CAPTURE_VIEW = `view == ${VIEW_IDS.capture}`;
const ARTIFACTS_VIEW = `view == ${VIEW_IDS.artifacts}`;
const EDITORS = Object.values(EDITOR_TYPES).map((type) => `activeCustomEditorId == ${type}`);
const IN_EDITOR = `(${EDITORS.join(" || ")})`;
const NOT_IN_EDITOR = EDITORS.join(" && ").replaceAll("==", "!=");
const IN_LIVE_VIEW = `activeWebviewPanelId == ${LIVE_VIEW_TYPE}`;
const IN_EDITOR_OR_LIVE_VIEW = `(${[...EDITORS, IN_LIVE_VIEW].join(" || ")})`;
const IS_ARTIFACT =
  "resourceFilename =~ /^(server_metrics_export|.*_server_metrics)\\.(json|csv|jsonl|parquet)(\\.gz|\\.zst)?$/";

const COMMANDS: Readonly<Record<CommandId, ShownCommand>> = {
  "serverMetrics.startCapture": {
    title: "Start Server Metrics Capture",
    icon: "play",
    enablement: `!${CONTEXT_KEYS.busy}`,
    key: "s",
    menus: [["view/title", `${CAPTURE_VIEW} && !${CONTEXT_KEYS.busy}`, "navigation@1"]],
  },
  "serverMetrics.stopCapture": {
    title: "Stop Server Metrics Capture",
    icon: "debug-stop",
    enablement: CONTEXT_KEYS.capturing,
    key: "s",
    menus: [["view/title", `${CAPTURE_VIEW} && ${CONTEXT_KEYS.capturing}`, "navigation@1"]],
  },
  "serverMetrics.markProfilingStart": {
    title: "Mark Profiling Start",
    icon: "flag",
    enablement: CONTEXT_KEYS.warmup,
    key: "p",
    menus: [["view/title", `${CAPTURE_VIEW} && ${CONTEXT_KEYS.warmup}`, "navigation@2"]],
  },
  "serverMetrics.addMark": {
    title: "Add Mark",
    icon: "bookmark",
    enablement: CONTEXT_KEYS.capturing,
    key: "a",
    menus: [["view/title", `${CAPTURE_VIEW} && ${CONTEXT_KEYS.capturing}`, "navigation@3"]],
  },
  "serverMetrics.openLiveView": {
    title: "Open Live View",
    icon: "graph-line",
    enablement: CONTEXT_KEYS.hasRun,
    key: "v",
    menus: [["view/title", `${CAPTURE_VIEW} && ${CONTEXT_KEYS.hasRun}`, "navigation@4"]],
  },
  "serverMetrics.exportCapture": {
    title: "Export Capture As…",
    icon: "save-as",
    enablement: CONTEXT_KEYS.canExport,
    key: "e",
    menus: [["view/title", `${CAPTURE_VIEW} && ${CONTEXT_KEYS.canExport}`, "navigation@5"]],
  },
  "serverMetrics.recoverCaptures": {
    title: "Recover Unsaved Captures",
    menus: [["view/title", ARTIFACTS_VIEW, "1_more@1"]],
  },
  "serverMetrics.openRunFromPrometheus": {
    title: "Open Run from Prometheus…",
    icon: "cloud-download",
    menus: [["view/title", ARTIFACTS_VIEW, "navigation@3"]],
  },
  "serverMetrics.showCaptureMenu": { title: "Show Capture Actions" },
  "serverMetrics.startDemoServer": {
    title: "Start Demo Server",
    icon: "beaker",
    enablement: `!${CONTEXT_KEYS.demoRunning}`,
    menus: [["view/title", `${CAPTURE_VIEW} && !${CONTEXT_KEYS.demoRunning}`, "2_demo@1"]],
  },
  "serverMetrics.stopDemoServer": {
    title: "Stop Demo Server",
    icon: "beaker-stop",
    enablement: CONTEXT_KEYS.demoRunning,
    menus: [["view/title", `${CAPTURE_VIEW} && ${CONTEXT_KEYS.demoRunning}`, "2_demo@1"]],
  },
  "serverMetrics.openDemoRun": { title: "Open Demo Run" },
  "serverMetrics.discoverEndpoints": {
    title: "Discover Endpoints",
    icon: "search",
    menus: [["view/title", CAPTURE_VIEW, "1_endpoints@2"]],
  },
  "serverMetrics.addEndpoint": {
    title: "Add Endpoint",
    icon: "add",
    menus: [["view/title", CAPTURE_VIEW, "1_endpoints@1"]],
  },
  "serverMetrics.setEndpointHeaders": {
    title: "Set Endpoint Headers",
    icon: "key",
    menus: [
      ["view/title", CAPTURE_VIEW, "1_endpoints@3"],
      ["view/item/context", `${CAPTURE_VIEW} && viewItem =~ /^endpoint/`, "1_endpoint@3"],
    ],
  },
  "serverMetrics.forgetJsonEndpoints": { title: "Retry JSON Endpoints" },
  "serverMetrics.forgetApprovedServers": { title: "Forget Approved Servers" },
  "serverMetrics.openSettings": {
    title: "Open Settings",
    icon: "gear",
    menus: [["view/title", CAPTURE_VIEW, "3_more@1"]],
  },
  "serverMetrics.openDocumentation": {
    title: "Open Documentation",
    icon: "book",
    menus: [["view/title", CAPTURE_VIEW, "3_more@2"]],
  },
  "serverMetrics.showLog": { title: "Show Log", icon: "output", menus: [["view/title", CAPTURE_VIEW, "3_more@3"]] },
  "serverMetrics.capture.showInChart": {
    title: "Show in Chart",
    icon: "graph-line",
    palette: NEVER,
    menus: [
      ["view/item/context", `${CAPTURE_VIEW} && viewItem =~ /^(family|series)$/`, "inline@1"],
      ["view/item/context", `${CAPTURE_VIEW} && viewItem =~ /^(family|series)$/`, "1_show@1"],
    ],
  },
  "serverMetrics.capture.copyName": {
    title: "Copy Name",
    palette: NEVER,
    menus: [["view/item/context", CAPTURE_VIEW, "2_copy@1"]],
  },
  "serverMetrics.capture.copyValue": {
    title: "Copy Value",
    palette: NEVER,
    menus: [["view/item/context", `${CAPTURE_VIEW} && viewItem =~ /^(family|series)$/`, "2_copy@2"]],
  },
  "serverMetrics.capture.retryEndpoint": {
    title: "Retry Now",
    icon: "refresh",
    palette: NEVER,
    menus: [
      ["view/item/context", `${CAPTURE_VIEW} && viewItem == endpoint.capturing`, "inline@1"],
      ["view/item/context", `${CAPTURE_VIEW} && viewItem == endpoint.capturing`, "1_endpoint@1"],
    ],
  },
  "serverMetrics.capture.removeEndpoint": {
    title: "Remove Endpoint",
    palette: NEVER,
    menus: [["view/item/context", `${CAPTURE_VIEW} && viewItem == endpoint.capturing`, "1_endpoint@2"]],
  },
  "serverMetrics.artifacts.open": {
    title: "Open",
    palette: NEVER,
    menus: [["view/item/context", `${ARTIFACTS_VIEW} && viewItem =~ /^artifact(File|Run)$/`, "1_open@1"]],
  },
  "serverMetrics.artifacts.reveal": {
    title: "Reveal",
    palette: NEVER,
    menus: [["view/item/context", ARTIFACTS_VIEW, "1_open@2"]],
  },
  "serverMetrics.artifacts.copyPath": {
    title: "Copy Path",
    palette: NEVER,
    menus: [["view/item/context", ARTIFACTS_VIEW, "2_copy@1"]],
  },
  "serverMetrics.artifacts.refresh": {
    title: "Refresh Artifacts",
    icon: "refresh",
    menus: [["view/title", ARTIFACTS_VIEW, "navigation@1"]],
  },
  "serverMetrics.editor.openAsText": {
    title: "Open as Text",
    icon: "file-code",
    palette: IN_EDITOR,
    menus: [["editor/title", `${IN_EDITOR} && !(resourceExtname =~ /^\\.(parquet|gz)$/)`, "navigation@3"]],
  },
  "serverMetrics.editor.openAsRunView": {
    title: "Open as Run View",
    icon: "graph-line",
    palette: `resourceScheme && ${NOT_IN_EDITOR}`,
    menus: [
      ["editor/title", `${NOT_IN_EDITOR} && ${IS_ARTIFACT}`, "navigation@1"],
      [
        "explorer/context",
        "!explorerResourceIsFolder && resourceFilename =~ /^((server_metrics_export|.*_server_metrics)\\.(json|csv)|aiperf\\.json|metrics\\.csv|.*\\.(jsonl|parquet|prom))(\\.gz|\\.zst)?$/",
        "navigation@90",
      ],
    ],
  },
  "serverMetrics.editor.exportAs": {
    title: "Export As…",
    icon: "save-as",
    palette: IN_EDITOR,
    menus: [["editor/title", IN_EDITOR, "navigation@1"]],
  },
  "serverMetrics.editor.reload": {
    title: "Reload from Disk",
    icon: "refresh",
    palette: IN_EDITOR,
    menus: [["editor/title", IN_EDITOR, "1_run@1"]],
  },
  "serverMetrics.editor.compareWith": {
    title: "Compare with…",
    icon: "git-compare",
    palette: IN_EDITOR,
    menus: [
      ["view/item/context", `${ARTIFACTS_VIEW} && !listMultiSelection`, "1_open@3"],
      ["editor/title", IN_EDITOR, "navigation@2"],
      ["explorer/context", `!listMultiSelection && !explorerResourceIsFolder && ${IS_ARTIFACT}`, "3_compare@90"],
    ],
  },
  "serverMetrics.editor.addClient": {
    title: "Add Client Results…",
    palette: IN_EDITOR,
    menus: [["editor/title", IN_EDITOR, "1_run@2"]],
  },
  "serverMetrics.openFolder": {
    title: "Open Folder as Run…",
    menus: [["explorer/context", "explorerResourceIsFolder", "3_compare@91"]],
  },
  "serverMetrics.openSweep": {
    title: "Open Sweep…",
    menus: [["explorer/context", "explorerResourceIsFolder", "3_compare@92"]],
  },
  "serverMetrics.compareRuns": {
    title: "Compare Runs",
    icon: "git-compare",
    menus: [
      ["view/title", ARTIFACTS_VIEW, "navigation@2"],
      ["view/item/context", `${ARTIFACTS_VIEW} && listMultiSelection`, "1_open@3"],
      [
        "explorer/context",
        "listMultiSelection && !explorerResourceIsFolder && resourceFilename =~ /^((server_metrics_export|.*_server_metrics)\\.(json|csv)|aiperf\\.json|metrics\\.csv|.*\\.(jsonl|parquet))(\\.gz|\\.zst)?$/",
        "3_compare@90",
      ],
    ],
  },
  "serverMetrics.compareCapture": {
    title: "Compare This Capture with…",
    icon: "git-compare",
    enablement: CONTEXT_KEYS.hasRun,
    menus: [
      ["view/title", `${CAPTURE_VIEW} && ${CONTEXT_KEYS.hasRun}`, "0_compare@1"],
      ["editor/title", IN_LIVE_VIEW, "navigation@1"],
    ],
  },
  "serverMetrics.editor.follow": {
    title: "Follow File as It Grows",
    palette: `${IN_EDITOR} && resourceFilename =~ /\\.jsonl(\\.gz)?$/ && !(resourcePath in ${CONTEXT_KEYS.followedFiles})`,
    menus: [
      [
        "editor/title",
        `${IN_EDITOR} && resourceFilename =~ /\\.jsonl(\\.gz)?$/ && !(resourcePath in ${CONTEXT_KEYS.followedFiles})`,
        "1_run@2",
      ],
    ],
  },
  "serverMetrics.editor.stopFollowing": {
    title: "Stop Following File",
    icon: "debug-stop",
    palette: `${IN_EDITOR} && resourcePath in ${CONTEXT_KEYS.followedFiles}`,
    menus: [["editor/title", `${IN_EDITOR} && resourcePath in ${CONTEXT_KEYS.followedFiles}`, "navigation@3"]],
  },
  "serverMetrics.linkEditors": {
    title: "Link with Other Editors",
    icon: "link",
    palette: IN_EDITOR_OR_LIVE_VIEW,
    menus: [["editor/title", IN_EDITOR_OR_LIVE_VIEW, "1_run@3"]],
  },
};

/** Commands, their menus and keys, as package.json has them. */
export function commandContributions() {
  const of = <T>(give: (command: CommandId, shown: ShownCommand) => readonly T[]) =>
    COMMAND_IDS.flatMap((command) => give(command, COMMANDS[command]));
  const inMenu = (menu: Menu) =>
    of((command, { menus = [] }) =>
      menus.flatMap(([where, when, group]) => (where === menu ? [{ command, when, group }] : [])),
    );
  return {
    commands: of((command, { title, icon, enablement }) => [
      {
        command,
        title,
        // Not twice in one row of the palette.
        ...(title.includes(CATEGORY) ? {} : { category: CATEGORY }),
        ...(icon === undefined ? {} : { icon: `$(${icon})` }),
        ...(enablement === undefined ? {} : { enablement }),
      },
    ]),
    menus: {
      commandPalette: of((command, { palette }) => (palette === undefined ? [] : [{ command, when: palette }])),
      "view/title": inMenu("view/title"),
      "view/item/context": inMenu("view/item/context"),
      "editor/title": inMenu("editor/title"),
      "explorer/context": inMenu("explorer/context"),
    },
    keybindings: of((command, { key, enablement }) =>
      key === undefined ? [] : [{ command, key: `ctrl+alt+m ${key}`, mac: `cmd+alt+m ${key}`, when: enablement }],
    ),
  };
}
