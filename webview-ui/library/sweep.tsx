import { t } from "@vscode/l10n";
import { estimateText, kneeNote, LATENCY_TITLES, loadText, sweepColumns } from "../../src/core/sweep/report.js";
import { sweepOf } from "../../src/core/sweep/sweep.js";
import {
  SWEEP_LATENCIES,
  SWEEP_STATISTICS,
  type Sweep as SweepOfRuns,
  type SweepPoint,
  type SweepRuns,
} from "../../src/core/sweep/types.js";
import { plural } from "../../src/core/text/plural.js";
import type { LibraryPlot } from "../../src/protocol/library.js";
import { Choice, Select } from "../components/choice.js";
import { Placeholder } from "../components/message.js";
import { SortedTable } from "../components/plain-table.js";
import { TextList } from "../components/text-list.js";
import { SweepChart } from "./sweep-chart.js";

interface SweepProps {
  readonly read: SweepRuns;
  readonly plot: LibraryPlot;
  readonly change: (plot: Partial<LibraryPlot>) => void;
  /** Absent: the runs are not there. */
  readonly open: ((path: string) => void) | undefined;
}

/** Throughput against latency: a point for each load, the knees and the Pareto frontier, with all that they rest on. */
export function Sweep({ read, plot, change, open }: SweepProps) {
  const sweep = sweepOf(read.runs, plot, read.skipped);
  const { latency, statistic, series, skipped } = sweep;
  return (
    <>
      <div class="library-axes">
        <Select
          label={t("Latency")}
          value={latency}
          options={SWEEP_LATENCIES.map((value) => ({ value, text: LATENCY_TITLES[value] }))}
          onSelect={(value) => change({ latency: value })}
        />
        <Choice
          label={t("Statistic of the latency")}
          options={SWEEP_STATISTICS.map((value) => ({ value, text: value }))}
          value={statistic}
          onChoose={(value) => change({ statistic: value })}
        />
      </div>
      {series.length === 0 ? (
        <Placeholder
          reason={t`No run has both a throughput and this latency: ${LATENCY_TITLES[latency]}, ${statistic}.`}
          remedy={t("Choose another latency or statistic.")}
        />
      ) : (
        <>
          <SweepChart sweep={sweep} open={open} />
          <p class="muted">{kneeNote(sweep)}</p>
          <details class="fold" open>
            <summary class="muted">{t("Points")}</summary>
            <SweepTable sweep={sweep} open={open} />
          </details>
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

function SweepTable({ sweep, open }: { readonly sweep: SweepOfRuns } & Pick<SweepProps, "open">) {
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

function LoadCell({ point: { paths, load }, open }: { readonly point: SweepPoint } & Pick<SweepProps, "open">) {
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
