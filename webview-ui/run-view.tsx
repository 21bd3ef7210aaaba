import { t } from "@vscode/l10n";
import { useComputed } from "@preact/signals";
import { type RunHeader, type DescribedError, MOST_NARROWED } from "../src/protocol/index.js";
import { AddChart, ChartsView, ZoomTools } from "./charts/charts-view.js";
import { MovesWithPanel } from "./client/moves-with.js";
import { FailedRequest, Loading, Placeholder, ProblemLine } from "./components/message.js";
import { Tabs } from "./components/tabs.js";
import { RunHeaderView } from "./header/run-header.js";
import { DetailsView } from "./details/details-view.js";
import { Servers } from "./dashboards/dashboards.js";
import { FamilyMenu } from "./menu/family-menu.js";
import { Overview } from "./overview/overview.js";
import { SearchBox } from "./search/search-box.js";
import { useView } from "./state/context.js";
import type { Tab } from "./state/layout.js";
import { StatisticsView, SnapshotView } from "./tables/statistics-view.js";
import { TimeslicesView } from "./tables/timeslices-view.js";
import { Tiles } from "./tiles/tiles.js";
import { Button, IconButton } from "./components/button.js";
import { useAction } from "./state/action.js";
import { Select } from "./components/choice.js";
import { kindsOf } from "./dashboards/kinds.js";
import { endpointNames } from "./format/text.js";
import { isReport } from "./report/opened.js";

const TITLES: readonly { readonly id: Tab; readonly title: string }[] = [
  { id: "overview", title: t("Overview") },
  { id: "servers", title: t("Servers") },
  { id: "charts", title: t("Explore") },
  { id: "statistics", title: t("Statistics") },
  { id: "timeslices", title: t("Timeslices") },
  { id: "details", title: t("Details") },
];

/** Of a file that holds one scrape. */
const SNAPSHOT_TITLES: typeof TITLES = [
  { id: "statistics", title: t("Values") },
  { id: "details", title: t("Details") },
];

/** How a run is shown: one that is still opened has nothing to be found in yet, a single scrape never has. */
function stageOf(header: RunHeader | undefined): "snapshot" | "opening" | "run" | undefined {
  if (header === undefined) return undefined;
  if (header.file?.format === "snapshot") return "snapshot";
  return header.state === "opening" ? "opening" : "run";
}

function SnapshotTiles() {
  return <Tiles tiles={useView().run.tiles.value.filter((tile) => !Number.isNaN(tile.value))} />;
}

/** A capture in progress or a saved run. */
export function RunView() {
  const { run, layout } = useView();
  // Not the header itself, which is another one with every progress.
  const stage = useComputed(() => stageOf(run.header.value)).value;
  const description = run.description.state.value;
  const isSnapshot = stage === "snapshot";
  const chosen = layout.layout.value.tab;
  const tab = isSnapshot && chosen !== "details" ? "statistics" : chosen;
  if (stage === undefined)
    return (
      <main>
        <h1 class="visually-hidden">{t("Server metrics of a run")}</h1>
        {description.kind !== "failed" ? (
          <Loading what={t("run")} />
        ) : description.error.code === RUN_GONE ? (
          <GoneRun error={description.error} />
        ) : (
          <FailedRequest
            error={description.error}
            what={t("The run could not be shown")}
            retry={run.description.retry}
          />
        )}
      </main>
    );
  return (
    <main class="run-view">
      <RunHeaderView />
      {isSnapshot && <SnapshotTiles />}
      <Tabs
        tabs={isSnapshot ? SNAPSHOT_TITLES : TITLES}
        selected={tab}
        onSelect={(id) => layout.set({ tab: id })}
        tools={
          run.families.value.length > 0 && (
            <>
              <ViewTools />
              {(tab === "overview" || tab === "charts") && <ZoomTools />}
              {tab === "charts" && <AddChart />}
              {!isSnapshot && <SearchBox />}
            </>
          )
        }
      >
        <MovesWithPanel />
        {tab === "overview" && <Overview opening={stage === "opening"} />}
        {tab === "servers" && <Servers />}
        {tab === "charts" && <ChartsView />}
        {tab === "statistics" && (isSnapshot ? <SnapshotView /> : <StatisticsView />)}
        {tab === "timeslices" && <TimeslicesView />}
        {tab === "details" && <DetailsView />}
      </Tabs>
      <FamilyMenu />
    </main>
  );
}

/** The host's word for a run that is no more: asking again is no use. */
const RUN_GONE = "run-gone";

/** Why the run that was shown is not there, and what can be done instead. */
function GoneRun({ error }: { readonly error: DescribedError }) {
  const { run } = useView();
  const action = useAction();
  const command = (name: "recover" | "start") => () =>
    action.start(run.client.call("captureCommand", { command: name }));
  return (
    <>
      {action.problem.value !== undefined && <ProblemLine problem={action.problem.value} />}
      <Placeholder
        reason={error.message}
        remedy={error.remedy}
        action={
          <div class="placeholder-actions">
            <Button primary text={t("Recover Unsaved Captures")} onClick={command("recover")} />
            <Button text={t("Start a New Capture")} onClick={command("start")} />
          </div>
        }
      />
    </>
  );
}

const ALL = "";

/** Back from a chart that was jumped to, and what narrows every tab: endpoints, and words. */
function ViewTools() {
  const { run, layout, back } = useView();
  const { filter, only = ALL } = layout.layout.value;
  const endpoints = run.header.value?.endpoints ?? [];
  const name = endpointNames(
    endpoints.map(({ url }) => url),
    endpoints,
  );
  const kinds = kindsOf(endpoints, run.tiles.value).filter((server) => server !== "");
  return (
    <>
      {back.possible.value && <IconButton icon="arrow-left" label={t("Back (Alt+Left)")} onClick={back.go} />}
      {endpoints.length > 1 && (!isReport || endpoints.length <= MOST_NARROWED) && (
        <Select
          label={t("Endpoints shown")}
          value={only}
          options={[
            { value: ALL, text: t`All ${endpoints.length} endpoints` },
            ...(kinds.length > 1 ? kinds.map((server) => ({ value: server, text: t`All ${server}` })) : []),
            ...endpoints.map(({ url }) => ({ value: url, text: name(url) })),
          ]}
          onSelect={(value) => layout.set({ only: value === ALL ? undefined : value })}
        />
      )}
      <input
        class="input view-filter"
        type="search"
        aria-label={t("Filter metrics and rows")}
        placeholder={t("Filter, or label=value")}
        value={filter}
        onInput={(event) => layout.set({ filter: event.currentTarget.value })}
      />
    </>
  );
}
