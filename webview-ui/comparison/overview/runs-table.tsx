import { t } from "@vscode/l10n";
import { useState } from "preact/hooks";
import { countedVerdict } from "../../../src/core/compare/report/report.js";
import { comparedSets } from "../../../src/protocol/compared-sets.js";
import type { ComparedRunStatus, Comparison, IdentifiedComparison, RunId } from "../../../src/protocol/comparison.js";
import { Icon } from "../../components/icon.js";
import { PlainTable } from "../../components/plain-table.js";
import type { RunningAction } from "../../state/action.js";
import { useComparison } from "../context.js";
import { DIFFERING, VERDICTS } from "../layout.js";
import { VERDICT_LOOKS } from "../words.js";
import { isMany, moved, RunHead } from "./run-head.js";
import { factRows } from "./run-facts.js";

interface RunsTableProps {
  readonly runs: readonly ComparedRunStatus[];
  readonly comparison: IdentifiedComparison | undefined;
  /** They cannot be compared. */
  readonly refused: boolean;
  readonly action: RunningAction;
}

/** A run being dragged onto the middle of another becomes a repeat of it; onto an edge, it goes beside it. */
interface Drag {
  readonly from: number;
  readonly over?: number;
  readonly joining: boolean;
}

/**
 * What is compared: a column for each run, the baseline first. Columns are dragged, or moved by their buttons, to
 * change places.
 */
export function RunsTable({ runs, comparison, refused, action }: RunsTableProps) {
  const { store } = useComparison();
  const [drag, setDrag] = useState<Drag>();
  const many = isMany(runs);
  const [factsShown, setFactsShown] = useState(false);
  const ids = runs.map(({ id }) => id);
  const sets = comparedSets(runs).map((repeats) => repeats.map(({ id }) => id));
  const placeOf = (id: RunId) => sets.findIndex((set) => set.includes(id));
  /** Makes a run a repeat of others, or one that stands for itself again. */
  const join = (id: RunId, other: RunId | undefined) => {
    const next = sets.map((set) => set.filter((one) => one !== id));
    if (other === undefined) next.splice(placeOf(id) + 1, 0, [id]);
    else next[placeOf(other)]?.push(id);
    action.start(store.client.call("arrange", { order: next.flat(), sets: next.filter((set) => set.length > 0) }));
  };
  const arrange = (order: readonly RunId[]) => {
    if (order.length < ids.length || order.some((id, i) => id !== ids[i]))
      action.start(store.client.call("arrange", { order }));
  };
  const drop = (to: number) => {
    setDrag(undefined);
    const id = ids[drag?.from ?? -1];
    if (drag === undefined || drag.from === to || id === undefined) return;
    if (drag.joining) join(id, ids[to]);
    else arrange(moved(ids, drag.from, to));
  };
  const facts = factRows(runs, comparison);
  return (
    <PlainTable
      label={t("Compared runs")}
      class={`runs ${many ? "runs-many" : ""}`}
      style={{ "--runs": runs.length }}
      heads={
        <>
          <td>
            {many && facts.length > 0 && (
              <button type="button" class="link" aria-expanded={factsShown} onClick={() => setFactsShown(!factsShown)}>
                {factsShown ? t("Hide facts") : t("Show facts")}
              </button>
            )}
          </td>
          {runs.map((run, i) => (
            <th
              key={run.id}
              scope="col"
              class={`run-column ${dragClass(drag, i)}`}
              draggable
              onDragStart={(event) => {
                event.dataTransfer?.setData("text/plain", run.label);
                setDrag({ from: i, joining: false });
              }}
              onDragOver={(event) => {
                if (drag === undefined) return;
                event.preventDefault();
                const { left, width } = event.currentTarget.getBoundingClientRect();
                const at = (event.clientX - left) / width;
                setDrag({ from: drag.from, over: i, joining: at > 0.3 && at < 0.7 });
              }}
              onDragEnd={() => setDrag(undefined)}
              onDrop={(event) => {
                event.preventDefault();
                drop(i);
              }}
            >
              <RunHead run={run} runs={runs} sets={sets} join={join} arrange={arrange} action={action} />
            </th>
          ))}
        </>
      }
    >
      {(many && !factsShown ? [] : facts).map(({ name, compared, cells }) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          {cells.map(([value, title], i) => {
            const first = cells[0]?.[0] ?? "";
            const differs = compared && value !== "" && first !== "" && value !== first;
            return (
              <td key={i} class={differs ? "config-changed" : ""} title={title}>
                {value === "" ? <span class="muted">–</span> : value}
              </td>
            );
          })}
        </tr>
      ))}
      <tr>
        <th scope="row">{t("Verdicts")}</th>
        {runs.map((run) => (
          <td key={run.id}>
            <RunState run={run} runs={runs} refused={refused} comparison={comparison} />
          </td>
        ))}
      </tr>
    </PlainTable>
  );
}

function dragClass(drag: Drag | undefined, column: number): string {
  if (drag?.from === column) return "dragged";
  if (drag?.over !== column) return "";
  return drag.joining ? "drop-join" : drag.from > column ? "drop-before" : "drop-after";
}

interface RunStateProps extends Omit<RunsTableProps, "action"> {
  readonly run: ComparedRunStatus;
}

/** What came out of a run's comparison, or why nothing has. */
function RunState({ run, runs, refused, comparison }: RunStateProps) {
  const { id, set = id, state } = run;
  if (state.kind === "reading") {
    const percent = Math.round(100 * state.fraction);
    return (
      <span class="run-reading">
        <progress aria-label={t`Reading ${run.label}`} max={1} value={state.fraction} /> {t`reading, ${percent} %`}
      </span>
    );
  }
  if (state.kind === "failed") {
    return (
      <span class="run-failed" role="alert">
        <Icon name="error" label={t("Error")} class="tone-error" /> {state.error.message}
        {state.error.remedy !== undefined && <span class="muted"> {state.error.remedy}</span>}
      </span>
    );
  }
  const muted = (text: string) => <span class="muted">{text}</span>;
  const many = isMany(runs);
  if (set !== id) return muted(t("judged with its repeats"));
  if (run.source.live === true && comparison === undefined) return muted(t("capturing"));
  if (runs.length === 1) return muted(t("nothing to compare it with yet"));
  if (run === runs[0]) return many ? null : muted(t("each candidate is compared with it"));
  const candidate = (comparison?.runIds.indexOf(id) ?? -1) - 1;
  return comparison === undefined || candidate < 0 ? (
    muted(refused ? t("not compared") : t("not compared yet"))
  ) : (
    <VerdictCounts comparison={comparison} candidate={candidate} decided={many} />
  );
}

interface VerdictCountsProps {
  readonly comparison: Comparison;
  readonly candidate: number;
  /** Those alone that say what changed, where any do. */
  readonly decided: boolean;
}

function VerdictCounts({ comparison: { rows }, candidate, decided }: VerdictCountsProps) {
  const all = VERDICTS.map((verdict) => ({
    verdict,
    count: rows.filter(({ cells }) => cells[candidate]?.verdict === verdict).length,
  })).filter(({ count }) => count > 0);
  const changed = decided ? all.filter(({ verdict }) => DIFFERING.includes(verdict)) : [];
  const counts = changed.length > 0 ? changed : all;
  if (counts.length === 0) return <span class="muted">{t("nothing to compare")}</span>;
  return (
    <ul class="verdict-counts" title={all.map(({ verdict, count }) => countedVerdict(count, verdict)).join(", ")}>
      {counts.map(({ verdict, count }) => (
        <li key={verdict} class={`verdict verdict-${verdict}`} title={VERDICT_LOOKS[verdict].meaning}>
          <Icon name={VERDICT_LOOKS[verdict].icon} /> {countedVerdict(count, verdict)}
        </li>
      ))}
    </ul>
  );
}
