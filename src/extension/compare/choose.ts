import { t } from "@vscode/l10n";
import path from "node:path";
import { QuickPickItemKind, ThemeIcon, window, workspace } from "vscode";
import { MAX_CANDIDATES, type ComparedSource } from "../../protocol/comparison.js";
import { filePath, fileUri } from "../file-uri.js";
import { createPickList, pickOne, type PickRow } from "../workbench-text.js";
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

export interface OneOptions {
  readonly title: string;
  /** The run it is to be compared with: those beside it come first. */
  readonly near?: string;
  /** Files of runs that are compared already. */
  readonly without: readonly string[];
}

/**
 * Asks for one run: of the capture, beside the given one, elsewhere in the workspace, or anywhere. Undefined when the
 * user declines.
 */
export async function chooseRun(
  parts: ChooserParts,
  { title, near, without }: OneOptions,
): Promise<ComparedSource | undefined> {
  const { runs, capture } = await offered(parts);
  const others = runs.filter(({ files }) => !files.some((file) => without.includes(file.path)));
  const beside = near === undefined ? [] : others.filter((run) => isBeside(run, near));
  const elsewhere = others.filter((run) => !beside.includes(run));
  const items: Item[] = [
    ...(capture === undefined || without.includes(capture.path) ? [] : [separator(t("Capture")), captureItem(capture)]),
    ...(beside.length === 0 ? [] : [separator(t("Beside this run")), ...beside.map(runItem)]),
    ...(elsewhere.length === 0 ? [] : [separator(t("In this workspace, the newest first")), ...elsewhere.map(runItem)]),
    separator(""),
    browseItem(() => browse(title, false, near)),
  ];
  const chosen = await pickOne(items, {
    title,
    placeHolder: t("Type to search by name or folder"),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return (await chosen?.take?.())?.[0];
}

/**
 * Asks for two runs or more of the workspace or anywhere; without any there, for files at once. Undefined when the
 * user declines.
 */
export async function chooseRuns(parts: ChooserParts, title: string): Promise<readonly ComparedSource[] | undefined> {
  const { runs, capture } = await offered(parts);
  const anywhere = () => browse(title, true, undefined);
  const known = [...(capture === undefined ? [] : [captureItem(capture)]), ...runs.map(runItem)];
  if (known.length === 0) return anywhere();
  const most = MAX_CANDIDATES + 1;
  const { pick, setRows, setTitle } = createPickList<Item>(
    title,
    t`Choose 2 to ${most} runs; the one that began first becomes the baseline`,
  );
  setRows([...known, browseItem(anywhere)]);
  pick.canSelectMany = true;
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
      const fewest = chosen.some(({ isBrowse }) => isBrowse) ? 1 : 2;
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

/** A capture that has been written is offered once, as the capture. */
async function offered(
  parts: ChooserParts,
): Promise<{ readonly runs: readonly RunInFolder[]; readonly capture: ComparedSource | undefined }> {
  const [folders, capture] = await Promise.all([parts.artifacts(), parts.capture()]);
  const runs = newestRuns(folders).filter(({ files }) => !files.some((file) => file.path === capture?.path));
  return { runs, capture };
}

/** In the same folder, or in a folder beside that. */
function isBeside({ directory }: RunInFolder, file: string): boolean {
  const own = path.dirname(file);
  return directory === own || path.dirname(directory) === path.dirname(own);
}

function separator(label: string): Item {
  return { label, kind: QuickPickItemKind.Separator };
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
