import { t } from "@vscode/l10n";
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { ChannelClient } from "../../src/protocol/index.js";
import type {
  Cell,
  ExperimentPageState,
  ExperimentViewEvents,
  ExperimentViewRequests,
  ReadExperiment,
  ShownExperiment,
} from "../../src/protocol/experiment.js";
import { fileName } from "../adjust/text.js";
import { webviewPort, type HostApi } from "../channel.js";
import { Button } from "../components/button.js";
import { Outdated, ProblemLine, Unanswered } from "../components/message.js";
import { isReport } from "../report/opened.js";
import { PlainTable } from "../components/plain-table.js";
import { TextList } from "../components/text-list.js";
import { useAction } from "../state/action.js";
import { liveQuery, type LiveQuery } from "../state/live-query.js";
import { BlockStrip, SearchFigure, SequenceFigure } from "./plots.js";

type Client = ChannelClient<ExperimentViewRequests, ExperimentViewEvents>;
type Command = ExperimentViewRequests["experimentCommand"]["params"]["command"];

interface Actions {
  readonly command: (command: Command) => void;
  readonly open: (folder: string) => void;
  readonly exportReport: () => void;
}

/** An experiment: its answer so far, and how it came about. */
export function experimentView(api: HostApi): VNode {
  const client: Client = new ChannelClient(webviewPort(api));
  const tick = signal(0);
  client.on("changed", () => tick.value++);
  const live = liveQuery(
    async (abort) => {
      const answer = await client.call("experiment", {}, abort);
      const kept: ExperimentPageState = { file: answer.file };
      api.setState(kept);
      return answer;
    },
    { tick },
  );
  return <ExperimentView client={client} live={live} />;
}

interface ExperimentViewProps {
  readonly client: Client;
  readonly live: LiveQuery<ShownExperiment>;
}

function ExperimentView({ client, live }: ExperimentViewProps) {
  const action = useAction();
  const answer = live.latest.value;
  if (answer === undefined)
    return (
      <main class="experiment">
        <Unanswered live={live} what={t("experiment")} failed={t("The experiment could not be read")} />
      </main>
    );
  return (
    <main class="experiment">
      <Outdated live={live} />
      {action.problem.value !== undefined && <ProblemLine problem={action.problem.value} />}
      <ExperimentBody
        {...answer}
        command={(command) => action.start(client.call("experimentCommand", { command }))}
        open={(folder) => action.start(client.call("openRun", { folder }))}
        exportReport={() => action.start(client.call("exportReport", {}))}
      />
    </main>
  );
}

function ExperimentBody({ file, experiment, running, failure, showPlan, ...actions }: ShownExperiment & Actions) {
  const { command, open, exportReport } = actions;
  const { question, answers, runs, primary, search, plan } = experiment;
  const figures = (guards: boolean) =>
    experiment.plots
      .filter(({ looks, isGuard }) => looks.length > 0 && isGuard === guards)
      .map((plot) => <SequenceFigure key={plot.title} plot={plot} />);
  const guards = figures(true);
  const invalid = runs.filter(({ problems }) => problems.length > 0);
  const isRunning = running === "yes" || running === "stopping";
  return (
    <>
      <header class="experiment-header">
        <h1>{question}</h1>
        {isReport ? (
          <span class="muted">{fileName(file)}</span>
        ) : (
          <button type="button" class="link" title={t`${file}\nOpen the file`} onClick={() => command("openFile")}>
            {fileName(file)}
          </button>
        )}
      </header>
      <div class="experiment-answers" role="status">
        {answers.map((answer) => (
          <p key={answer}>{answer}</p>
        ))}
      </div>
      <div class="experiment-state">
        <Buttons experiment={experiment} running={running} command={command} />
        {runs.length > 0 && <Button text={t("Export Report…")} onClick={exportReport} />}
        <span class="muted">{stateText(experiment, running)}</span>
      </div>
      {experiment.otherPlan !== undefined && failure === undefined && (
        <ProblemLine problem={{ severity: "warning", reason: experiment.otherPlan }} />
      )}
      {failure !== undefined && (
        <ProblemLine
          problem={{ severity: "error", reason: t`It could not run: ${failure}` }}
          action={failure.includes("--anew") && <Button text={t("Begin Anew")} onClick={() => command("anew")} />}
        />
      )}
      <Cells experiment={experiment} />
      <BlockStrip experiment={experiment} isRunning={isRunning} {...(isReport ? {} : { open })} />
      {search !== undefined && search.levels.length > 0 && <SearchFigure plot={search} metric={primary} />}
      {figures(false)}
      {guards.length > 0 && (
        <details class="fold">
          <summary class="muted">{t("Guards, block by block")}</summary>
          {guards}
        </details>
      )}
      {invalid.length > 0 && (
        <section>
          <h2>{t("Runs that do not count")}</h2>
          <TextList items={invalid.map(({ folder, problems }) => `${folder}: ${problems.join(" ")}`)} />
        </section>
      )}
      <details class="fold" open={showPlan || runs.length === 0}>
        <summary class="muted">{t("Plan")}</summary>
        <TextList items={plan} />
      </details>
    </>
  );
}

function Buttons({
  experiment,
  running,
  command,
}: Pick<ShownExperiment, "experiment" | "running"> & Pick<Actions, "command">) {
  const { end, runs } = experiment;
  if (running === "yes" || running === "stopping")
    return (
      <>
        {running === "yes" && <Button text={t("Stop After This Run")} onClick={() => command("stopSoon")} />}
        <Button text={t("Stop Now")} onClick={() => command("stopNow")} />
      </>
    );
  // Where no run counted it may be tried again.
  if (end !== undefined && end !== "invalid") return null;
  return <Button primary text={runs.length === 0 ? t("Run") : t("Continue")} onClick={() => command("run")} />;
}

function stateText({ next, planned: [step] }: ReadExperiment, running: ShownExperiment["running"]): string {
  if (running === "unknown") return t("It may be running on another machine or in another container.");
  if (running === "no") return next;
  const now =
    step === undefined
      ? t("A run is under way.")
      : t`Under way: ${step.configuration} under ${step.load}, block ${step.block}.`;
  return running === "stopping" ? t`${now} It stops after this run.` : now;
}

const TONES: Partial<Record<Cell["state"], string>> = {
  better: "tone-good",
  met: "tone-good",
  worse: "tone-error",
  missed: "tone-error",
  undecided: "muted",
  baseline: "muted",
};

function Cells({ experiment: { cells, primary } }: Pick<ShownExperiment, "experiment">) {
  const isSearch = cells.every(({ state }) => state !== "baseline");
  const compared = isSearch ? [] : [t("Against the baseline"), t("Guards")];
  return (
    <PlainTable
      label={t("Configurations and loads")}
      class="experiment-cells"
      heads={[t("Configuration"), t("Load"), t("State"), t("Runs"), primary, ...compared]}
    >
      {cells.map(({ configuration, load, made, valid, value, difference, guards, state }) => (
        <tr key={`${configuration} ${load}`}>
          <th scope="row">{configuration}</th>
          <td>{load}</td>
          <td class={TONES[state]}>{state}</td>
          <td title={t("Those that count")}>{valid === made ? valid : t`${valid} of ${made}`}</td>
          <td title={t("Mean of the runs that count")}>{value ?? "–"}</td>
          {!isSearch && <td class="experiment-words">{difference ?? "–"}</td>}
          {!isSearch && (
            <td class="experiment-words">
              {guards.map((guard) => (
                <div key={guard.metric} title={guard.difference}>
                  {guard.metric}: <span class={TONES[guard.state]}>{guard.state}</span>
                </div>
              ))}
            </td>
          )}
        </tr>
      ))}
    </PlainTable>
  );
}
