import { signal, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import { estimateText, kneeNote, LATENCY_TITLES, loadText, sweepColumns } from "../../src/core/sweep/report.js";
import { SWEEP_LATENCIES, SWEEP_STATISTICS } from "../../src/core/sweep/types.js";
import { ChannelClient, describeError, type DescribedError } from "../../src/protocol/index.js";
import type { Sweep, SweepChoice, SweepPageState, SweepViewRequests } from "../../src/protocol/sweep.js";
import { webviewPort, type HostApi } from "../channel.js";
import { Choice } from "../components/choice.js";
import { FailedRequest, Loading, Outdated, Placeholder } from "../components/message.js";
import { PlainTable } from "../components/plain-table.js";
import { Select } from "../components/select.js";
import { plural } from "../../src/core/text/plural.js";
import { SweepChart } from "./sweep-chart.js";

type Client = ChannelClient<SweepViewRequests, Record<string, never>>;

interface State {
  /** The latest answer, which stays while another choice is read. */
  readonly answer?: SweepViewRequests["sweep"]["result"];
  readonly reading: boolean;
  readonly error?: DescribedError;
}

/** A sweep with all that it rests on. */
export function sweepView(api: HostApi): VNode {
  const client: Client = new ChannelClient(webviewPort(api));
  const state = signal<State>({ reading: true });
  let latest: SweepChoice = {};
  const ask = (choice: SweepChoice) => {
    latest = choice;
    const { answer } = state.peek();
    const kept = answer === undefined ? {} : { answer };
    state.value = { ...kept, reading: true };
    client.call("sweep", choice).then(
      (read) => {
        const remembered: SweepPageState = { folder: read.folder };
        api.setState(remembered);
        if (latest === choice) state.value = { answer: read, reading: false };
      },
      (error: unknown) => {
        if (latest === choice) state.value = { ...kept, reading: false, error: describeError(error) };
      },
    );
  };
  ask({});
  return (
    <SweepView
      state={state}
      ask={ask}
      retry={() => ask(latest)}
      open={(path) => void client.call("openFile", { path })}
      exportReport={() => void client.call("exportReport", {})}
    />
  );
}

interface SweepViewProps {
  readonly state: Signal<State>;
  readonly ask: (choice: SweepChoice) => void;
  readonly retry: () => void;
  readonly open: (path: string) => void;
  readonly exportReport: () => void;
}

function SweepView({ state, ask, retry, open, exportReport }: SweepViewProps) {
  const { answer, reading, error } = state.value;
  return (
    <main class="sweep" aria-busy={reading}>
      <h1>Throughput against latency</h1>
      {answer === undefined && error !== undefined && (
        <FailedRequest error={error} what="The sweep could not be read" retry={retry} />
      )}
      {answer === undefined && error === undefined && <Loading what="runs" />}
      {answer !== undefined && error !== undefined && <Outdated error={error} retry={retry} />}
      {answer !== undefined && <SweepBody {...answer} ask={ask} open={open} exportReport={exportReport} />}
    </main>
  );
}

interface SweepBodyProps {
  readonly folder: string;
  readonly sweep: Sweep;
  readonly ask: (choice: SweepChoice) => void;
  readonly open: (path: string) => void;
  readonly exportReport: () => void;
}

function SweepBody({ folder, sweep, ask, open, exportReport }: SweepBodyProps) {
  const { latency, statistic, series, skipped } = sweep;
  const runs = series.flatMap(({ points }) => points.flatMap(({ paths }) => paths)).length;
  return (
    <>
      <p class="muted">{`${plural(runs, "run")} in ${folder}`}</p>
      <div class="sweep-choices">
        <Select
          label="Latency"
          value={latency}
          options={SWEEP_LATENCIES.map((value) => ({ value, text: LATENCY_TITLES[value] }))}
          onSelect={(value) => {
            const chosen = SWEEP_LATENCIES.find((one) => one === value);
            if (chosen !== undefined) ask({ latency: chosen, statistic });
          }}
        />
        <Choice
          label="Statistic of the latency"
          options={SWEEP_STATISTICS.map((value) => ({ value, text: value }))}
          value={statistic}
          onChoose={(value) => ask({ latency, statistic: value })}
        />
        <vscode-button appearance="secondary" onClick={exportReport}>
          Export Report…
        </vscode-button>
      </div>
      {runs === 0 ? (
        <Placeholder
          problem={{
            severity: "info",
            reason: `No run has both a throughput and this latency: ${LATENCY_TITLES[latency]}, ${statistic}.`,
            remedy: "Choose another latency or statistic.",
          }}
        />
      ) : (
        <>
          <SweepChart sweep={sweep} open={open} />
          <SweepTable sweep={sweep} open={open} />
          <p class="muted">{kneeNote(sweep)}</p>
        </>
      )}
      {skipped.length > 0 && (
        <details class="fold">
          <summary class="muted">{`${plural(skipped.length, "run")} left out`}</summary>
          <ul class="note-list">
            {skipped.map(({ path, reason }) => (
              <li key={path}>{`${path}: ${reason}`}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function SweepTable({ sweep, open }: Pick<SweepBodyProps, "sweep" | "open">) {
  const { series } = sweep;
  const several = series.length > 1;
  const repeated = series.some(({ points }) => points.some(({ paths }) => paths.length > 1));
  const [load = "", throughputTitle = "", latencyTitle = "", runs = ""] = sweepColumns(sweep);
  const heads = [load, ...(several ? ["Configuration"] : []), throughputTitle, latencyTitle];
  return (
    <PlainTable
      label="Points of the sweep"
      class="sweep-table"
      heads={[...heads, ...(repeated ? [runs] : []), "Remark"]}
    >
      {series.flatMap(({ configuration, points, knee }) =>
        points.map((point, i) => (
          <tr key={point.paths.join(" ")}>
            <th scope="row">
              <button
                type="button"
                class="link"
                title={`${point.paths.join("\n")}\nOpen the run`}
                onClick={() => open(point.paths[0] ?? "")}
              >
                {loadText(point.load)}
              </button>
            </th>
            {several && <td class="sweep-configuration">{configuration}</td>}
            <td>{estimateText(point.throughput, sweep.throughput.unit)}</td>
            <td>{estimateText(point.latency, "seconds")}</td>
            {repeated && <td>{point.paths.length}</td>}
            <td>{[...(i === knee ? ["knee"] : []), ...(point.pareto ? ["Pareto frontier"] : [])].join(", ")}</td>
          </tr>
        )),
      )}
    </PlainTable>
  );
}
