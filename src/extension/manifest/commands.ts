import { CONTEXT_KEYS, EDITOR_TYPES, VIEW_IDS, VIEW_TYPES } from "../command-ids.js";

const MENUS = ["view/title", "view/item/context", "editor/title", "explorer/context"] as const;
type MenuEntry = readonly [menu: (typeof MENUS)[number], when: string, ...groups: readonly string[]];

/** How the workbench shows a command. */
interface ShownCommand {
  readonly title: string;
  readonly icon?: string;
  readonly enablement?: string;
  /** The last of its keys, behind Ctrl+Alt+M. */
  readonly key?: string;
  /** When the palette lists it; absent: always, unless it is about a row of a tree. */
  readonly palette?: string;
  /** Done without Node, too, by `src/web/main.ts`; all others are hidden there. */
  readonly inBrowser?: true;
  readonly menus?: readonly MenuEntry[];
}

const CATEGORY = "Server Metrics";
const CAPTURE_VIEW = `view == ${VIEW_IDS.capture}`;
const ARTIFACTS_VIEW = `view == ${VIEW_IDS.artifacts}`;
const EDITORS = Object.values(EDITOR_TYPES).map((type) => `activeCustomEditorId == ${type}`);
const IN_EDITOR = `(${EDITORS.join(" || ")})`;
const NOT_IN_EDITOR = EDITORS.join(" && ").replaceAll("==", "!=");
const IN_LIVE_VIEW = `activeWebviewPanelId == ${VIEW_TYPES.live}`;
const IN_EDITOR_OR_LIVE_VIEW = `(${[...EDITORS, IN_LIVE_VIEW].join(" || ")})`;
const IN_REPORTED_VIEW = `(${[
  ...EDITORS,
  ...Object.values(VIEW_TYPES).map((type) => `activeWebviewPanelId == ${type}`),
].join(" || ")})`;
const IS_SERIES = `${CAPTURE_VIEW} && viewItem =~ /^(family|series)$/`;
const IS_CAPTURED = `${CAPTURE_VIEW} && viewItem == endpoint.capturing`;
const IS_FOLLOWED = `${IN_EDITOR} && resourcePath in ${CONTEXT_KEYS.followedFiles}`;
const CAN_FOLLOW = `${IN_EDITOR} && resourceFilename =~ /\\.jsonl(\\.gz)?$/ && !(resourcePath in ${CONTEXT_KEYS.followedFiles})`;
const IS_ARTIFACT =
  "resourceFilename =~ /^(server_metrics_export|.*_server_metrics)\\.(json|csv|jsonl|parquet)(\\.gz|\\.zst)?$/";

const IS_EXPERIMENT = "resourceFilename =~ /\\.experiment\\.(ya?ml|json)$/";

const inTitle = (group: string, view = CAPTURE_VIEW): MenuEntry => ["view/title", view, group];
const onRow = (when: string, ...groups: readonly string[]): MenuEntry => ["view/item/context", when, ...groups];
const inEditor = (group: string, when = IN_EDITOR): MenuEntry => ["editor/title", when, group];
const inExplorer = (group: string, when: string): MenuEntry => ["explorer/context", when, group];

/** Every command, in the order of the manifest. */
const COMMANDS = {
  "serverMetrics.startCapture": {
    title: "Start Capture",
    icon: "play",
    enablement: `!${CONTEXT_KEYS.busy}`,
    key: "s",
    menus: [inTitle("navigation@1")],
  },
  "serverMetrics.stopCapture": {
    title: "Stop Capture",
    icon: "debug-stop",
    enablement: CONTEXT_KEYS.capturing,
    key: "s",
    menus: [inTitle("navigation@1")],
  },
  "serverMetrics.markProfilingStart": {
    title: "Mark Profiling Start",
    icon: "flag",
    enablement: CONTEXT_KEYS.warmup,
    key: "p",
    menus: [inTitle("navigation@2")],
  },
  "serverMetrics.addMark": {
    title: "Add Mark",
    icon: "bookmark",
    enablement: CONTEXT_KEYS.capturing,
    key: "a",
    menus: [inTitle("navigation@3")],
  },
  "serverMetrics.openLiveView": {
    title: "Open Live View",
    icon: "graph-line",
    enablement: CONTEXT_KEYS.hasRun,
    key: "v",
    menus: [inTitle("navigation@4")],
  },
  "serverMetrics.exportCapture": {
    title: "Export Capture As…",
    icon: "save-as",
    enablement: CONTEXT_KEYS.canExport,
    key: "e",
    menus: [inTitle("navigation@5")],
  },
  "serverMetrics.recoverCaptures": { title: "Recover Unsaved Captures", menus: [inTitle("1_more@1", ARTIFACTS_VIEW)] },
  "serverMetrics.openRunFromPrometheus": {
    title: "Open Run from Prometheus…",
    icon: "cloud-download",
    menus: [inTitle("navigation@3", ARTIFACTS_VIEW)],
  },
  "serverMetrics.showCaptureMenu": { title: "Show Capture Actions" },
  "serverMetrics.startDemoServer": {
    title: "Start Demo Server",
    icon: "beaker",
    enablement: `!${CONTEXT_KEYS.demoRunning}`,
    menus: [inTitle("2_demo@1")],
  },
  "serverMetrics.stopDemoServer": {
    title: "Stop Demo Server",
    icon: "beaker-stop",
    enablement: CONTEXT_KEYS.demoRunning,
    menus: [inTitle("2_demo@1")],
  },
  "serverMetrics.openDemoRun": { title: "Open Demo Run" },
  "serverMetrics.discoverEndpoints": { title: "Discover Endpoints", icon: "search", menus: [inTitle("1_endpoints@2")] },
  "serverMetrics.addEndpoint": { title: "Add Endpoint", icon: "add", menus: [inTitle("1_endpoints@1")] },
  "serverMetrics.setEndpointHeaders": {
    title: "Set Endpoint Headers",
    icon: "key",
    menus: [inTitle("1_endpoints@3"), onRow(`${CAPTURE_VIEW} && viewItem =~ /^endpoint/`, "1_endpoint@3")],
  },
  "serverMetrics.forgetJsonEndpoints": { title: "Retry JSON Endpoints" },
  "serverMetrics.forgetApprovedServers": { title: "Forget Approved Servers" },
  "serverMetrics.openSettings": { inBrowser: true, title: "Open Settings", icon: "gear", menus: [inTitle("3_more@1")] },
  "serverMetrics.openDocumentation": {
    inBrowser: true,
    title: "Open Documentation",
    icon: "book",
    menus: [inTitle("3_more@2")],
  },
  "serverMetrics.showLog": { inBrowser: true, title: "Show Log", icon: "output", menus: [inTitle("3_more@3")] },
  "serverMetrics.capture.showInChart": {
    title: "Show in Chart",
    icon: "graph-line",
    menus: [onRow(IS_SERIES, "inline@1", "1_show@1")],
  },
  "serverMetrics.capture.copyName": { title: "Copy Name", menus: [onRow(CAPTURE_VIEW, "2_copy@1")] },
  "serverMetrics.capture.copyValue": { title: "Copy Value", menus: [onRow(IS_SERIES, "2_copy@2")] },
  "serverMetrics.capture.retryEndpoint": {
    title: "Retry Now",
    icon: "refresh",
    menus: [onRow(IS_CAPTURED, "inline@1", "1_endpoint@1")],
  },
  "serverMetrics.capture.removeEndpoint": { title: "Remove Endpoint", menus: [onRow(IS_CAPTURED, "1_endpoint@2")] },
  "serverMetrics.artifacts.open": {
    title: "Open",
    menus: [onRow(`${ARTIFACTS_VIEW} && viewItem =~ /^artifact(File|Run)$/`, "1_open@1")],
  },
  "serverMetrics.artifacts.reveal": { title: "Reveal", menus: [onRow(ARTIFACTS_VIEW, "1_open@2")] },
  "serverMetrics.artifacts.copyPath": { title: "Copy Path", menus: [onRow(ARTIFACTS_VIEW, "2_copy@1")] },
  "serverMetrics.artifacts.refresh": {
    inBrowser: true,
    title: "Refresh Artifacts",
    icon: "refresh",
    menus: [inTitle("navigation@1", ARTIFACTS_VIEW)],
  },
  "serverMetrics.editor.openAsText": {
    inBrowser: true,
    title: "Open as Text",
    icon: "file-code",
    palette: IN_EDITOR,
    menus: [inEditor("navigation@3", `${IN_EDITOR} && !(resourceExtname =~ /^\\.(parquet|gz)$/)`)],
  },
  "serverMetrics.editor.openAsRunView": {
    inBrowser: true,
    title: "Open as Run View",
    icon: "graph-line",
    palette: `resourceScheme && ${NOT_IN_EDITOR}`,
    menus: [
      inEditor("navigation@1", `${NOT_IN_EDITOR} && ${IS_ARTIFACT}`),
      inExplorer(
        "navigation@90",
        "!explorerResourceIsFolder && resourceFilename =~ /^((server_metrics_export|.*_server_metrics)\\.(json|csv)|aiperf\\.json|metrics\\.csv|.*\\.(jsonl|parquet|prom))(\\.gz|\\.zst)?$/",
      ),
    ],
  },
  "serverMetrics.editor.exportAs": {
    title: "Export As…",
    icon: "save-as",
    palette: IN_EDITOR,
    menus: [inEditor("navigation@1")],
  },
  "serverMetrics.editor.reload": {
    inBrowser: true,
    title: "Reload from Disk",
    icon: "refresh",
    palette: IN_EDITOR,
    menus: [inEditor("1_run@1")],
  },
  "serverMetrics.editor.copyLink": {
    title: "Copy Link to Run",
    palette: IN_EDITOR,
    menus: [inEditor("1_run@3")],
  },
  "serverMetrics.editor.compareWith": {
    inBrowser: true,
    title: "Compare with…",
    icon: "git-compare",
    palette: IN_EDITOR,
    menus: [
      onRow(`${ARTIFACTS_VIEW} && !listMultiSelection`, "1_open@3"),
      inEditor("navigation@2"),
      inExplorer("3_compare@90", `!listMultiSelection && !explorerResourceIsFolder && ${IS_ARTIFACT}`),
    ],
  },
  "serverMetrics.compareRuns": {
    inBrowser: true,
    title: "Compare Runs",
    icon: "git-compare",
    menus: [
      inTitle("navigation@2", ARTIFACTS_VIEW),
      onRow(`${ARTIFACTS_VIEW} && listMultiSelection`, "1_open@3"),
      inExplorer(
        "3_compare@90",
        "listMultiSelection && !explorerResourceIsFolder && resourceFilename =~ /^((server_metrics_export|.*_server_metrics)\\.(json|csv)|aiperf\\.json|metrics\\.csv|.*\\.(jsonl|parquet))(\\.gz|\\.zst)?$/",
      ),
    ],
  },
  "serverMetrics.compareCapture": {
    title: "Compare This Capture with…",
    icon: "git-compare",
    enablement: CONTEXT_KEYS.hasRun,
    menus: [inTitle("0_compare@1"), inEditor("navigation@1", IN_LIVE_VIEW)],
  },
  "serverMetrics.editor.follow": {
    title: "Follow File as It Grows",
    palette: CAN_FOLLOW,
    menus: [inEditor("1_run@2", CAN_FOLLOW)],
  },
  "serverMetrics.editor.stopFollowing": {
    title: "Stop Following File",
    icon: "debug-stop",
    palette: IS_FOLLOWED,
    menus: [inEditor("navigation@3", IS_FOLLOWED)],
  },
  "serverMetrics.linkEditors": {
    inBrowser: true,
    title: "Link with Other Editors",
    icon: "link",
    palette: IN_EDITOR_OR_LIVE_VIEW,
    menus: [inEditor("1_run@3", IN_EDITOR_OR_LIVE_VIEW)],
  },
  "serverMetrics.editor.addClient": { title: "Add Client Results…", palette: IN_EDITOR, menus: [inEditor("1_run@2")] },
  "serverMetrics.exportReport": {
    title: "Export Report…",
    icon: "export",
    palette: IN_REPORTED_VIEW,
    menus: [inEditor("1_run@4", IN_REPORTED_VIEW)],
  },
  "serverMetrics.openFolder": {
    title: "Open Folder as Run…",
    menus: [inExplorer("3_compare@91", "explorerResourceIsFolder")],
  },
  "serverMetrics.openSweep": { title: "Open Sweep…", menus: [inExplorer("3_compare@92", "explorerResourceIsFolder")] },
  "serverMetrics.showRuns": {
    title: "Show Runs",
    icon: "table",
    menus: [inTitle("navigation@0", ARTIFACTS_VIEW), inExplorer("3_compare@91", "explorerResourceIsFolder")],
  },
  "serverMetrics.newExperiment": { title: "New Experiment…" },
  "serverMetrics.runExperiment": {
    title: "Run Experiment",
    icon: "run-all",
    menus: [inEditor("navigation@1", IS_EXPERIMENT), inExplorer("navigation@91", IS_EXPERIMENT)],
  },
  "serverMetrics.planExperiment": { title: "Show Plan of Experiment" },
  "serverMetrics.showExperiment": {
    title: "Show Experiment",
    icon: "graph-line",
    menus: [inEditor("navigation@2", IS_EXPERIMENT), inExplorer("navigation@92", IS_EXPERIMENT)],
  },
} satisfies Readonly<Record<string, ShownCommand>>;

export type CommandId = keyof typeof COMMANDS;
export const COMMAND_IDS: readonly string[] = Object.keys(COMMANDS);

/** What a command is called. */
export function titleOfCommand(id: string): string {
  return Object.entries<ShownCommand>(COMMANDS).find(([one]) => one === id)?.[1].title ?? id;
}

/** Where there is Node. */
function outside(when?: string): string {
  const not = `!${CONTEXT_KEYS.inBrowser}`;
  return when === undefined ? not : `${not} && ${when.includes(" || ") ? `(${when})` : when}`;
}

/** Commands, their menus and keys, as package.json has them. */
export function commandContributions() {
  const of = <T>(give: (command: string, shown: ShownCommand) => readonly T[]) =>
    Object.entries<ShownCommand>(COMMANDS).flatMap(([command, shown]) => give(command, shown));
  const inMenu = (menu: MenuEntry[0]) =>
    of((command, { enablement, inBrowser, menus = [] }) =>
      menus.flatMap(([where, when, ...groups]) => {
        if (where !== menu) return [];
        // A button of a view that cannot be pressed is left out.
        const shown = where === "view/title" && enablement !== undefined ? `${when} && ${enablement}` : when;
        return groups.map((group) => ({ command, when: inBrowser === true ? shown : outside(shown), group }));
      }),
    );
  const inPalette = ({ palette, inBrowser, menus = [] }: ShownCommand) => {
    if (palette === undefined && menus.length > 0 && menus.every(([where]) => where === "view/item/context"))
      return "false";
    return inBrowser === true ? palette : outside(palette);
  };
  return {
    commands: of((command, { title, icon, enablement }) => [
      {
        command,
        title,
        category: CATEGORY,
        ...(icon === undefined ? {} : { icon: `$(${icon})` }),
        ...(enablement === undefined ? {} : { enablement }),
      },
    ]),
    menus: {
      commandPalette: of((command, shown) => {
        const when = inPalette(shown);
        return when === undefined ? [] : [{ command, when }];
      }),
      ...Object.fromEntries(MENUS.map((menu) => [menu, inMenu(menu)])),
    },
    keybindings: of((command, { key, enablement }) =>
      key === undefined ? [] : [{ command, key: `ctrl+alt+m ${key}`, mac: `cmd+alt+m ${key}`, when: enablement }],
    ),
  };
}
