import { t } from "@vscode/l10n";
import type { ComponentChildren, RefObject, TargetedEvent } from "preact";
import { useRef } from "preact/hooks";
import { comparedSetLabels } from "../../src/protocol/compared-sets.js";
import { elideMiddle, useTextGroup } from "../shorten/text-group.js";
import { Button } from "../components/button.js";
import { FailedRequest, Loading, Outdated, Placeholder, ProblemLine, Unanswered } from "../components/message.js";
import { Tabs } from "../components/tabs.js";
import { plural } from "../../src/core/text/plural.js";
import { useAction, type RunningAction } from "../state/action.js";
import { useInSight } from "../state/context.js";
import type { DescribedError } from "../../src/protocol/index.js";
import {
  MAX_CANDIDATES,
  type Comparison,
  type ComparisonRow,
  type ComparisonState,
  type IdentifiedComparison,
  type RunFindingChanges,
} from "../../src/protocol/comparison.js";
import { ChartsTab } from "./charts/charts-tab.js";
import { withChart } from "./charts/chosen.js";
import { useComparison } from "./context.js";
import { DifferencesView } from "./differences/differences-view.js";
import { ExportMenu } from "./export-menu.js";
import type { ComparisonTab } from "./layout.js";
import { MatchingView } from "./matching/matching-view.js";
import { Configuration, FindingChanges, useFindingChanges, MeasuredAlike, Method, Warnings } from "./overview/notes.js";
import { FoldedHeader, Headlines, SetNames } from "./overview/headlines.js";
import { isMany } from "./overview/run-head.js";
import { RunsTable } from "./overview/runs-table.js";
import type { ComparisonStore } from "./store.js";

/*
 * What tests and assistive technology find here, by role and name:
 * - table "Compared runs", a columnheader a run with group "Baseline: <label>" or "Candidate 1: <label>" and its
 *   buttons "Make <label> the
 *   baseline", "Move <label> left", "Move <label> right", "Open <label>", "Remove <label>"; progressbar "Reading
 *   <label>". Of what cannot be compared: group "Not compared: <label>" with button "Retry <label>"
 * - region "Changed findings"
 * - button "Add Run…", one more and "Retry" where there is no comparison, button "Export the comparison" →
 *   dialog of that name; region "Warnings"; radiogroup "What is measured of every run"; table "Configuration
 *   differences"
 * - tabs "Differences", "Charts", "Matching"
 * - grid "Differences": rows, gridcells, columnheaders with a sort button; button "Actions for <metric> <quantity>" →
 *   menu with menuitems and
 *   menuitemradios; button "Show the details of <metric> <quantity>"
 * - radiogroup "Rows shown" (radios "Only differing", "All"); group "Verdicts" of pressed buttons "worse, 3"; searchbox
 *   "Filter rows"; textbox
 *   "Threshold of practical relevance in per cent"; button "Copy shown rows as Markdown"
 * - Charts: radiogroups "Arrangement" and "Aligned at", buttons "Zoom in", "Zoom out", "Reset Zoom", "Add Chart"; a
 *   region for each chart, named
 *   as its metric, with radiogroups "Quantity of …" and "What the chart of … shows" for histograms, and button "Remove
 *   the chart of …"
 * - table "Rules for labels" with combobox "Rule for <label>"; table "Unmatched series"
 */

const TITLES: readonly { readonly id: ComparisonTab; readonly title: string }[] = [
  { id: "differences", title: t("Differences") },
  { id: "charts", title: t("Charts") },
  { id: "matching", title: t("Matching") },
];

/** Runs and what tells them apart; one alone waits for others. */
export function ComparisonView() {
  const { store } = useComparison();
  const state = store.state.value;
  if (state !== undefined) return <Compared state={state} />;
  return <Unanswered live={store.first} what={t("comparison")} failed={t("The comparison could not be shown")} />;
}

function Compared({ state }: { readonly state: ComparisonState }) {
  const { store } = useComparison();
  const comparison = resultOf(state, store);
  const findings = useFindingChanges(comparison?.runIds ?? []);
  const header = useRef<HTMLElement>(null);
  const isHeaderInSight = useInSight(header, { root: document, rootMargin: "-1px" });
  /** Rows that are scrolled get the room of the header, which `FoldedHeader` stands for then. */
  const fold = ({ target, currentTarget }: TargetedEvent<HTMLElement>) => {
    if (!(target instanceof HTMLElement) || !target.matches(".grid-scroller") || target.scrollTop === 0) return;
    const top = currentTarget.querySelector(".tab-bar")?.getBoundingClientRect().top ?? 0;
    if (top > 0) window.scrollBy({ top });
  };
  return (
    <main class="run-view comparison-view" aria-busy={state.comparing !== undefined} onScrollCapture={fold}>
      <Progress state={state} />
      <Overview state={state} comparison={comparison} findings={findings} header={header} />
      <Result
        state={state}
        comparison={comparison}
        folded={comparison !== undefined && !isHeaderInSight.value && <FoldedHeader findings={findings} />}
      />
    </main>
  );
}

/** A thin line at the top while something is under way; its place is always kept. */
function Progress({ state: { comparing, runs } }: { readonly state: ComparisonState }) {
  const reading = runs.flatMap(({ state }) => (state.kind === "reading" ? [state.fraction] : []));
  const share = comparing ?? (reading.length === 0 ? undefined : Math.min(...reading));
  return (
    <div
      class="progress-line"
      {...(share === undefined
        ? { "aria-hidden": true }
        : {
            role: "progressbar",
            "aria-label": comparing === undefined ? t("Reading runs") : t("Comparing"),
            "aria-valuemin": 0,
            "aria-valuemax": 100,
            "aria-valuenow": Math.round(100 * share),
          })}
    >
      {share !== undefined && <div style={{ width: `${Math.max(4, 100 * share)}%` }} />}
    </div>
  );
}

interface OverviewProps {
  readonly state: ComparisonState;
  readonly comparison: IdentifiedComparison | undefined;
  readonly findings: readonly RunFindingChanges[] | undefined;
  readonly header: RefObject<HTMLElement | null>;
}

function Overview({ state, comparison, findings, header }: OverviewProps) {
  const { store } = useComparison();
  const action = useAction();
  const labels = comparedSetLabels(state.runs);
  const group = useTextGroup(labels);
  return (
    <header class="comparison-header" ref={header}>
      <div class="run-line">
        <h1 class="comparison-title" title={labels.join("\n→ ")}>
          <SetNames labels={labels} show={(label) => elideMiddle(label, 40, group)} />
        </h1>
        <span class="muted" role="status">
          {statusText(state, comparison)}
        </span>
        <div class="run-actions">
          <AddRun action={action} />
          {isRepeatable(state) && (
            <Button
              text={t("Add Repeats")}
              title={t(
                "Single runs do not tell how much runs vary. Begin an experiment that repeats both, with the commands that they recorded",
              )}
              onClick={() => action.start(store.client.call("addRepeats", {}))}
            />
          )}
          {comparison !== undefined && <ExportMenu action={action} />}
        </div>
      </div>
      {action.problem.value !== undefined && <ProblemLine problem={action.problem.value} />}
      {comparison !== undefined && (
        <>
          <Headlines findings={findings} />
          <Warnings many={isMany(state.runs)} />
          <MeasuredAlike settings={state.settings} action={action} />
        </>
      )}
      <div class="overview">
        <RunsTable runs={state.runs} comparison={comparison} refused={state.problem !== undefined} action={action} />
        {comparison !== undefined && (
          <div class={`overview-notes ${isMany(state.runs) ? "runs-many-notes" : ""}`}>
            <FindingChanges all={findings} />
            <Configuration />
            <Method />
          </div>
        )}
      </div>
    </header>
  );
}

/** Two single runs whose files are there. */
function isRepeatable({ runs }: ComparisonState): boolean {
  return (
    runs.length === 2 &&
    runs.every(({ id, set = id, source, state }) => source.live !== true && state.kind === "ready" && set === id)
  );
}

function statusText({ comparing, runs }: ComparisonState, comparison: Comparison | undefined): string {
  const reading = runs.filter(({ state }) => state.kind === "reading").length;
  if (reading > 0) return t`reading ${plural(reading, t("run"), t("runs"))}…`;
  if (comparing !== undefined) return t`comparing… ${Math.round(100 * comparing)} %`;
  return comparison === undefined ? "" : t`${plural(comparison.rows.length, t("row"), t("rows"))} compared`;
}

interface ResultProps extends Pick<OverviewProps, "state" | "comparison"> {
  /** In place of the header while that is out of sight. */
  readonly folded: ComponentChildren;
}

/** The newest result, also while a newer one is being made; until there is one, why not. */
function Result({ state, comparison, folded }: ResultProps) {
  const { store, layout, shown } = useComparison();
  const { tab, charts } = layout.layout.value;
  const result = store.result.state.value;
  if (state.runs.length === 1) return <OneRun />;
  if (state.problem !== undefined) return <NotComparable state={state} problem={state.problem} />;
  if (comparison === undefined) {
    const underWay = state.comparing !== undefined || state.runs.some((run) => run.state.kind === "reading");
    if (result.kind === "failed" && !underWay)
      return (
        <FailedRequest error={result.error} what={t("The comparison could not be loaded")} retry={store.result.retry} />
      );
    return <Loading what={t("comparison")} />;
  }
  const chart = (row: ComparisonRow) => {
    const next = withChart(charts ?? [], row, comparison.rows);
    shown.value = next.shown;
    layout.change({ tab: "charts", charts: next.charts });
  };
  return (
    <>
      <Outdated live={store.result} />
      <Tabs
        label={t("Views of this comparison")}
        tabs={TITLES}
        selected={tab}
        onSelect={(id) => layout.change({ tab: id })}
        tools={folded}
      >
        {tab === "differences" && <DifferencesView settings={state.settings} onChart={chart} />}
        {tab === "charts" && <ChartsTab state={state} />}
        {tab === "matching" && <MatchingView settings={state.settings} />}
      </Tabs>
    </>
  );
}

/** One run has nothing to say about others, whatever was compared before. */
function resultOf({ runs }: ComparisonState, store: ComparisonStore): IdentifiedComparison | undefined {
  return runs.length === 1 ? undefined : store.comparison.value;
}

function AddRun({ action, primary = false }: { readonly action: RunningAction; readonly primary?: boolean }) {
  const { store } = useComparison();
  const full = (store.state.value?.runs.length ?? 0) > MAX_CANDIDATES;
  const title = full
    ? t`No more than ${MAX_CANDIDATES} candidates are compared at once`
    : t("Compare with one more run");
  return (
    <Button
      primary={primary}
      text={t("Add Run…")}
      icon="add"
      title={title}
      disabled={full}
      onClick={() => action.start(store.client.call("addCandidate", {}))}
    />
  );
}

function OneRun() {
  const action = useAction();
  return (
    <Placeholder
      {...(action.problem.value ?? { severity: "info", reason: t("One run: add another to compare it with.") })}
      action={<AddRun action={action} primary />}
    />
  );
}

function NotComparable({
  state: { runs },
  problem: { code, message, remedy },
}: {
  readonly state: ComparisonState;
  readonly problem: DescribedError;
}) {
  const { store } = useComparison();
  const action = useAction();
  const retry = () => {
    // An engine that has ended is replaced when it is asked for its state.
    if (code === "engine-ended") return store.first.retry();
    const failed = runs.filter(({ state }) => state.kind === "failed");
    action.start(store.client.call("readAgain", { runs: (failed.length > 0 ? failed : runs).map(({ id }) => id) }));
  };
  return (
    <Placeholder
      {...(action.problem.value ?? { severity: "error", reason: message, remedy })}
      action={<Button text={t("Retry")} onClick={retry} />}
    />
  );
}
