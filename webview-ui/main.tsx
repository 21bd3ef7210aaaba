import "./l10n.js";
import { ChannelClient } from "../src/protocol/index.js";
import { signal } from "@preact/signals";
import { render, type VNode } from "preact";
import { webviewPort, type HostApi } from "./channel.js";
import { PageTimeProvider } from "./charts/viewport.js";
import { followTheme } from "./charts/theme.js";
import { comparisonView } from "./comparison/start.js";
import { libraryView } from "./library/library-view.js";
import { experimentView } from "./experiment/experiment-view.js";
import { removeControlCharacters } from "./control-characters.js";
import { About } from "./report/about.js";
import { reportHost } from "./report/host.js";
import { openedReport } from "./report/opened.js";
import { followPrinting, followColorScheme } from "./report/browser.js";
import { RunView } from "./run-view.js";
import { createAssertionResults, createAttainedObjectives } from "./state/assertions.js";
import { createBackStore } from "./state/back.js";
import { ViewProvider } from "./state/context.js";
import { createLayoutStore, remembered } from "./state/layout-store.js";
import { createLinkStore } from "./state/link.js";
import { createRunStore } from "./state/run-store.js";
import "./styles/view.css";
import { registerToolkit } from "./toolkit.js";

registerToolkit();
removeControlCharacters();
const api = openedReport === undefined ? acquireVsCodeApi() : reportHost(openedReport);
const root = document.getElementById("root");
if (root === null) throw new Error('the page has no element with the id "root"');

function runView(host: HostApi): VNode {
  const run = createRunStore(new ChannelClient(webviewPort(host)), remembered(host));
  const layout = createLayoutStore(run, host);
  return (
    <ViewProvider
      value={{
        run,
        layout,
        back: createBackStore(run, layout),
        link: createLinkStore(run, layout),
        assertions: createAssertionResults(run),
        objectives: createAttainedObjectives(run),
        menu: signal(undefined),
        moves: signal(undefined),
      }}
    >
      <PageTimeProvider of={run}>
        <RunView />
      </PageTimeProvider>
    </ViewProvider>
  );
}

if (openedReport !== undefined) {
  followColorScheme();
  followPrinting();
}
followTheme();
// The page says which view it is for.
const VIEWS: ReadonlyMap<string | undefined, (host: HostApi) => VNode> = new Map([
  ["comparison", comparisonView],
  ["library", libraryView],
  ["experiment", experimentView],
]);
render(
  <>
    {openedReport !== undefined && (
      <header class="visually-hidden">
        <h1>{openedReport.about.title}</h1>
      </header>
    )}
    {(VIEWS.get(root.dataset["view"]) ?? runView)(api)}
    {openedReport !== undefined && <About about={openedReport.about} />}
  </>,
  root,
);
