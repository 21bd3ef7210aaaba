import { t } from "@vscode/l10n";
import { groupBy } from "../../src/core/math/index.js";
import { useComputed } from "@preact/signals";
import { WindowStrip } from "../adjust/window-strip.js";
import { Icon } from "../components/icon.js";
import { FamilyList, shownUnitOf } from "../components/family-list.js";
import { Loading, NothingFound, Placeholder } from "../components/message.js";
import type { RunHeader } from "../../src/protocol/index.js";
import { Popover } from "../components/popover.js";
import { useView } from "../state/context.js";
import { emptyRun, isLive } from "../state/run-store.js";
import { foundCharts } from "../state/layout.js";
import { ChartCard } from "./chart-card.js";
import { wholeRun } from "./model.js";
import { useSettled, ZoomButtons } from "./viewport.js";
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";

export function ChartsView() {
  const { run, layout } = useView();
  const outline = useComputed(() => outlineOf(run.header.value)).value;
  const header = run.header.peek();
  const current = layout.layout.value;
  const asked = useSettled(run.viewport.value);
  if (header === undefined) return <Loading what={t("charts")} />;
  if (!layout.ready.value) return <Placeholder {...emptyRun(header)} />;
  if (current.charts.length === 0)
    return (
      <Placeholder
        reason={t("No charts chosen.")}
        remedy={t("Add one, or activate a key metric.")}
        action={<AddChart />}
      />
    );
  const shown = foundCharts(current, (name) => run.familyByName.value.get(name)?.displayName);
  if (shown.length === 0)
    return <NothingFound what={t("chart")} button={t("Clear Filter")} onAll={() => layout.set({ filter: "" })} />;
  return (
    <>
      <Strip />
      <div class="charts">
        {shown.map((entry) => {
          const focused = current.focus === entry.id;
          const target = current.target?.id === entry.id ? current.target : undefined;
          return (
            <Memoized key={entry.id} of={[entry, outline, asked, focused, target]}>
              {() => <ChartCard entry={entry} header={header} asked={asked} focused={focused} target={target} />}
            </Memoized>
          );
        })}
      </div>
    </>
  );
}

/** Follows the run's progress by itself: the charts beneath it have their own pace. */
function Strip() {
  const header = useView().run.header.value;
  return header?.adjustable === true ? <WindowStrip header={header} /> : null;
}

/** What charts show of a run besides their answers: with these parts unchanged, none is rendered anew. */
function outlineOf(header: RunHeader | undefined): string {
  if (header === undefined) return "";
  const { state, adjustable, file, profilingStart, profilingEnd, window, load, marks, events, endpoints } = header;
  return JSON.stringify([
    state,
    adjustable,
    file?.path,
    profilingStart,
    profilingEnd,
    window,
    load?.rule,
    marks.length,
    events?.length,
    endpoints.map(({ url, label, displayName }) => [url, label, displayName]),
  ]);
}

export function AddChart() {
  const { run, layout } = useView();
  const charted = new Set(layout.layout.value.charts.map((chart) => chart.family));
  return (
    <Popover label={t("Add Chart")} align="right" icon="add" text={t("Add Chart")}>
      {(close) => (
        <FamilyList
          families={run.families.value.filter((family) => !family.isInfo)}
          isChosen={(family) => charted.has(family.name)}
          onPick={(family) => {
            layout.show(family.name);
            close();
          }}
          onPickAll={(ticked) => {
            for (const together of groupBy(ticked, shownUnitOf).values())
              layout.overlay(together.map(({ name }) => name));
            close();
          }}
        />
      )}
    </Popover>
  );
}

export function ZoomTools() {
  const { run } = useView();
  const header = run.header.value;
  if (header === undefined) return null;
  const whole = wholeRun(header);
  const follows = run.follows.value;
  const toggle = () => {
    // The whole of a run grows with it: it is held as it is now.
    if (follows) run.viewport.value ??= whole;
    run.follows.value = !follows;
  };
  return (
    <>
      {isLive(header) && (
        <button
          type="button"
          class={`live-toggle ${follows ? "" : "paused"}`}
          aria-pressed={follows}
          title={
            follows
              ? t("The charts follow the run. Click to hold them.")
              : t("The charts are held at the time shown; the run goes on. Click to follow it again.")
          }
          onClick={toggle}
        >
          <Icon name={follows ? "record" : "debug-pause"} />
          {follows ? t("Live") : t("Paused")}
        </button>
      )}
      <ZoomButtons whole={whole} />
    </>
  );
}

interface SteadyProps {
  /** What the child is made of. */
  readonly of: readonly unknown[];
  readonly children: () => VNode;
}

/**
 * Leaves its child alone until what it is made of changes; signals that the child reads reach it as before. A run that
 * goes on renders its page at each progress: sixty charts that had nothing new took a third of that.
 */
function Memoized({ of, children }: SteadyProps) {
  return useMemo(children, of);
}
