import { t } from "@vscode/l10n";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ChartQuery, ModeSettings, Problem, RunHeader } from "../../src/protocol/index.js";
import { AssertionList, thresholdsOf } from "../assertions/assertions.js";
import { Outdated, Placeholder, Unanswered } from "../components/message.js";
import { isMany, manyQuery, wholeRunQuery } from "../state/chart-query.js";
import { useInSight, useLiveQuery, useView } from "../state/context.js";
import type { ChartChange, ChartEntry, Layout } from "../state/layout.js";
import type { Viewport } from "../state/run-store.js";
import { CardHeader, chosenSeries } from "./card-header.js";
import { copyPicture, chartCsv } from "./copy.js";
import { useHiddenLines } from "./legend.js";
import { LineChart } from "./line-chart.js";
import { askCard, modeOf } from "./modes.js";
import { wholeRun } from "./model.js";
import { offsetOf, offsets, refreshMs } from "./viewport.js";
import { chartTheme } from "./theme.js";

const REFRESH_MS = 900;
/** What runs over all statistics of a family costs as much as its table. */
const SLOW_REFRESH_MS = 3000;

interface ChartCardProps {
  readonly entry: ChartEntry;
  readonly header: RunHeader;
  /** The stretch asked for; it trails the one drawn while the user is still zooming. */
  readonly asked: Viewport | undefined;
  readonly focused: boolean;
  /** It was jumped to: it is outlined, with the limit that this was about. */
  readonly target: Layout["target"];
}

export function ChartCard({ entry, header: first, asked, focused, target }: ChartCardProps) {
  const { run, layout, link, assertions, menu } = useView();
  // A card is rendered with its answers, not with each progress: the axis then ends where the run is.
  const header = run.header.peek() ?? first;
  const card = useRef<HTMLElement>(null);
  const [maximised, setMaximised] = useState(false);
  const hidden = useHiddenLines();
  const family = run.familyByName.value.get(entry.family);
  const type = family?.type ?? "unknown";

  const mode = modeOf(entry.mode, family);
  const settings = entry.settings ?? {};
  const followsZoom = mode === "lines" || mode === "heatmap";
  const [all, setAll] = useState(false);
  const many = family !== undefined && !all && isMany(entry, family, run.only.value?.urls ?? header.endpoints);
  const single = wholeRunQuery(entry, family);
  const query: ChartQuery = {
    ...(many ? manyQuery(single, type) : single),
    ...(asked === undefined ? {} : offsets(asked, header)),
  };
  const inSight = useInSight(card);
  const live = useLiveQuery(
    JSON.stringify([
      mode,
      entry.family,
      entry.series,
      entry.also,
      query.maxSeries,
      many,
      followsZoom ? asked : undefined,
      settings,
      run.only.value,
    ]),
    followsZoom
      ? () => refreshMs(run.viewport.peek() ?? wholeRun(run.header.peek() ?? header))
      : mode === "distribution"
        ? REFRESH_MS
        : SLOW_REFRESH_MS,
    (abort) => askCard(run, mode, query, settings, abort, entry.also),
    { keep: true, inSight },
  );

  useEffect(() => {
    if (maximised) card.current?.scrollIntoView({ block: "start" });
  }, [maximised]);
  useEffect(() => {
    if (!focused) return;
    card.current?.scrollIntoView({ block: "center", behavior: "smooth" });
    card.current?.focus({ preventScroll: true });
    layout.set({ focus: undefined });
  }, [focused]);

  const answer = live.latest.value;
  const lacking =
    family === undefined && run.families.value.length > 0
      ? lackOf(entry.family, header, link.state.value.linked)
      : undefined;
  const checked = assertions.value.filter((result) => result.family === entry.family);
  const thresholds = useMemo(
    () => [
      ...thresholdsOf(assertions.value, entry.family, type),
      ...(target?.limit === undefined ? [] : [{ ...target.limit, failed: true }]),
    ],
    [assertions.value, entry.family, type, target],
  );
  const titleOf = (name: string) => run.familyByName.value.get(name)?.displayName ?? name;
  const title = [entry.family, ...(entry.also ?? [])].map(titleOf).join(", ");
  const change = (changed: ChartChange) => layout.changeChart(entry.id, changed);
  const onSettings = (changed: ModeSettings) => change({ settings: changed });
  const lines = answer?.lines;
  const logarithmic = settings.scale === "log";
  const subject = {
    family: entry.family,
    shows: "course" as const,
    ...(entry.series === undefined ? {} : { series: chosenSeries(entry.series, lines) }),
  };
  const chart = {
    ...(mode === "lines" || mode === "distribution" ? { logarithmic } : {}),
    onLogarithmic: (on: boolean) => onSettings({ scale: on ? "log" : "linear" }),
    copyPicture: () => copyPicture(card.current, chartTheme.peek()),
    ...(lines === undefined ? {} : { data: () => chartCsv(lines, header.profilingStart) }),
  };
  return (
    <section
      class={`card chart-card ${maximised ? "maximised" : ""} ${target === undefined ? "" : "target"}`}
      aria-label={title}
      ref={card}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === "Escape" && maximised && !event.defaultPrevented) setMaximised(false);
      }}
      onContextMenu={(event) => {
        const drawing = event.target instanceof Element ? event.target.closest(".chart-canvas") : null;
        if (drawing === null) return;
        event.preventDefault();
        const at = run.pointed.peek();
        menu.value = {
          anchor: drawing,
          place: { x: event.clientX, y: event.clientY },
          subject,
          chart: {
            ...chart,
            ...(at === undefined || header.state !== "capturing" ? {} : { at: offsetOf(at, header) }),
          },
        };
      }}
    >
      <CardHeader
        entry={entry}
        title={title}
        family={family}
        answer={answer}
        mode={mode}
        many={many}
        onAll={() => setAll(true)}
        maximised={maximised}
        onMaximise={() => setMaximised(!maximised)}
        menu={{ subject, chart }}
      />
      <AssertionList results={checked} />
      {lacking !== undefined && <Placeholder {...lacking} />}
      {lacking === undefined && (
        <Unanswered live={live} what={t("chart")} failed={t("This chart could not be loaded")} />
      )}
      {lacking === undefined && answer !== undefined && (
        <>
          <Outdated live={live} />
          {answer.lines === undefined ? (
            answer.view({
              settings,
              header,
              title,
              colors: run.colors,
              logarithmic,
              onSettings,
              onLines: (series) => change({ series, mode: undefined }),
            })
          ) : (
            <LineChart
              data={answer.lines}
              many={many && type !== "histogram"}
              marked={!many && layout.layout.value.marked}
              header={header}
              thresholds={thresholds}
              inSight={inSight}
              hidden={hidden}
              logarithmic={logarithmic}
              titleOf={titleOf}
              title={title}
            />
          )}
        </>
      )}
    </section>
  );
}

/** Why a chart stays empty whose family the run has not, and never will have. */
function lackOf(family: string, { state }: RunHeader, linked: boolean): Problem | undefined {
  if (state !== "opened" && state !== "stopped") return undefined;
  return {
    severity: "info",
    reason: t`This run has no ${family}.`,
    remedy: linked ? t("A linked view charts it.") : t("Remove the chart, or add another."),
  };
}
