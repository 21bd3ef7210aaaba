import { t } from "@vscode/l10n";
import path from "node:path";
import { env, Uri, window, workspace, type Disposable, type ExtensionContext } from "vscode";
import { UserError } from "../../core/text/errors.js";
import type { ViewLayout } from "../../protocol/index.js";
import { liesBelow } from "../../files/opener.js";
import type { Notifier } from "../notify.js";

/** What a link names: a run by the path of a file or folder within the workspace, and what of it is shown. */
export interface RunLink {
  readonly run: string;
  /** Names of families. */
  readonly charts: readonly string[];
  /** Seconds from the start of profiling; absent: the whole run. */
  readonly zoom?: { readonly from: number; readonly to: number };
}

const PATH = "/open";
/** More would make a link that nobody can send. */
const MOST_CHARTS = 8;

/** As what stands behind the ? of a link. The workbench decodes it once before it is handed on. */
export function queryOf({ run, charts, zoom }: RunLink): string {
  const query = new URLSearchParams({ run });
  for (const chart of charts.slice(0, MOST_CHARTS)) query.append("chart", chart);
  for (const [name, seconds] of Object.entries(zoom ?? {})) query.append(name, String(seconds));
  return query.toString().replaceAll("%", "%25");
}

/** @throws UserError for what is no link to a run */
export function linkOf(query: string): RunLink {
  const given = new URLSearchParams(query);
  const run = given.get("run") ?? "";
  if (run === "") throw new UserError(t("The link names no run."), t("It needs run=PATH, from the workspace folder."));
  const [from, to] = ["from", "to"].map((name) => Number(given.get(name) ?? NaN));
  const isZoomed = from !== undefined && to !== undefined && from < to && Number.isFinite(to - from);
  return {
    run,
    charts: given.getAll("chart").slice(0, MOST_CHARTS),
    ...(isZoomed ? { zoom: { from, to } } : {}),
  };
}

/** What a view shows for a link, beside what it has. */
export function layoutOf({ charts, zoom }: RunLink, before: ViewLayout | null): ViewLayout {
  const kept = (before?.charts ?? []).filter(({ family }) => !charts.includes(family));
  const { zoom: _, ...layout } = before ?? {};
  return {
    ...layout,
    charts: [...charts.map((family) => ({ family })), ...kept],
    tab: charts.length > 0 ? "charts" : (before?.tab ?? "overview"),
    changedAt: Date.now(),
    ...(zoom === undefined ? {} : { zoom }),
  };
}

/** Opens links to runs: vscode://server-metrics.server-metrics/open?run=PATH. @param open a file, or a folder's run */
export function openLinks(notifier: Notifier, open: (file: Uri, link: RunLink) => Promise<void>): Disposable {
  return window.registerUriHandler({
    handleUri: ({ path: at, query }) =>
      notifier.run(
        (async () => {
          if (at !== PATH)
            throw new UserError(t`There is nothing at ${at}.`, t("Links to runs begin with /open?run=PATH."));
          const link = linkOf(query);
          await open(await fileIn(link.run), link);
        })(),
      ),
  });
}

/** Whoever made a link chooses among the files of the workspace, no others. @throws UserError */
async function fileIn(run: string): Promise<Uri> {
  for (const { uri } of workspace.workspaceFolders ?? []) {
    const file = path.resolve(uri.fsPath, run);
    const isThere = liesBelow(uri.fsPath, file) && (await workspace.fs.stat(Uri.file(file)).then(...THERE));
    if (isThere) return Uri.file(file);
  }
  throw new UserError(
    t`There is no ${run} in this workspace.`,
    t("Open the folder that the run lies in, then the link."),
  );
}

const THERE = [() => true, () => false] as const;

export type LinkContext = Pick<ExtensionContext, "extension">;

/** @throws UserError where the run lies outside of the workspace */
export function linkTo({ extension }: LinkContext, file: Uri, layout: ViewLayout | null): string {
  if (workspace.getWorkspaceFolder(file) === undefined)
    throw new UserError(
      t`${path.basename(file.fsPath)} is in no folder of this workspace.`,
      t("A link names a run by its path in the workspace: open the folder that it lies in."),
    );
  const { charts = [], zoom } = layout ?? {};
  const link: RunLink = {
    run: workspace.asRelativePath(file, false),
    charts: charts.map(({ family }) => family),
    ...(zoom === undefined ? {} : { zoom }),
  };
  return `${env.uriScheme}://${extension.id}${PATH}?${queryOf(link)}`;
}
