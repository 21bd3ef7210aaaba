import { t } from "@vscode/l10n";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { estimateText, kneeNote, LATENCY_TITLES, loadText, sweepColumns } from "../../src/core/sweep/report.js";
import { SWEEP_LATENCIES, SWEEP_STATISTICS } from "../../src/core/sweep/types.js";
import { ChannelClient } from "../../src/protocol/index.js";
import type { Sweep, SweepChoice, SweepPageState, SweepPoint, SweepViewRequests } from "../../src/protocol/sweep.js";
import { webviewPort, type HostApi } from "../channel.js";
import { Button } from "../components/button.js";
import { Choice } from "../components/choice.js";
import { Outdated, Placeholder, ProblemLine, Unanswered } from "../components/message.js";
import { SortedTable } from "../components/sorted-table.js";
import { Select } from "../components/select.js";
import { TextList } from "../components/text-list.js";
import { plural } from "../../src/core/text/plural.js";
import { isReport } from "../report/opened.js";
import { useAction } from "../state/action.js";
import { useQuery } from "../state/use-query.js";
import { SweepChart } from "./sweep-chart.js";

/** A sweep with all that it rests on. */
export function sweepView(api: HostApi): VNode {
  return <SweepView client={new ChannelClient(webviewPort(api))} api={api} />;
}

interface SweepViewProps {
  readonly client: ChannelClient<SweepViewRequests, Record<string, never>>;
  readonly api: Pick<HostApi, "setState">;
}

function SweepView({ client, api }: SweepViewProps) {
  const action = useAction();
  const [choice, setChoice] = useState<SweepChoice>({});
  // What was read stays while another choice is.
  const live = useQuery(
    JSON.stringify(choice),
    async (abort) => {
      const read = await client.call("sweep", choice, abort);
      const remembered: SweepPageState = { folder: read.folder };
      api.setState(remembered);
      return read;
    },
    () => ({}),
    true,
  );
  const state = live.state.value;
  const answer = live.latest.value;
  return (
    <main class="sweep" aria-busy={state.kind === "loading"}>
      <h1>{t("Throughput against latency")}</h1>
      {action.problem.value !== undefined && <ProblemLine problem={action.problem.value} />}
      <Unanswered live={live} what={t("runs")} failed={t("The sweep could not be read")} />
      {answer !== undefined && <Outdated live={live} />}
      {answer !== undefined && (
        <SweepBody
          {...answer}
          ask={setChoice}
          open={isReport ? undefined : (path) => action.start(client.call("openFile", { path }))}
          exportReport={() => action.start(client.call("exportReport", {}))}
        />
      )}
    </main>
  );
}

interface SweepBodyProps {
  readonly folder: string;
  readonly sweep: Sweep;
  readonly ask: (choice: SweepChoice) => void;
  /** Absent: the runs are not there. */
  readonly open: ((path: string) => void) | undefined;
  readonly exportReport: () => void;
}

function SweepBody({ folder, sweep, ask, open, exportReport }: SweepBodyProps) {
  const { latency, statistic, series, skipped } = sweep;
  const runs = series.flatMap(({ points }) => points.flatMap(({ paths }) => paths)).length;
  return (
    <>
      <p class="muted">{t`${plural(runs, t("run"), t("runs"))} in ${folder}`}</p>
      {!isReport && <SweepChoices latency={latency} statistic={statistic} ask={ask} exportReport={exportReport} />}
      {runs === 0 ? (
        <Placeholder
          reason={t`No run has both a throughput and this latency: ${LATENCY_TITLES[latency]}, ${statistic}.`}
          remedy={t("Choose another latency or statistic.")}
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
          <summary class="muted">{t`${plural(skipped.length, t("run"), t("runs"))} left out`}</summary>
          <TextList items={skipped.map(({ path, reason }) => `${path}: ${reason}`)} />
        </details>
      )}
    </>
  );
}

/** Which latency is shown, by which statistic. */
function SweepChoices({
  latency,
  statistic,
  ask,
  exportReport,
}: Pick<Sweep, "latency" | "statistic"> & Pick<SweepBodyProps, "ask" | "exportReport">) {
  return (
    <div class="sweep-choices">
      <Select
        label={t("Latency")}
        value={latency}
        options={SWEEP_LATENCIES.map((value) => ({ value, text: LATENCY_TITLES[value] }))}
        onSelect={(value) => ask({ latency: value, statistic })}
      />
      <Choice
        label={t("Statistic of the latency")}
        options={SWEEP_STATISTICS.map((value) => ({ value, text: value }))}
        value={statistic}
        onChoose={(value) => ask({ latency, statistic: value })}
      />
      <Button text={t("Export Report…")} onClick={exportReport} />
    </div>
  );
}

function SweepTable({ sweep, open }: Pick<SweepBodyProps, "sweep" | "open">) {
  const { series } = sweep;
  const several = series.length > 1;
  const repeated = series.some(({ points }) => points.some(({ paths }) => paths.length > 1));
  const [loadTitle = "", throughputTitle = "", latencyTitle = "", runs = ""] = sweepColumns(sweep);
  const heads = [loadTitle, ...(several ? [t("Configuration")] : []), throughputTitle, latencyTitle];
  return (
    <SortedTable
      label={t("Points of the sweep")}
      class="sweep-table"
      heads={[...heads, ...(repeated ? [runs] : []), t("Remark")]}
      rows={series.flatMap(({ configuration, points, knee }) =>
        points.map((point, i) => {
          const { paths, load, throughput, latency, pareto } = point;
          const remark = [...(i === knee ? ["knee"] : []), ...(pareto ? [t("Pareto frontier")] : [])].join(", ");
          return {
            key: paths.join(" "),
            cells: [
              <LoadCell key="load" point={point} open={open} />,
              ...(several ? [<span class="sweep-configuration">{configuration}</span>] : []),
              estimateText(throughput, sweep.throughput.unit),
              estimateText(latency, "seconds"),
              ...(repeated ? [paths.length] : []),
              remark,
            ],
            order: [
              load?.value ?? "",
              ...(several ? [configuration] : []),
              throughput.value,
              latency.value,
              ...(repeated ? [paths.length] : []),
              remark,
            ],
          };
        }),
      )}
    />
  );
}

function LoadCell({ point: { paths, load }, open }: { readonly point: SweepPoint } & Pick<SweepBodyProps, "open">) {
  if (open === undefined) return <span title={paths.join("\n")}>{loadText(load)}</span>;
  return (
    <button
      type="button"
      class="link"
      title={t`${paths.join("\n")}\nOpen the run`}
      onClick={() => open(paths[0] ?? "")}
    >
      {loadText(load)}
    </button>
  );
}
