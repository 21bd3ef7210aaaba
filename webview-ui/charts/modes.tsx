import { t } from "@vscode/l10n";
import type { ComponentChildren } from "preact";
import { vectorLabelOf } from "../../src/core/catalog/families.js";
import type { ChartData, ChartMode, ChartQuery, FamilySummary, ModeSettings } from "../../src/protocol/index.js";
import { CHART_MODES } from "../../src/protocol/view-requests.js";
import { Ranking, Shares } from "../breakdown/bar-tables.js";
import { histogramSubtitle, sharesSubtitle, shownOfVector, vectorSubtitle } from "../breakdown/text.js";
import { Vector } from "../breakdown/vector.js";
import type { ChoiceOption } from "../components/choice.js";
import { Placeholder } from "../components/message.js";
import { Distribution } from "../histograms/distribution.js";
import { bucketGrid } from "../histograms/heat-grid.js";
import { Heatmap } from "../histograms/heatmap.js";
import { isReport } from "../report/opened.js";
import { USUAL_COUNT, type CardMode, type ModeCard } from "../state/chart-mode.js";
import type { ChartEntry } from "../state/layout.js";
import { ofEndpoints, type RunStore } from "../state/run-store.js";
import { overlaid } from "./lines.js";

/** Columns of a heatmap at the most: a few pixels each in a card. */
const MAX_COLUMNS = 120;

interface Shown {
  /** In words. @param total series of the family */
  readonly subtitle: (entry: ChartEntry, total: number) => string;
  readonly view: (card: ModeCard) => ComponentChildren;
}

/** What a chart card was last answered, and what as: while another mode is asked for, it shows what it has. */
export type CardAnswer =
  | { readonly mode: "lines"; readonly lines: ChartData }
  | ({ readonly mode: ChartMode; readonly lines?: never } & Shown);

/** Of the run's window, as the tables are; heatmaps follow the zoom as lines do. */
interface Question {
  readonly client: RunStore["client"];
  readonly query: Omit<ChartQuery, "maxSeries" | "maxPoints" | "together">;
  readonly settings: ModeSettings;
  readonly abort: AbortSignal;
}

interface Mode extends Omit<ChoiceOption<ChartMode>, "value"> {
  /** Whether a family can be shown so, and whether that is worth offering. */
  readonly fits: (family: Pick<FamilySummary, "name" | "type">) => boolean;
  readonly offered?: (family: Pick<FamilySummary, "seriesCount">) => boolean;
  readonly ask: (question: Question) => Promise<Shown>;
}

const hasBuckets: Mode["fits"] = ({ type }) => type === "histogram";
/** Nobody adds up in a report what was not recorded. */
const hasSeveral: Mode["offered"] = ({ seriesCount }) => seriesCount > 1 && !isReport;

const MODES: { readonly [M in ChartMode]: Mode } = {
  heatmap: {
    icon: "table",
    text: t("Heatmap"),
    title: t("Heatmap: observations by bucket over time"),
    fits: hasBuckets,
    ask: async ({ client, query, abort }) => {
      const data = await client.call("heatmap", { ...query, maxColumns: MAX_COLUMNS }, abort);
      return {
        subtitle: ({ series }, total) => histogramSubtitle(t("observations/s"), series?.length, total),
        view: (card) =>
          data.empty === undefined ? (
            <Heatmap header={card.header} title={card.title} data={bucketGrid(data)} />
          ) : (
            <Placeholder {...data.empty} />
          ),
      };
    },
  },
  distribution: {
    icon: "graph",
    text: t("Distribution"),
    title: t("Distribution: observations by bucket over the window"),
    fits: hasBuckets,
    ask: async ({ client, query, abort }) => {
      const data = await client.call("distribution", query, abort);
      return {
        subtitle: ({ series }, total) => histogramSubtitle(t("observations in the window"), series?.length, total),
        view: (card) => <Distribution {...card} data={data} />,
      };
    },
  },
  vector: {
    icon: "symbol-array",
    text: t("Positions"),
    title: t("Positions: one bar for each, and their course"),
    fits: ({ name }) => vectorLabelOf(name) !== undefined,
    ask: async ({ client, query, abort }) => {
      const data = await client.call("vector", query, abort);
      return {
        subtitle: ({ settings = {} }) => vectorSubtitle(data, shownOfVector(data, settings).kind),
        view: (card) => <Vector {...card} data={data} />,
      };
    },
  },
  ranking: {
    icon: "list-ordered",
    text: t("Top"),
    title: t("Top: the series with the greatest values over the window"),
    fits: () => true,
    offered: hasSeveral,
    ask: async ({ client, query: { series: _chosen, ...all }, settings, abort }) => {
      const { statistic, count = USUAL_COUNT } = settings;
      const asked = { ...all, count, ...(statistic === undefined ? {} : { statistic }) };
      const data = await client.call("ranking", asked, abort);
      return {
        subtitle: () => t`${data.rows.length} of ${data.seriesTotal} series, over the window`,
        view: (card) => <Ranking {...card} data={data} />,
      };
    },
  },
  shares: {
    icon: "pie-chart",
    text: t("Shares"),
    title: t("Shares: how the load over the window falls on endpoints"),
    fits: () => true,
    offered: hasSeveral,
    ask: async ({ client, query, settings: { by }, abort }) => {
      const data = await client.call("shares", { ...query, ...(by === undefined ? {} : { by }) }, abort);
      return {
        subtitle: () => sharesSubtitle(data),
        view: (card) => <Shares {...card} data={data} />,
      };
    },
  },
};

/** The modes that a family can be shown in; the current one among them whatever is known of the family. */
export function modesOf(family: FamilySummary, current: CardMode): readonly ChoiceOption<CardMode>[] {
  const others = CHART_MODES.filter(
    (mode) => mode === current || (MODES[mode].fits(family) && MODES[mode].offered?.(family) !== false),
  );
  return [
    { value: "lines", icon: "graph-line", text: t("Lines"), title: t("Lines: over time") },
    ...others.map((value) => ({ value, ...MODES[value] })),
  ];
}

/** A saved mode as far as the family allows it: only histograms have buckets, only vectors positions. */
export function modeOf(mode: ChartMode | undefined, family: FamilySummary | undefined): CardMode {
  return mode !== undefined && family !== undefined && MODES[mode].fits(family) ? mode : "lines";
}

/** @param also families drawn in the same chart, all of their series */
export async function askCard(
  { client, chart, only }: Pick<RunStore, "client" | "chart" | "only">,
  mode: CardMode,
  query: ChartQuery,
  settings: ModeSettings,
  abort: AbortSignal,
  also: readonly string[] = [],
): Promise<CardAnswer> {
  const whole = { ...query, ...ofEndpoints(only.peek()) };
  const { series: _first, ...ofOthers } = whole;
  if (mode === "lines") {
    const [first, ...others] = await Promise.all([
      chart(whole, abort),
      ...also.map((one) => chart({ ...ofOthers, family: one }, abort)),
    ]);
    return { mode, lines: others.length === 0 ? first : overlaid([first, ...others]) };
  }
  const { maxSeries: _series, maxPoints: _points, together: _together, ...zoomed } = whole;
  const { from: _from, to: _to, ...ofWindow } = zoomed;
  const shown = await MODES[mode].ask({ client, query: mode === "heatmap" ? zoomed : ofWindow, settings, abort });
  return { mode, ...shown };
}
