import { useComputed, type ReadonlySignal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { SeriesId } from "../../src/core/model/index.js";
import type {
  ChartData,
  ChartQuery,
  FamilySummary,
  ModeSettings,
  Problem,
  RunHeader,
} from "../../src/protocol/index.js";
import { AssertionList } from "../assertions/assertion-list.js";
import { thresholdsOf, type Threshold } from "../assertions/text.js";
import { Icon } from "../components/icon.js";
import { FailedRequest, Loading, Placeholder, ProblemLine } from "../components/message.js";
import { Middle } from "../components/middle.js";
import { Popover } from "../components/popover.js";
import { Ranking } from "../breakdown/ranking.js";
import { Shares } from "../breakdown/shares.js";
import { sharesSubtitle, shownOfVector, vectorSubtitle } from "../breakdown/text.js";
import { Vector } from "../breakdown/vector.js";
import { Distribution } from "../histograms/distribution.js";
import { bucketGrid } from "../histograms/heat-grid.js";
import { Heatmap } from "../histograms/heatmap.js";
import { FamilyMenuButton, PinButton } from "../menu/family-menu.js";
import { savedMode, USUAL_COUNT, type CardMode } from "../state/chart-mode.js";
import { isMany, manyQuery, wholeRunQuery } from "../state/chart-query.js";
import type { SeriesRef } from "../state/menu.js";
import { useInSight, useLiveQuery, useView } from "../state/context.js";
import type { ChartEntry } from "../state/layout.js";
import type { Viewport } from "../state/run-store.js";
import { latestOf } from "../state/live-query.js";
import { askCard, type CardAnswer } from "./answer.js";
import { bandOf } from "./band.js";
import { ChartCanvas } from "./chart-canvas.js";
import { Legend } from "./legend.js";
import { histogramSubtitle, modeOf, modesOf } from "./mode.js";
import { ModeSwitch } from "./mode-switch.js";
import { chartModel, drawnUnit } from "./model.js";
import { SeriesPicker } from "./series-picker.js";
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
}

export function ChartCard({ entry, header, asked, focused }: ChartCardProps) {
  const { run, layout, link, assertions } = useView();
  const card = useRef<HTMLElement>(null);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const family = run.familyByName.value.get(entry.family);
  const type = family?.type ?? "unknown";

  const mode = modeOf(entry.mode, family);
  const settings = entry.settings ?? {};
  const followsZoom = mode === "lines" || mode === "heatmap";
  const [all, setAll] = useState(false);
  const many = family !== undefined && !all && run.only.value === undefined && isMany(entry, family, header);
  const single = wholeRunQuery(entry, type);
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
      query.maxSeries,
      many,
      followsZoom ? asked : undefined,
      settings,
      run.only.value,
    ]),
    followsZoom || mode === "distribution" ? REFRESH_MS : SLOW_REFRESH_MS,
    (abort) => askCard(run, mode, query, settings, abort),
    { keep: true, inSight },
  );

  useEffect(() => {
    if (!focused) return;
    card.current?.scrollIntoView({ block: "center", behavior: "smooth" });
    card.current?.focus({ preventScroll: true });
    layout.dispatch({ kind: "focused" });
  }, [focused]);

  const state = live.state.value;
  const answer = latestOf(state);
  const lacking =
    family === undefined && run.families.value.length > 0
      ? lackOf(entry.family, header, link.state.value.linked)
      : undefined;
  const checked = assertions.results.value.filter((result) => result.family === entry.family);
  const thresholds = useMemo(
    () => thresholdsOf(assertions.results.value, entry.family, type),
    [assertions.results.value, entry.family, type],
  );
  const title = family?.displayName ?? entry.family;
  const toggle = (key: string) => {
    const next = new Set(hidden);
    if (!next.delete(key)) next.add(key);
    setHidden(next);
  };
  const onSettings = (changed: ModeSettings) =>
    layout.dispatch({ kind: "setSettings", id: entry.id, settings: changed });
  const onViewport = (next: Viewport | undefined) => {
    run.viewport.value = next;
  };
  return (
    <section class="card chart-card" aria-label={title} ref={card} tabIndex={-1}>
      <CardHeader
        entry={entry}
        title={title}
        family={family}
        answer={answer}
        mode={mode}
        many={many}
        onAll={() => setAll(true)}
      />
      <AssertionList results={checked} />
      {lacking !== undefined && <Placeholder problem={lacking} />}
      {lacking === undefined && answer === undefined && state.kind === "failed" && (
        <FailedRequest error={state.error} what="This chart could not be loaded" retry={live.retry} />
      )}
      {lacking === undefined && answer === undefined && state.kind === "loading" && <Loading what="chart" />}
      {lacking === undefined && answer !== undefined && (
        <>
          {state.kind === "failed" && (
            <ProblemLine
              problem={{
                severity: "warning",
                reason: `Not up to date: ${state.error.message}`,
                ...(state.error.remedy === undefined ? {} : { remedy: state.error.remedy }),
              }}
              action={
                <vscode-button appearance="secondary" onClick={live.retry}>
                  Retry
                </vscode-button>
              }
            />
          )}
          {answer.mode === "lines" && (
            <ChartBody
              data={answer.data}
              many={many && type !== "histogram"}
              header={header}
              thresholds={thresholds}
              inSight={inSight}
              hidden={hidden}
              title={title}
              onToggle={toggle}
              onHidden={setHidden}
            />
          )}
          {answer.mode === "heatmap" &&
            (answer.data.empty === undefined ? (
              <Heatmap
                data={bucketGrid(answer.data)}
                header={header}
                viewport={run.viewport.value}
                title={title}
                pointed={run.pointed}
                onViewport={onViewport}
              />
            ) : (
              <Placeholder problem={answer.data.empty} />
            ))}
          {answer.mode === "distribution" && <Distribution data={answer.data} title={title} />}
          {answer.mode === "vector" && (
            <Vector
              data={answer.data}
              settings={settings}
              header={header}
              viewport={run.viewport.value}
              title={title}
              pointed={run.pointed}
              onSettings={onSettings}
              onViewport={onViewport}
            />
          )}
          {answer.mode === "ranking" && (
            <Ranking
              data={answer.data}
              settings={settings}
              title={title}
              colors={run.colors}
              onSettings={onSettings}
              onLines={(series) => {
                layout.dispatch({ kind: "setSeries", id: entry.id, series });
                layout.dispatch({ kind: "setMode", id: entry.id, mode: undefined });
              }}
            />
          )}
          {answer.mode === "shares" && (
            <Shares data={answer.data} endpoints={header.endpoints} title={title} onSettings={onSettings} />
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
    reason: `This run has no ${family}.`,
    remedy: linked ? "It is charted in a view that this one is linked with." : "Remove the chart, or add another.",
  };
}

function offsets({ from, to }: Viewport, { profilingStart }: RunHeader): Pick<ChartQuery, "from" | "to"> {
  const offset = (seconds: number) => Math.round(seconds * 1e9 + profilingStart) as RunHeader["now"];
  return { from: offset(from), to: offset(to) };
}

interface CardHeaderProps {
  readonly entry: ChartEntry;
  readonly title: string;
  readonly family: FamilySummary | undefined;
  readonly answer: CardAnswer | undefined;
  readonly mode: CardMode;
  /** All series as median, band and outliers, or a histogram's as one. */
  readonly many: boolean;
  readonly onAll: () => void;
}

const USUAL_STATISTIC = { gauge: "average", unknown: "average", counter: "rate", histogram: "average" } as const;
const QUANTITY = { gauge: "value", unknown: "value", counter: "rate", histogram: "p50 · p90 · p99 · avg" } as const;

/** What is shown, in words, when it is not lines. */
function subtitle(
  mode: Exclude<CardMode, "lines">,
  answer: CardAnswer | undefined,
  entry: ChartEntry,
  total: number,
): string {
  if (mode === "heatmap" || mode === "distribution") return histogramSubtitle(mode, entry.series?.length, total);
  if (answer?.mode === "vector" && mode === "vector")
    return vectorSubtitle(answer.data, shownOfVector(answer.data, entry.settings ?? {}).kind);
  if (answer?.mode === "shares" && mode === "shares") return sharesSubtitle(answer.data);
  if (answer?.mode === "ranking" && mode === "ranking")
    return `${answer.data.rows.length} of ${answer.data.seriesTotal} series, over the window`;
  return "over the window";
}

function CardHeader({ entry, title, family, answer, mode, many, onAll }: CardHeaderProps) {
  const { layout } = useView();
  const data = answer?.mode === "lines" ? answer.data : undefined;
  const drawn = [...new Set(data?.lines.map((line) => line.series) ?? [])];
  const total = (mode === "lines" ? data?.seriesTotal : family?.seriesCount) ?? 0;
  const picker = (button: string, appearance: "icon" | "secondary") =>
    family !== undefined && (
      <Popover
        label={`Choose series of ${title}`}
        appearance={appearance}
        align="right"
        button={button === "" ? <Icon name="list-filter" /> : button}
      >
        {() => (
          <SeriesPicker
            family={family}
            chosen={entry.series}
            drawn={drawn}
            onChoose={(series) => layout.dispatch({ kind: "setSeries", id: entry.id, series })}
          />
        )}
      </Popover>
    );
  return (
    <header class="card-header">
      <div class="card-titles">
        <h2
          class="card-title"
          title={[entry.family, family?.hint, family?.computed, family?.description]
            .filter((part) => part !== undefined)
            .join("\n")}
        >
          <Middle text={title} />
        </h2>
        <div class="card-subtitle muted">
          {title !== entry.family && <span class="card-name">{entry.family}</span>}
          {family?.computed !== undefined && <span>{family.computed}</span>}
          {mode !== "lines" && <span>{subtitle(mode, answer, entry, total)}</span>}
          {family !== undefined && mode === "lines" && (
            <span>
              {[QUANTITY[family.type], data === undefined ? "" : drawnUnit(data)]
                .filter((part) => part !== "")
                .join(", ")}
            </span>
          )}
          {many && data !== undefined && (
            <span class="card-count">
              {family?.type === "histogram"
                ? `${total} series as one `
                : `median, p10 to p90 and outliers of ${total} series `}
              <button type="button" class="link" title="Draw the series one by one" onClick={onAll}>
                show series
              </button>
            </span>
          )}
          {!many && total > drawn.length && drawn.length > 0 && (
            <span class="card-count">
              {`showing ${drawn.length} of ${total} series`}
              {entry.series === undefined && family !== undefined && (
                <button
                  type="button"
                  class="link"
                  title="Rank all series of the family"
                  onClick={() => layout.dispatch({ kind: "setMode", id: entry.id, mode: "ranking" })}
                >
                  {`top ${USUAL_COUNT} by ${USUAL_STATISTIC[family.type]}`}
                </button>
              )}
            </span>
          )}
        </div>
      </div>
      <div class="card-actions">
        {family !== undefined && modesOf(family, mode).length > 1 && (
          <ModeSwitch
            title={title}
            family={family}
            mode={mode}
            onMode={(next) => layout.dispatch({ kind: "setMode", id: entry.id, mode: savedMode(next) })}
          />
        )}
        {total > 1 &&
          mode !== "ranking" &&
          picker(
            mode === "lines" && total > drawn.length ? "Choose…" : "",
            mode === "lines" && total > drawn.length ? "secondary" : "icon",
          )}
        <PinButton family={entry.family} title={title} />
        <FamilyMenuButton
          title={title}
          subject={{
            family: entry.family,
            shows: "course",
            ...(entry.series === undefined ? {} : { series: chosenSeries(entry.series, data) }),
          }}
        />
        <vscode-button
          appearance="icon"
          aria-label={`Remove the chart of ${title}`}
          title="Remove this chart"
          onClick={() => layout.dispatch({ kind: "remove", id: entry.id })}
        >
          <Icon name="close" />
        </vscode-button>
      </div>
    </header>
  );
}

/** The chosen series that the chart has drawn. */
function chosenSeries(chosen: readonly SeriesId[], data: ChartData | undefined): readonly SeriesRef[] {
  const drawn = new Map(
    data?.lines.map(({ series, endpointUrl, labels }) => [series, { id: series, endpointUrl, labels }]),
  );
  return chosen.flatMap((id) => drawn.get(id) ?? []);
}

interface ChartBodyProps {
  readonly data: ChartData;
  /** As median, band and outliers. */
  readonly many: boolean;
  readonly header: RunHeader;
  readonly thresholds: readonly Threshold[];
  readonly inSight: ReadonlySignal<boolean>;
  readonly hidden: ReadonlySet<string>;
  readonly title: string;
  readonly onToggle: (key: string) => void;
  readonly onHidden: (keys: ReadonlySet<string>) => void;
}

function ChartBody({ data, many, header, thresholds, inSight, hidden, title, onToggle, onHidden }: ChartBodyProps) {
  const { run } = useView();
  const pointed = useComputed(() => (inSight.value ? run.pointed.value : undefined));
  const theme = chartTheme.value;
  const viewport = run.viewport.value;
  const band = useMemo(() => (many ? bandOf(data) : undefined), [data, many]);
  const made = useMemo(
    () =>
      theme === undefined ? undefined : chartModel(data, header, viewport, hidden, run.colors, theme, thresholds, band),
    // A header comes with every progress, and the answer soon after it: one drawing for both.
    [
      data,
      band,
      header.profilingStart,
      header.profilingEnd,
      header.window?.start,
      header.window?.end,
      header.marks.length,
      viewport,
      hidden,
      theme,
      thresholds,
    ],
  );
  if (data.empty !== undefined) return <Placeholder problem={data.empty} />;
  if (made === undefined) return <Loading what="chart" />;
  const isolate = (key: string) => {
    const others = made.legend.filter((entry) => entry.key !== key).map((entry) => entry.key);
    const alone = others.every((other) => hidden.has(other));
    onHidden(new Set(alone ? [] : others));
  };
  return (
    <>
      <ChartCanvas
        model={made.model}
        label={`Chart of ${title}`}
        pointed={run.pointed}
        onViewport={(next) => (run.viewport.value = next)}
      />
      <Legend
        entries={made.legend}
        lines={made.model.lines}
        pointed={pointed}
        unit={data.unit}
        onToggle={onToggle}
        onIsolate={isolate}
      />
    </>
  );
}
