import { useRef, useState } from "preact/hooks";
import { VERDICT_TEXT } from "../../../src/core/compare/report.js";
import type {
  ComparedRunStatus,
  Comparison,
  IdentifiedComparison,
  RunId,
  RunSummary,
} from "../../../src/protocol/comparison.js";
import { Icon } from "../../components/icon.js";
import { elideMiddle, hostOf, plural } from "../../format/text.js";
import { formatLength } from "../../format/time.js";
import type { Action } from "../../state/action.js";
import { useComparison } from "../context.js";
import { VERDICTS } from "../layout.js";
import { VERDICT_LOOKS } from "../words.js";
import { moved } from "./order.js";
import { RunSwatch } from "../run-swatch.js";

interface RunsTableProps {
  readonly runs: readonly ComparedRunStatus[];
  readonly comparison: IdentifiedComparison | undefined;
  readonly action: Action;
}

/**
 * What is compared: a column for each run, the baseline first. Columns are dragged, or moved by their buttons, to
 * change places.
 */
export function RunsTable({ runs, comparison, action }: RunsTableProps) {
  const { store } = useComparison();
  const [dragged, setDragged] = useState<number>();
  const [over, setOver] = useState<number>();
  const ids = runs.map(({ id }) => id);
  const arrange = (order: readonly RunId[]) => {
    if (order.length < ids.length || order.some((id, i) => id !== ids[i]))
      action.start(store.client.call("arrange", { order }));
  };
  const drop = (to: number) => {
    if (dragged !== undefined && dragged !== to) arrange(moved(ids, dragged, to));
    setDragged(undefined);
    setOver(undefined);
  };
  return (
    <div class="runs-scroller">
      <table class="runs" aria-label="Compared runs" style={{ "--runs": runs.length }}>
        <thead>
          <tr>
            <td />
            {runs.map((run, i) => (
              <th
                key={run.id}
                scope="col"
                class={`run-column ${dragged === i ? "dragged" : ""} ${over === i && dragged !== undefined && dragged !== i ? (dragged > i ? "drop-before" : "drop-after") : ""}`}
                draggable
                onDragStart={(event) => {
                  event.dataTransfer?.setData("text/plain", run.label);
                  setDragged(i);
                }}
                onDragOver={(event) => {
                  if (dragged === undefined) return;
                  event.preventDefault();
                  setOver(i);
                }}
                onDragEnd={() => {
                  setDragged(undefined);
                  setOver(undefined);
                }}
                onDrop={(event) => {
                  event.preventDefault();
                  drop(i);
                }}
              >
                <RunHead
                  run={run}
                  position={i}
                  ids={ids}
                  movable={runs.filter(({ state }) => state.kind !== "failed").length}
                  arrange={arrange}
                  action={action}
                />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rowsOf(runs, comparison).map(({ name, cells }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {cells.map((cell, i) => (
                <td
                  key={i}
                  class={
                    i > 0 &&
                    cell.value !== "" &&
                    cells[0]?.value !== "" &&
                    cell.value !== cells[0]?.value &&
                    cell.compared
                      ? "config-changed"
                      : ""
                  }
                  title={cell.title}
                >
                  {cell.value === "" ? <span class="muted">–</span> : cell.value}
                </td>
              ))}
            </tr>
          ))}
          <tr>
            <th scope="row">Verdicts</th>
            {runs.map((run, i) => (
              <td key={run.id}>
                <RunState run={run} position={i} alone={runs.length === 1} comparison={comparison} />
              </td>
            ))}
          </tr>
        </tbody>
      </table>
    </div>
  );
}

interface RunHeadProps {
  readonly run: ComparedRunStatus;
  readonly position: number;
  /** Of all runs, in their order. */
  readonly ids: readonly RunId[];
  /** Runs that are not failed: they stand first. */
  readonly movable: number;
  readonly arrange: (order: readonly RunId[]) => void;
  readonly action: Action;
}

function RunHead({ run, position, ids, movable, arrange, action }: RunHeadProps) {
  const { store } = useComparison();
  const { id, label } = run;
  const count = ids.length;
  const head = useRef<HTMLDivElement>(null);
  // What cannot be read stands last and is compared with nothing.
  const failed = run.state.kind === "failed";
  const onKeyDown = (event: KeyboardEvent) => {
    const to = { ArrowLeft: position - 1, ArrowRight: position + 1, Home: 0 }[event.key];
    if (to === undefined || to < 0 || to >= count || !event.altKey || failed) return;
    event.preventDefault();
    arrange(moved(ids, position, to));
  };
  const readAgain = () => {
    // The button goes while the file is being read: the focus stays with its run.
    head.current?.focus();
    action.start(store.client.call("readAgain", { runs: [id] }));
  };
  return (
    <div
      class="run-head"
      ref={head}
      tabIndex={-1}
      role="group"
      aria-label={`${failed ? "Not compared" : position === 0 ? "Baseline" : `Candidate ${position}`}: ${label}`}
      onKeyDown={onKeyDown}
    >
      <div class="run-role muted">
        <Icon name="gripper" class="run-grip" />
        {failed ? "Not compared" : position === 0 ? "Baseline" : movable > 2 ? `Candidate ${position}` : "Candidate"}
      </div>
      <div class="run-name" title={`${label}\n${run.source.path}`}>
        <RunSwatch position={position} />
        {elideMiddle(label, 32)}
      </div>
      <div class="run-buttons">
        {position > 0 && !failed && (
          <vscode-button
            appearance="icon"
            aria-label={`Make ${label} the baseline`}
            title="Make it the baseline"
            onClick={() => arrange(moved(ids, position, 0))}
          >
            <Icon name="pinned" />
          </vscode-button>
        )}
        {position > 0 && !failed && (
          <vscode-button
            appearance="icon"
            aria-label={`Move ${label} left`}
            title="Move left (Alt+Left)"
            onClick={() => arrange(moved(ids, position, position - 1))}
          >
            <Icon name="arrow-left" />
          </vscode-button>
        )}
        {position < movable - 1 && !failed && (
          <vscode-button
            appearance="icon"
            aria-label={`Move ${label} right`}
            title="Move right (Alt+Right)"
            onClick={() => arrange(moved(ids, position, position + 1))}
          >
            <Icon name="arrow-right" />
          </vscode-button>
        )}
        <vscode-button
          appearance="icon"
          aria-label={`Open ${label}`}
          title="Open this run in an editor of its own"
          onClick={() => action.start(store.client.call("openRun", { run: id }))}
        >
          <Icon name="go-to-file" />
        </vscode-button>
        {failed && (
          <vscode-button
            appearance="icon"
            aria-label={`Retry ${label}`}
            title="Retry: read this file again"
            onClick={readAgain}
          >
            <Icon name="refresh" />
          </vscode-button>
        )}
        {count > 1 && (
          <vscode-button
            appearance="icon"
            aria-label={`Remove ${label}`}
            title={count > 2 ? "Compare without it" : "Take it out of the comparison"}
            onClick={() => arrange(ids.filter((other) => other !== id))}
          >
            <Icon name="close" />
          </vscode-button>
        )}
      </div>
    </div>
  );
}

interface RunStateProps {
  readonly run: ComparedRunStatus;
  readonly position: number;
  readonly alone: boolean;
  readonly comparison: IdentifiedComparison | undefined;
}

function RunState({ run, position, alone, comparison }: RunStateProps) {
  const { state } = run;
  if (state.kind === "reading") {
    const percent = Math.round(100 * state.fraction);
    return (
      <span class="run-reading">
        <progress aria-label={`Reading ${run.label}`} max={1} value={state.fraction} /> {`reading, ${percent} %`}
      </span>
    );
  }
  if (state.kind === "failed") {
    return (
      <span class="run-failed" role="alert">
        <Icon name="error" label="Error" class="tone-error" /> {state.error.message}
        {state.error.remedy !== undefined && <span class="muted"> {state.error.remedy}</span>}
      </span>
    );
  }
  if (run.source.live === true && comparison === undefined) return <span class="muted">capturing</span>;
  if (alone) return <span class="muted">nothing to compare it with yet</span>;
  if (position === 0) return <span class="muted">what others are measured against</span>;
  const candidate = (comparison?.runIds.indexOf(run.id) ?? -1) - 1;
  return comparison === undefined || candidate < 0 ? (
    <span class="muted">not compared yet</span>
  ) : (
    <VerdictCounts comparison={comparison} candidate={candidate} />
  );
}

function VerdictCounts({
  comparison: { rows },
  candidate,
}: {
  readonly comparison: Comparison;
  readonly candidate: number;
}) {
  const counts = VERDICTS.map((verdict) => ({
    verdict,
    count: rows.filter(({ cells }) => cells[candidate]?.verdict === verdict).length,
  })).filter(({ count }) => count > 0);
  if (counts.length === 0) return <span class="muted">nothing to compare</span>;
  return (
    <ul class="verdict-counts">
      {counts.map(({ verdict, count }) => (
        <li key={verdict} class={`verdict verdict-${verdict}`} title={VERDICT_LOOKS[verdict].meaning}>
          <Icon name={VERDICT_LOOKS[verdict].icon} /> {`${count.toLocaleString("en-US")} ${VERDICT_TEXT[verdict]}`}
        </li>
      ))}
    </ul>
  );
}

interface FactCell {
  readonly value: string;
  readonly title?: string;
  /** Set apart where it is not the baseline's. */
  readonly compared: boolean;
}

function rowsOf(
  runs: readonly ComparedRunStatus[],
  comparison: IdentifiedComparison | undefined,
): readonly { readonly name: string; readonly cells: readonly FactCell[] }[] {
  const summaries = runs.map(
    ({ id }) =>
      [comparison?.baseline, ...(comparison?.candidates ?? [])][comparison?.runIds.indexOf(id) ?? -1]?.runs[0],
  );
  const row = (
    name: string,
    compared: boolean,
    of: (
      run: ComparedRunStatus,
      summary: RunSummary | undefined,
    ) => readonly [value: string, title?: string | undefined],
  ) => ({
    name,
    cells: runs.map((run, i): FactCell => {
      const [value, title] = of(run, summaries[i]);
      return { value, compared, ...(title === undefined ? {} : { title }) };
    }),
  });
  const rows = [
    row("Recorded", false, (run, summary) => [
      recorded(run, summary),
      summary === undefined ? undefined : `${summary.start} to ${summary.end}`,
    ]),
    row("Window", false, (_run, summary) =>
      summary === undefined ? [""] : [windowText(summary), slicesText(summary)],
    ),
    row("Endpoints", false, (run, summary) => {
      const urls =
        summary?.endpoints ?? (run.state.kind === "ready" ? run.state.header.endpoints.map(({ url }) => url) : []);
      return [urls.length > 2 ? plural(urls.length, "endpoint") : urls.map(hostOf).join(", "), urls.join("\n")];
    }),
    row("Server", true, (run, summary) => {
      const models = summary?.models ?? [];
      const parts = [serverText(run, summary), ...models.map((model) => elideMiddle(model, 40))];
      return [parts.filter((part) => part !== "").join(", "), models.join("\n")];
    }),
  ];
  return rows.filter(({ cells }) => cells.some(({ value }) => value !== ""));
}

function recorded(run: ComparedRunStatus, summary: RunSummary | undefined): string {
  const start =
    summary === undefined
      ? run.state.kind === "ready"
        ? new Date(run.state.header.originMs)
        : undefined
      : new Date(summary.start);
  // A CSV does not tell.
  return start === undefined || !(start.getTime() > 0)
    ? ""
    : start.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

function windowText({ seconds, warmupSeconds = 0 }: RunSummary): string {
  if (!(seconds > 0)) return "";
  return `${formatLength(seconds)}${warmupSeconds >= 1 ? `, after ${formatLength(warmupSeconds)} of warm-up` : ""}`;
}

function slicesText({ slices, sliceSeconds }: RunSummary): string {
  return slices === 0
    ? "no slices"
    : `${slices.toLocaleString("en-US")} slices of ${Number(sliceSeconds.toPrecision(3))} s are compared`;
}

/** Servers, and their version where they tell it. */
function serverText(run: ComparedRunStatus, summary: RunSummary | undefined): string {
  const facts = run.state.kind === "ready" ? run.state.header.facts : [];
  const versions = [...new Set(facts.filter(({ name }) => /version/i.test(name)).map(({ value }) => value))];
  return [(summary?.servers ?? []).join(", "), versions.join(", ")].filter((part) => part !== "").join(" ");
}
