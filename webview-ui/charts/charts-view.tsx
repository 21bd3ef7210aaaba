import { WindowStrip } from "../adjust/window-strip.js";
import { FamilyList } from "../components/family-list.js";
import { Loading, Placeholder } from "../components/message.js";
import { AddChartPopover } from "./add-chart.js";
import { useView } from "../state/context.js";
import { emptyRun } from "../state/empty-run.js";
import { orderedCharts } from "../state/layout.js";
import { ChartCard } from "./chart-card.js";
import { wholeRun } from "./model.js";
import { useSettled } from "./use-settled.js";
import { ZoomButtons } from "./zoom-buttons.js";

export function ChartsView() {
  const { run, layout } = useView();
  const header = run.header.value;
  const current = layout.layout.value;
  const asked = useSettled(run.viewport.value);
  if (header === undefined) return <Loading what="charts" />;
  if (!layout.ready.value) {
    return <Placeholder problem={emptyRun(header)} />;
  }
  if (current.charts.length === 0) {
    return (
      <Placeholder
        problem={{ severity: "info", reason: "No charts chosen.", remedy: "Add one, or activate a tile above." }}
        action={<AddChart />}
      />
    );
  }
  return (
    <>
      {header.adjustable && <WindowStrip header={header} />}
      <div class="charts">
        {orderedCharts(current).map((entry) => (
          <ChartCard key={entry.id} entry={entry} header={header} asked={asked} focused={current.focus === entry.id} />
        ))}
      </div>
    </>
  );
}

export function AddChart() {
  const { run, layout } = useView();
  const charted = new Set(layout.layout.value.charts.map((chart) => chart.family));
  return (
    <AddChartPopover>
      {(close) => (
        <FamilyList
          families={run.families.value.filter((family) => !family.isInfo)}
          isChosen={(family) => charted.has(family.name)}
          onPick={(family) => {
            layout.dispatch({ kind: "show", family: family.name });
            close();
          }}
        />
      )}
    </AddChartPopover>
  );
}

export function ZoomTools() {
  const { run } = useView();
  const header = run.header.value;
  if (header === undefined) return null;
  return (
    <ZoomButtons
      viewport={run.viewport.value}
      whole={wholeRun(header)}
      onViewport={(next) => (run.viewport.value = next)}
    />
  );
}
