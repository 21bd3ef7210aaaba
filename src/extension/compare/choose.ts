import path from "node:path";
import { QuickPickItemKind, ThemeIcon, Uri, window, workspace } from "vscode";
import { MAX_CANDIDATES, type ComparedSource } from "../../protocol/comparison.js";
import { createPickList, pickOne, type PickRow } from "../sinks.js";
import { namedRuns, type ArtifactRun, type NamedRun } from "../tree/artifact-files.js";

export interface ChooserParts {
  /** Folders of artifacts, the newest first. */
  artifacts(): Promise<readonly ArtifactRun[]>;
  /** The capture of this window, running or not yet written; undefined without one. */
  capture(): Promise<ComparedSource | undefined>;
}

interface Item extends PickRow {
  /** Absent of a separator. */
  readonly take?: () => Promise<ComparedSource | undefined>;
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
  const [runs, capture] = await Promise.all([runsOf(parts), parts.capture()]);
  const others = runs.filter(({ files }) => !files.some((file) => without.includes(file.path)));
  const beside = near === undefined ? [] : others.filter((run) => isBeside(run, near));
  const elsewhere = others.filter((run) => !beside.includes(run));
  const items: Item[] = [
    ...(capture === undefined || without.includes(capture.path) ? [] : [separator("Capture"), captureItem(capture)]),
    ...(beside.length === 0 ? [] : [separator("Beside this run"), ...beside.map(runItem)]),
    ...(elsewhere.length === 0 ? [] : [separator("In this workspace, the newest first"), ...elsewhere.map(runItem)]),
    separator(""),
    {
      label: "Browse…",
      iconPath: new ThemeIcon("folder-opened"),
      description: "any artifact, journal or scrape log",
      alwaysShow: true,
      take: async () => (await browse(title, false, near))?.[0],
    },
  ];
  const chosen = await pickOne(items, {
    title,
    placeHolder: "Type to search by name or folder",
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.take?.();
}

/**
 * Asks for two to nine runs of the workspace; without any there, for files anywhere. Undefined when the user declines.
 */
export async function chooseRuns(parts: ChooserParts, title: string): Promise<readonly ComparedSource[] | undefined> {
  const [runs, capture] = await Promise.all([runsOf(parts), parts.capture()]);
  const items: Item[] = [...(capture === undefined ? [] : [captureItem(capture)]), ...runs.map(runItem)];
  if (items.length < 2) return browse(title, true, undefined);
  const most = MAX_CANDIDATES + 1;
  const browseButton = { iconPath: new ThemeIcon("folder-opened"), tooltip: "Browse for files…" };
  const { pick, setRows, setTitle } = createPickList<Item>(
    title,
    `Choose 2 to ${most} runs; the one that began first becomes the baseline`,
  );
  setRows(items);
  pick.canSelectMany = true;
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.buttons = [browseButton];
  return new Promise((resolve) => {
    let settled = false;
    const settle = (value: readonly ComparedSource[] | undefined | Promise<readonly ComparedSource[] | undefined>) => {
      if (settled) return;
      settled = true;
      resolve(value);
      pick.dispose();
    };
    pick.onDidTriggerButton(() => settle(browse(title, true, undefined)));
    pick.onDidAccept(() => {
      const chosen = pick.selectedItems;
      if (chosen.length < 2 || chosen.length > most) {
        setTitle(
          chosen.length < 2
            ? `${title}: choose at least two`
            : `${title}: choose at most ${most}, not ${chosen.length}`,
        );
        return;
      }
      settle(
        Promise.all(chosen.flatMap(({ take }) => (take === undefined ? [] : [take()]))).then((sources) =>
          sources.filter((source) => source !== undefined),
        ),
      );
    });
    pick.onDidHide(() => settle(undefined));
    pick.show();
  });
}

async function runsOf(parts: ChooserParts): Promise<readonly NamedRun[]> {
  return (await parts.artifacts()).flatMap(namedRuns).sort((a, b) => b.modified - a.modified);
}

/** In the same folder, or in a folder beside that. */
function isBeside({ directory }: NamedRun, file: string): boolean {
  const own = path.dirname(file);
  return directory === own || path.dirname(directory) === path.dirname(own);
}

function separator(label: string): Item {
  return { label, kind: QuickPickItemKind.Separator };
}

function captureItem(source: ComparedSource): Item {
  return {
    label: source.label ?? "The capture",
    description: source.live === true ? "running: compared live" : "stopped",
    iconPath: new ThemeIcon(source.live === true ? "record" : "graph-line"),
    take: () => Promise.resolve(source),
  };
}

function runItem({ name, directory, modified, files }: NamedRun): Item {
  return {
    label: name,
    description: files.map((file) => path.extname(file.path).slice(1)).join(", "),
    detail: `${workspace.asRelativePath(directory)} · ${new Date(modified).toLocaleString()}`,
    take: () => Promise.resolve(files[0] === undefined ? undefined : { path: files[0].path }),
  };
}

async function browse(
  title: string,
  several: boolean,
  near: string | undefined,
): Promise<readonly ComparedSource[] | undefined> {
  const chosen = await window.showOpenDialog({
    title,
    openLabel: "Compare",
    canSelectMany: several,
    filters: { Runs: ["parquet", "jsonl", "json", "csv", "gz"], "All files": ["*"] },
    ...(near === undefined ? {} : { defaultUri: Uri.file(path.dirname(path.dirname(near))) }),
  });
  return chosen?.filter(({ scheme }) => scheme === "file").map(({ fsPath }) => ({ path: fsPath }));
}
