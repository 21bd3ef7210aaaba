import { t } from "@vscode/l10n";
import { Icon } from "../components/icon.js";
import {
  copyQuery,
  QUERY_LANGUAGES,
  type QueryFile,
  type QueryLanguage,
  type QuerySubject,
} from "../../src/core/query/copy/index.js";
import type { FamilySummary, RunHeader, SeriesSummary } from "../../src/protocol/index.js";
import { ProblemLine } from "../components/message.js";
import { isReport } from "../report/opened.js";
import { useAction } from "../state/action.js";
import { useView } from "../state/context.js";
import { formatRelative, relativeSeconds } from "../format/time.js";
import type { ChartOfMenu, MenuSubject } from "../state/menu.js";
import { Menu, type MenuItem } from "./menu.js";
import { epochNs, toEpoch, type EpochNs, type OffsetNs } from "../../src/core/model/index.js";

/** The one menu of a family or series that is open, if any is. */
export function FamilyMenu() {
  const { run, layout, menu, moves } = useView();
  const action = useAction();
  const open = menu.value;
  const problem = action.problem.value;
  if (open === undefined) {
    if (problem === undefined) return null;
    return (
      <div class="toast" role="alert">
        <ProblemLine problem={problem} />
      </div>
    );
  }
  const { family: name, series } = open.subject;
  const family = run.familyByName.value.get(name);
  const pinned = layout.layout.value.pinned.includes(name);
  const header = run.header.value;
  const copy = async (language: QueryLanguage, shown: FamilySummary, files: readonly QueryFile[]) => {
    const all = await run.client.call("series", { family: name });
    const now = run.header.peek();
    const copied =
      now === undefined ? undefined : copyQuery(language, querySubject(now, shown, all, open.subject), files);
    if (copied?.kind === "query")
      await run.client.call("copy", { text: copied.text, what: t`${LANGUAGE_NAMES[language]} query` });
  };
  const isSnapshot = header?.file?.format === "snapshot";
  const noChart = family?.isInfo === true ? t("An info metric never changes: it has no chart.") : undefined;
  const disabled = isSnapshot ? t("A single scrape cannot be charted.") : noChart;
  const { chart, anchor, place } = open;
  const { at, logarithmic, data } = chart ?? {};
  const { marked } = layout.layout.value;
  const items: readonly (MenuItem | false)[] = [
    chart === undefined && {
      id: "chart",
      text: t("Show Chart"),
      icon: "graph-line",
      disabled,
      onPick: () => layout.show(name, { series: series?.map(({ id }) => id) }),
    },
    {
      id: "pin",
      text: pinned ? t("Unpin") : t("Pin"),
      icon: pinned ? "pinned" : "pin",
      disabled,
      onPick: () => layout.togglePin(name),
    },
    at !== undefined &&
      header !== undefined &&
      !isReport && {
        id: "mark",
        text: t`Mark Here (${formatRelative(relativeSeconds(at, header.profilingStart), 1)})…`,
        icon: "bookmark",
        onPick: () => action.start(run.client.call("captureCommand", { command: "addMark", time: at })),
      },
    logarithmic !== undefined && {
      id: "scale",
      text: logarithmic ? t("Linear Scale") : t("Logarithmic Scale"),
      icon: "graph-line",
      onPick: () => chart?.onLogarithmic(!logarithmic),
    },
    chart !== undefined && {
      id: "changes",
      text: t`${marked ? t("Hide") : t("Show")} Level Changes and Outliers`,
      icon: marked ? "circle-slash" : "graph-line",
      onPick: () => layout.set({ marked: !marked }),
    },
    !isReport && {
      id: "moves",
      text: t("What Moves with This?"),
      icon: "search",
      disabled,
      onPick: () => (moves.value = name),
    },
    ...(header === undefined || family === undefined
      ? []
      : QUERY_LANGUAGES.map((language): MenuItem => {
          const files = queryFiles(header);
          const possible = copyQuery(language, querySubject(header, family, [], open.subject), files);
          return {
            id: language,
            text: LANGUAGE_NAMES[language],
            group: t("Copy query"),
            disabled: possible.kind === "none" ? possible.reason : undefined,
            onPick: () => action.start(copy(language, family, files)),
          };
        })),
    chart !== undefined && {
      id: "picture",
      group: t("Copy"),
      text: t("Copy Picture"),
      icon: "copy",
      onPick: () => action.start(chart.copyPicture()),
    },
    data !== undefined && {
      id: "data",
      group: t("Copy"),
      text: t("Copy Data"),
      icon: "copy",
      onPick: () => action.start(run.client.call("copy", { text: data(), what: t("chart's data") })),
    },
    {
      id: "name",
      group: t("Copy"),
      text: t("Copy Name"),
      icon: "copy",
      onPick: () => action.start(run.client.call("copy", { text: name, what: t("name") })),
    },
  ];
  return (
    <Menu
      label={t`Actions for ${family?.displayName ?? name}`}
      anchor={anchor}
      place={place}
      items={items.filter((item) => item !== false)}
      onClose={() => (menu.value = undefined)}
    />
  );
}

interface FamilyMenuButtonProps {
  readonly title: string;
  readonly subject: MenuSubject;
  readonly chart: ChartOfMenu;
}

/** Opens the menu from a chart card. A plain button: every card has one, and the toolkit's take long to make. */
export function FamilyMenuButton({ title, subject, chart }: FamilyMenuButtonProps) {
  const { menu } = useView();
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={t`Actions for ${title}`}
      title={t("More: scale, copy picture, data or a query")}
      aria-haspopup="menu"
      onClick={(event) => (menu.value = { anchor: event.currentTarget, subject, chart })}
    >
      <Icon name="ellipsis" />
    </button>
  );
}

/** Pins a family: its chart and its rows come first, in this run and when it is opened again. */
export function PinButton({ family, title }: { readonly family: string; readonly title: string }) {
  const { layout } = useView();
  const pinned = layout.layout.value.pinned.includes(family);
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={`${pinned ? t("Unpin") : t("Pin")} ${title}`}
      title={pinned ? t("Unpin") : t("Pin: comes first, in charts and tables")}
      aria-pressed={pinned}
      onClick={() => layout.togglePin(family)}
    >
      <Icon name={pinned ? "pinned" : "pin"} />
    </button>
  );
}

const LANGUAGE_NAMES: { readonly [L in QueryLanguage]: string } = {
  duckdb: t("DuckDB SQL"),
  pandas: "pandas",
  jq: "jq",
  promql: "PromQL",
};

/** Files that a query may read: the one that is open, or those that a capture was written to. */
function queryFiles({ file, artifacts }: Pick<RunHeader, "file" | "artifacts">): readonly QueryFile[] {
  return file === undefined ? (artifacts ?? []) : [file];
}

/** What is asked of the run, from what the view shows of it. */
export function querySubject(
  header: Pick<
    RunHeader,
    "originNs" | "profilingStart" | "profilingEnd" | "window" | "sliceDurationSeconds" | "endpoints"
  >,
  { name, type, isInfo, countedAverage }: Pick<FamilySummary, "name" | "type" | "isInfo" | "countedAverage">,
  all: readonly SeriesSummary[],
  { series, shows }: Pick<MenuSubject, "series" | "shows">,
): QuerySubject {
  const origin = epochNs(BigInt(header.originNs));
  const epoch = (offset: OffsetNs): EpochNs => toEpoch(offset, origin);
  const { window, profilingStart, profilingEnd } = header;
  const end = window?.end ?? profilingEnd;
  return {
    family: countedAverage === true ? { name, type: "gauge", isInfo, countedAverage } : { name, type, isInfo },
    all,
    ...(series === undefined ? {} : { chosen: series }),
    shows,
    window: {
      start: epoch(window?.start ?? profilingStart),
      // A file without times has an empty window.
      ...(end === undefined || end <= (window?.start ?? profilingStart) ? {} : { end: epoch(end) }),
      exact: window !== undefined,
    },
    sliceSeconds: header.sliceDurationSeconds,
    endpoints: header.endpoints.length,
  };
}
