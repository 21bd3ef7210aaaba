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

/**
 * What is compared: a column for each run, the baseline first. Columns are dragged, or moved by their buttons, to
 * change places.
 */
export function RunsTable({ runs, comparison, refused, action }: RunsTableProps) {
  const { store } = useComparison();
  const [dragged, setDragged] = useState<number>();
  const [over, setOver] = useState<number>();
  /** Dragged onto the middle of another run, it becomes a repeat of it; onto an edge, it goes beside it. */
  const [joining, setJoining] = useState(false);
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
    const id = ids[dragged ?? -1];
    if (dragged !== undefined && dragged !== to && id !== undefined) {
      if (joining) join(id, ids[to]);
      else arrange(moved(ids, dragged, to));
    }
    setDragged(undefined);
    setOver(undefined);
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
              class={`run-column ${dragged === i ? "dragged" : ""} ${over === i && dragged !== undefined && dragged !== i ? (joining ? "drop-join" : dragged > i ? "drop-before" : "drop-after") : ""}`}
              draggable
              onDragStart={(event) => {
                event.dataTransfer?.setData("text/plain", run.label);
                setDragged(i);
              }}
              onDragOver={(event) => {
                if (dragged === undefined) return;
                event.preventDefault();
                setOver(i);
                const { left, width } = event.currentTarget.getBoundingClientRect();
                const at = (event.clientX - left) / width;
                setJoining(at > 0.3 && at < 0.7);
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
              <RunHead run={run} runs={runs} sets={sets} join={join} arrange={arrange} action={action} />
            </th>
          ))}
        </>
      }
    >
      {(many && !factsShown ? [] : facts).map(({ name, cells }) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          {cells.map((cell, i) => (
            <td
              key={i}
              class={
                i > 0 && cell.value !== "" && cells[0]?.value !== "" && cell.value !== cells[0]?.value && cell.compared
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
        <th scope="row">{t("Verdicts")}</th>
        {runs.map((run, i) => (
          <td key={run.id}>
            {(run.set ?? run.id) !== run.id && run.state.kind === "ready" ? (
              <span class="muted">{t("judged with its repeats")}</span>
            ) : (
              <RunState run={run} position={i} count={runs.length} refused={refused} comparison={comparison} />
            )}
          </td>
        ))}
      </tr>
    </PlainTable>
  );
}

interface RunStateProps {
  readonly run: ComparedRunStatus;
  readonly position: number;
  /** Of all runs. */
  readonly count: number;
  readonly refused: boolean;
  readonly comparison: IdentifiedComparison | undefined;
}

function RunState({ run, position, count, refused, comparison }: RunStateProps) {
  const { state } = run;
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
  if (run.source.live === true && comparison === undefined) return <span class="muted">{t("capturing")}</span>;
  if (count === 1) return <span class="muted">{t("nothing to compare it with yet")}</span>;
  if (position === 0)
    return isMany({ length: count }) ? null : <span class="muted">{t("each candidate is compared with it")}</span>;
  const candidate = (comparison?.runIds.indexOf(run.id) ?? -1) - 1;
  return comparison === undefined || candidate < 0 ? (
    <span class="muted">{refused ? t("not compared") : t("not compared yet")}</span>
  ) : (
    <VerdictCounts comparison={comparison} candidate={candidate} decided={isMany({ length: count })} />
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
