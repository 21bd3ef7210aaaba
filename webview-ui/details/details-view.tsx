import { useMemo } from "preact/hooks";
import { Icon } from "../components/icon.js";
import { FailedRequest, Loading, ProblemLine } from "../components/message.js";
import { plural } from "../format/text.js";
import { useAction } from "../state/action.js";
import { useLiveQuery, useView } from "../state/context.js";
import { runFacts } from "./facts.js";
import { configTree, labelTree } from "./tree.js";
import { TreeView } from "./tree-view.js";

const REFRESH_MS = 10_000;

/** What is known of the run beside its numbers: its file, its configuration, the labels of its series. */
export function DetailsView() {
  return (
    <div class="run-details">
      <RunFacts />
      <Configuration />
      <Labels />
    </div>
  );
}

function RunFacts() {
  const { run } = useView();
  const action = useAction();
  const header = run.header.value;
  if (header === undefined) return null;
  return (
    <section aria-labelledby="details-run">
      <h2 id="details-run">Run</h2>
      {action.problem.value !== undefined && <ProblemLine problem={action.problem.value} />}
      <dl class="run-facts">
        {runFacts(header).map(({ name, value, exact }) => (
          <div key={`${name} ${value}`} class="run-fact">
            <dt>{name}</dt>
            <dd title={exact}>{value}</dd>
            <vscode-button appearance="icon" aria-label={`Copy ${name}`} title={`Copy ${exact ?? value}`} onClick={() => action.start(run.client.call("copy", { text: (exact ?? value).replaceAll(" ns", ""), what: name }))}>
              <Icon name="copy" />
            </vscode-button>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Configuration() {
  const { run } = useView();
  const live = useLiveQuery("configuration", REFRESH_MS, (abort) => run.client.call("configuration", {}, abort));
  const state = live.state.value;
  const config = state.kind === "ready" ? state.value : state.last;
  const roots = useMemo(() => configTree(config ?? []), [JSON.stringify(config)]);
  return (
    <section aria-labelledby="details-config">
      <h2 id="details-config">Input configuration</h2>
      {config === undefined ? (
        state.kind === "failed" ? (
          <FailedRequest error={state.error} what="The configuration could not be read" retry={live.retry} />
        ) : (
          <Loading what="configuration" />
        )
      ) : roots.length === 0 ? (
        <p class="muted">This run's file says nothing of how it was configured.</p>
      ) : (
        <TreeView label="Input configuration" roots={roots} open={roots.map(({ path }) => path)} pathName="Path" />
      )}
    </section>
  );
}

function Labels() {
  const { run } = useView();
  const live = useLiveQuery("labels", REFRESH_MS, (abort) => run.client.call("labels", {}, abort));
  const state = live.state.value;
  const counts = state.kind === "ready" ? state.value : state.last;
  const roots = useMemo(() => labelTree(counts ?? []), [counts]);
  return (
    <section aria-labelledby="details-labels">
      <h2 id="details-labels">Labels{counts === undefined ? "" : `, ${plural(roots.length, "name")}`}</h2>
      {counts === undefined ? (
        state.kind === "failed" ? (
          <FailedRequest error={state.error} what="The labels could not be read" retry={live.retry} />
        ) : (
          <Loading what="labels" />
        )
      ) : roots.length === 0 ? (
        <p class="muted">No series of this run has a label.</p>
      ) : (
        <TreeView label="Labels" roots={roots} pathName="Label" />
      )}
    </section>
  );
}
