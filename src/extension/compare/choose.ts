import { t } from "@vscode/l10n";
import path from "node:path";
import { QuickPickItemKind, ThemeIcon, window, workspace } from "vscode";
import { MAX_CANDIDATES, type ComparedSource } from "../../protocol/comparison.js";
import { filePath, fileUri } from "../file-uri.js";
import { createPickList, type PickRow } from "../workbench-text.js";
import { newestRuns, type ArtifactRun, type RunInFolder } from "../tree/artifact-files.js";

export interface ChooserParts {
  /** Folders of artifacts, the newest first. */
  artifacts(): Promise<readonly ArtifactRun[]>;
  /** The capture of this window, running or not yet written; undefined without one. */
  capture(): Promise<ComparedSource | undefined>;
}

interface Item extends PickRow {
  /** Absent of a separator. Undefined when the user declines. */
  readonly take?: () => Promise<readonly ComparedSource[] | undefined>;
  /** It asks for files, of which there may be several. */
  readonly isBrowse?: true;
}

export interface ChooseOptions {
  readonly title: string;
  /** Two runs or more; one otherwise. */
  readonly several?: boolean;
  /** The run it is to be compared with: those beside it come first. */
  readonly near?: string;
  /** Files of runs that are compared already. */
  readonly without?: readonly string[];
}

/**
 * Asks for runs: the capture, beside the given one, elsewhere in the workspace, or anywhere; where several are wanted
 * and none is there, for files at once. Undefined when the user declines.
 */
export async function chooseRuns(
  parts: ChooserParts,
  { title, several = false, near, without = [] }: ChooseOptions,
): Promise<readonly ComparedSource[] | undefined> {
  const [folders, capture] = await Promise.all([parts.artifacts(), parts.capture()]);
  // A capture that has been written is offered once, as the capture.
  const runs = newestRuns(folders).filter(
    ({ files }) => !files.some((file) => file.path === capture?.path || without.includes(file.path)),
  );
  const beside = near === undefined ? [] : runs.filter((run) => isBeside(run, near));
  const elsewhere = runs.filter((run) => !beside.includes(run));
  const known = [
    ...section(t("Capture"), capture === undefined || without.includes(capture.path) ? [] : [captureItem(capture)]),
    ...section(t("Beside this run"), beside.map(runItem)),
    ...section(t("In this workspace, the newest first"), elsewhere.map(runItem)),
  ];
  const anywhere = () => browse(title, several, near);
  if (several && known.length === 0) return anywhere();
  const most = several ? MAX_CANDIDATES + 1 : 1;
  const { pick, setRows, setTitle } = createPickList<Item>(
    title,
    several
      ? t`Choose 2 to ${most} runs; the one that began first becomes the baseline`
      : t("Type to search by name or folder"),
  );
  setRows([...known, separator(""), browseItem(anywhere)]);
  pick.canSelectMany = several;
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  return new Promise((resolve) => {
    let settled = false;
    const settle = (value: readonly ComparedSource[] | undefined | Promise<readonly ComparedSource[] | undefined>) => {
      if (settled) return;
      settled = true;
      resolve(value);
      pick.dispose();
    };
    pick.onDidAccept(() => {
      const chosen = pick.selectedItems;
      const fewest = several && !chosen.some(({ isBrowse }) => isBrowse) ? 2 : 1;
      if (chosen.length < fewest) setTitle(t`${title}: choose at least two`);
      else if (chosen.length > most) setTitle(t`${title}: choose at most ${most}, not ${chosen.length}`);
      else settle(takeAll(chosen));
    });
    pick.onDidHide(() => settle(undefined));
    pick.show();
  });
}

/** Undefined when one of them was declined. */
async function takeAll(items: readonly Item[]): Promise<readonly ComparedSource[] | undefined> {
  const taken = await Promise.all(items.flatMap(({ take }) => (take === undefined ? [] : [take()])));
  const known = taken.filter((sources) => sources !== undefined);
  return known.length < taken.length ? undefined : known.flat();
}

/** In the same folder, or in a folder beside that. */
function isBeside({ directory }: RunInFolder, file: string): boolean {
  const own = path.dirname(file);
  return directory === own || path.dirname(directory) === path.dirname(own);
}

function separator(label: string): Item {
  return { label, kind: QuickPickItemKind.Separator };
}

function section(title: string, items: readonly Item[]): readonly Item[] {
  return items.length === 0 ? [] : [separator(title), ...items];
}

function captureItem(source: ComparedSource): Item {
  return {
    label: source.label ?? t("The capture"),
    description: source.live === true ? t("running: compared live") : t("stopped"),
    iconPath: new ThemeIcon(source.live === true ? "record" : "graph-line"),
    take: () => Promise.resolve([source]),
  };
}

function runItem({ name, directory, modified, files }: RunInFolder): Item {
  return {
    label: name,
    description: files.map((file) => path.extname(file.path).slice(1)).join(", "),
    detail: `${workspace.asRelativePath(directory)} · ${new Date(modified).toLocaleString()}`,
    take: () => Promise.resolve(files.slice(0, 1).map(({ path: file }) => ({ path: file }))),
  };
}

function browseItem(take: () => Promise<readonly ComparedSource[] | undefined>): Item {
  return {
    label: t("Browse…"),
    iconPath: new ThemeIcon("folder-opened"),
    description: t("any artifact, journal or scrape log"),
    alwaysShow: true,
    isBrowse: true,
    take,
  };
}

async function browse(
  title: string,
  several: boolean,
  near: string | undefined,
): Promise<readonly ComparedSource[] | undefined> {
  const chosen = await window.showOpenDialog({
    title,
    openLabel: t("Compare"),
    canSelectMany: several,
    filters: { [t("Runs")]: ["parquet", "jsonl", "json", "csv", "gz"], [t("All files")]: ["*"] },
    ...(near === undefined ? {} : { defaultUri: fileUri(path.dirname(path.dirname(near))) }),
  });
  return chosen?.flatMap((uri) => filePath(uri) ?? []).map((path) => ({ path }));
}
