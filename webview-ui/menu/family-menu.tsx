import { t } from "@vscode/l10n";
import { Icon } from "../components/icon.js";
import { copyQuery, QUERY_LANGUAGES, type QueryFile, type QueryLanguage } from "../../src/core/query/copy/index.js";
import type { FamilySummary } from "../../src/protocol/index.js";
import { ProblemLine } from "../components/message.js";
import { isReport } from "../report/opened.js";
import { useAction } from "../state/action.js";
import { useView } from "../state/context.js";
import { formatRelative, relativeSeconds } from "../format/time.js";
import type { ChartOfMenu, MenuSubject } from "../state/menu.js";
import { LANGUAGE_NAMES, queryFiles, querySubject } from "./copy-query.js";
import { Menu, type MenuItem } from "./menu.js";

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
      onPick: () =>
        layout.dispatch({
          kind: "show",
          family: name,
          ...(series === undefined ? {} : { series: series.map(({ id }) => id) }),
        }),
    },
    {
      id: "pin",
      text: pinned ? t("Unpin") : t("Pin"),
      icon: pinned ? "pinned" : "pin",
      disabled,
      onPick: () => layout.dispatch({ kind: "pin", family: name }),
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
      onPick: () => layout.dispatch({ kind: "set", change: { marked: !marked } }),
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
      onClick={() => layout.dispatch({ kind: "pin", family })}
    >
      <Icon name={pinned ? "pinned" : "pin"} />
    </button>
  );
}
