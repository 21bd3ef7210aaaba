import { t } from "@vscode/l10n";
import { useMemo, useRef } from "preact/hooks";
import { ClientServerPanel } from "../client/client-server.js";
import { useHiddenLines } from "../charts/legend.js";
import { LineChart } from "../charts/line-chart.js";
import { drawnUnit, wholeRun } from "../charts/model.js";
import { offsets, refreshMs, useSettled } from "../charts/viewport.js";
import { Placeholder, Unanswered } from "../components/message.js";
import { KeyMetrics } from "../dashboards/dashboards.js";
import { SilenceMark, useSilence } from "../dashboards/silence.js";
import { Findings, FindingsPlaceholder } from "../findings/findings.js";
import { useInSight, useLiveQuery, useView } from "../state/context.js";
import { emptyRun, ofEndpoints } from "../state/run-store.js";
import { orderedCharts } from "../state/layout.js";
import { holdsWords } from "../tables/filter.js";
import { Objectives } from "../tiles/objectives.js";
import { overlayOf, overviewCards, overviewQuery, type Drawing, type OverviewCard } from "./concepts.js";

/** What a run comes to: its findings, its course in four charts, its key metrics. */
export function Overview({ opening }: { readonly opening: boolean }) {
  return (
    <div class="run-overview">
      {opening ? <FindingsPlaceholder /> : <Findings />}
      <OverviewCharts />
      {!opening && <ClientServerPanel />}
      <Objectives />
      <KeyMetrics />
    </div>
  );
}

function OverviewCharts() {
  const { run, layout } = useView();
  const { filter, ...current } = layout.layout.value;
  const header = run.header.peek();
  const byName = run.familyByName.value;
  const charted = orderedCharts(current).flatMap(({ family }) => byName.get(family) ?? []);
  const cards = overviewCards(run.families.value, charted).filter(({ title, drawings }) =>
    holdsWords(filter, title, ...drawings.flatMap(({ families }) => families.map(({ name }) => name))),
  );
  if (header === undefined) return null;
  if (!layout.ready.value) return <Placeholder {...emptyRun(header)} />;
  return (
    <div class="charts overview-charts">
      {cards.map((card) => (
        <Card key={card.title} card={card} />
      ))}
    </div>
  );
}

function Card({ card: { title, drawings } }: { readonly card: OverviewCard }) {
  const { layout } = useView();
  const { text: silence } = useSilence(drawings.flatMap(({ families }) => families));
  return (
    <section class={`card chart-card drawings-${drawings.length}`} aria-label={title}>
      <header class="card-header">
        <h2 class="card-title">{title}</h2>
        <SilenceMark text={silence.value} />
        <div class="card-actions">
          {drawings.flatMap(({ families }) =>
            families.map(({ name }) => (
              <button
                key={name}
                type="button"
                class="link exposed-name"
                title={t`Show the chart of ${name}`}
                onClick={() => layout.show(name)}
              >
                {name}
              </button>
            )),
          )}
        </div>
      </header>
      {drawings.map((drawing) => (
        <DrawingView
          key={drawing.families.map(({ name }) => name).join(" ")}
          drawing={drawing}
          title={drawing.title ?? title}
        />
      ))}
    </section>
  );
}

function DrawingView({
  drawing: { title: own, families },
  title,
}: {
  readonly drawing: Drawing;
  readonly title: string;
}) {
  const { run } = useView();
  const box = useRef<HTMLDivElement>(null);
  const inSight = useInSight(box);
  const hidden = useHiddenLines();
  const asked = useSettled(run.viewport.value);
  const header = run.header.peek();
  const live = useLiveQuery(
    JSON.stringify([families.map(({ name, seriesCount }) => [name, seriesCount]), asked, run.only.value]),
    () => {
      const now = run.header.peek();
      return now === undefined ? 0 : refreshMs(run.viewport.peek() ?? wholeRun(now));
    },
    (abort) => {
      const now = run.header.peek();
      const range = asked === undefined || now === undefined ? {} : offsets(asked, now);
      return Promise.all(
        families.map(async (family) => ({
          family,
          data: await run.chart({ ...overviewQuery(family), ...range, ...ofEndpoints(run.only.peek()) }, abort),
        })),
      );
    },
    { keep: true, inSight },
  );
  const answers = live.latest.value;
  const overlay = useMemo(() => overlayOf(answers ?? []), [answers]);
  if (header === undefined) return null;
  return (
    <div class="drawing" ref={box}>
      <div class="drawing-caption muted">
        {[own, overlay === undefined ? "" : drawnUnit(overlay.data)].filter((part) => part).join(", ")}
      </div>
      <Unanswered live={live} what={t("chart")} failed={t("This chart could not be loaded")} />
      {overlay !== undefined && (
        <LineChart
          data={overlay.data}
          logarithmic={false}
          header={header}
          thresholds={NONE}
          inSight={inSight}
          hidden={hidden}
          titleOf={overlay.titleOf}
          title={title}
        />
      )}
    </div>
  );
}

const NONE: readonly never[] = [];
