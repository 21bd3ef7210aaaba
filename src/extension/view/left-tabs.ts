import { TabInputWebview, window, type Disposable, type Tab, type TabGroup } from "vscode";

/** Within this time the workbench hands over the tab that it brings back after a reload of the window. */
const HANDED_OVER_MS = 2000;

/**
 * Looks for tabs of a webview that nobody is behind. Where the extension host alone ends and is started anew, its tabs
 * stay as they were and are never handed over: what they show goes on saying what it said, and no button does anything.
 * Only tabs in sight are looked at, because one that is brought back is handed over when it comes into sight.
 *
 * @param isOwn whether a panel of this host is in sight in the group
 * @param onLeft gets such a tab
 */
export function findLeftTabs(
  viewType: string,
  isOwn: (group: TabGroup) => boolean,
  onLeft: (tab: Tab) => void,
): Disposable {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    timer = undefined;
    for (const group of window.tabGroups.all) {
      const tab = group.activeTab;
      if (tab !== undefined && isOf(tab, viewType) && !isOwn(group)) onLeft(tab);
    }
  };
  const lookLater = () => {
    timer ??= setTimeout(look, HANDED_OVER_MS);
  };
  lookLater();
  const changes = window.tabGroups.onDidChangeTabs(({ opened, changed }) => {
    if ([...opened, ...changed].some((tab) => tab.isActive && isOf(tab, viewType))) lookLater();
  });
  return {
    dispose: () => {
      clearTimeout(timer);
      changes.dispose();
    },
  };
}

/** The workbench puts a word of its own before the type: "mainThreadWebview-serverMetrics.liveView". */
function isOf({ input }: Tab, viewType: string): boolean {
  return input instanceof TabInputWebview && input.viewType.endsWith(`-${viewType}`);
}
