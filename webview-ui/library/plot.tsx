import { t } from "@vscode/l10n";
import type { SweepRuns } from "../../src/core/sweep/types.js";
import type { LibraryPlot, ShownHistory, ShownRow, ShownRuns } from "../../src/protocol/library.js";
import { Choice } from "../components/choice.js";
import { Loading, ProblemLine } from "../components/message.js";
import { isReport } from "../report/opened.js";
import { useQuery } from "../state/live-query.js";
import type { RowSelection } from "../tables/grid-props.js";
import { ColumnPopover } from "./column-list.js";
import { History } from "./history.js";
import { Parallel, parallelAxes, Scatter, scatterColumns } from "./run-plots.js";
import type { LibraryStore } from "./store.js";
import { Sweep } from "./sweep.js";

interface PlotProps {
  readonly store: LibraryStore;
  readonly shown: ShownRuns;
  readonly plot: LibraryPlot;
  /** That of the table. */
  readonly selection: RowSelection<ShownRow>;
  readonly start: (work: Promise<unknown>) => void;
}

type Drawn = { readonly runs: ShownRuns } | { readonly history: ShownHistory } | { readonly sweep: SweepRuns };

/** A plot of the runs that the table shows, of any columns. */
export function Plot({ store, shown, plot, selection, start }: PlotProps) {
  const { kind, color } = plot;
  const axes = parallelAxes(plot, shown);
  const names = kind === "parallel" ? [...axes, ...(color === undefined ? [] : [color])] : scatterColumns(plot);
  const live = useQuery(
    JSON.stringify([kind, names]),
    async (abort): Promise<Drawn> => {
      const { choice } = store.layout.peek();
      if (kind === "sweep") return { sweep: await store.client.call("sweepRuns", { choice }, abort) };
      if (kind !== "history")
        return { runs: await store.client.call("libraryRuns", { ...choice, columns: names }, abort) };
      const columns = store.runs.latest.peek()?.columns.map(({ name }) => name) ?? [];
      return { history: await store.client.call("libraryHistory", { choice: { ...choice, columns } }, abort) };
    },
    () => ({ tick: store.answers }),
    true,
  );
  const state = live.state.value;
  const drawn = live.latest.value;
  const isOfColumns = kind === undefined || kind === "parallel";
  const change = (changed: Partial<LibraryPlot>) => store.setPlot({ ...plot, ...changed });
  const without = (part: "color" | "kind") => {
    const { [part]: _, ...others } = plot;
    return others;
  };
  const titles = new Map(
    (drawn !== undefined && "runs" in drawn ? drawn.runs : shown).columns.map((c) => [c.name, c.title]),
  );
  const pick = (label: string, side: "x" | "y" | "color") => {
    const name = plot[side];
    const text = `${label} ${name === undefined ? "nothing" : (titles.get(name) ?? name)}`;
    return (
      <ColumnPopover
        store={store}
        button={{ label: text, text }}
        label={t`${label} search columns`}
        onPick={({ name }) => change({ [side]: name })}
      />
    );
  };
  return (
    <figure class="card plot-figure" aria-label={t("Plot of the runs")}>
      <div class="library-axes">
        <Choice
          label={t("Kind of plot")}
          options={[
            { value: "scatter", text: t("Scatter") },
            { value: "sweep", text: t("Throughput against latency") },
            { value: "parallel", text: t("Parallel coordinates") },
            // A report has what was recorded of its runs, and no repository.
            ...(isReport ? [] : [{ value: "history" as const, text: t("History") }]),
          ]}
          value={kind ?? "scatter"}
          onChoose={(next) => store.setPlot(next === "scatter" ? without("kind") : { ...plot, kind: next })}
        />
        {kind === undefined && (
          <>
            {pick(t("Upwards:"), "y")}
            {pick(t("To the right:"), "x")}
          </>
        )}
        {kind === "parallel" && (
          <ColumnPopover
            store={store}
            button={{ label: t("Axes"), text: t("Axes") }}
            label={t("Axes: search columns")}
            isChosen={(name) => axes.includes(name)}
            onPick={({ name }) =>
              change({ axes: axes.includes(name) ? axes.filter((one) => one !== name) : [...axes, name] })
            }
          />
        )}
        {isOfColumns && pick(t("Colour:"), "color")}
        {isOfColumns && color !== undefined && (
          <button type="button" class="link" onClick={() => store.setPlot(without("color"))}>
            {t("One colour")}
          </button>
        )}
      </div>
      {state.kind === "failed" && (
        <ProblemLine problem={{ severity: "error", reason: state.error.message, remedy: state.error.remedy }} />
      )}
      {drawn === undefined ? (
        state.kind !== "failed" && <Loading what={t("plot")} />
      ) : "sweep" in drawn ? (
        kind === "sweep" && (
          <Sweep
            read={drawn.sweep}
            plot={plot}
            change={change}
            open={isReport ? undefined : (path) => start(store.client.call("openFile", { path }))}
          />
        )
      ) : "history" in drawn ? (
        kind === "history" && (
          <History
            history={drawn.history}
            compare={(runs) => start(store.client.call("compareRuns", { runs: [...runs] }))}
          />
        )
      ) : kind === "parallel" ? (
        <Parallel answer={drawn.runs} axes={axes} plot={plot} selection={selection} />
      ) : (
        kind === undefined && <Scatter answer={drawn.runs} plot={plot} selection={selection} />
      )}
    </figure>
  );
}
