import { t } from "@vscode/l10n";
import { useRef } from "preact/hooks";
import type { ComparedRunStatus, RunId } from "../../../src/protocol/comparison.js";
import { IconButton } from "../../components/button.js";
import { Icon } from "../../components/icon.js";
import { elideMiddle } from "../../shorten/text-group.js";
import { useTextGroup } from "../../shorten/use-text-group.js";
import type { RunningAction } from "../../state/action.js";
import { useComparison } from "../context.js";
import { RunSwatch } from "../run-swatch.js";
import { moved } from "./order.js";

interface RunHeadProps {
  readonly run: ComparedRunStatus;
  /** All, in their order. */
  readonly runs: readonly ComparedRunStatus[];
  /** Repeats of one another; the first set is the baseline. */
  readonly sets: readonly (readonly RunId[])[];
  /** Makes a run a repeat of another; without one it stands for itself again. */
  readonly join: (id: RunId, other: RunId | undefined) => void;
  readonly arrange: (order: readonly RunId[]) => void;
  readonly action: RunningAction;
}

/** A run's name, its part in the comparison, and what can be done with it. */
export function RunHead({ run, runs, sets, join, arrange, action }: RunHeadProps) {
  const { store } = useComparison();
  const { id, label } = run;
  const ids = runs.map((one) => one.id);
  const position = ids.indexOf(id);
  const set = sets.findIndex((own) => own.includes(id));
  const repeats = sets[set] ?? [];
  // Those that failed stand behind them.
  const movable = runs.filter(({ state }) => state.kind !== "failed").length;
  const group = useTextGroup(runs.map((one) => one.label));
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
  const own = failed ? t("Not compared") : set === 0 ? t("Baseline") : t`Candidate ${set}`;
  const repeated = repeats.length > 1;
  const role = repeated && !failed ? t`${own}, repeat ${repeats.indexOf(id) + 1} of ${repeats.length}` : own;
  const readAgain = () => {
    // The button goes while the file is being read: the focus stays with its run.
    head.current?.focus();
    action.start(store.client.call("readAgain", { runs: [id] }));
  };
  return (
    <div class="run-head" ref={head} tabIndex={-1} role="group" aria-label={`${role}: ${label}`} onKeyDown={onKeyDown}>
      <div class="run-role muted">
        <Icon name="gripper" class="run-grip" />
        {movable > 2 ? role : role.replace(" 1", "")}
      </div>
      <div class="run-name" title={`${label}\n${run.source.path}`}>
        <RunSwatch run={id} />
        {elideMiddle(label, 32, group)}
      </div>
      <div class="run-buttons">
        {position > 0 && !failed && (
          <IconButton
            icon="pinned"
            label={t`Make ${label} the baseline`}
            title={t("Make it the baseline")}
            onClick={() => arrange(moved(ids, position, 0))}
          />
        )}
        {position > 0 && !failed && (
          <IconButton
            icon="arrow-left"
            label={t`Move ${label} left`}
            title={t("Move left (Alt+Left)")}
            onClick={() => arrange(moved(ids, position, position - 1))}
          />
        )}
        {position < movable - 1 && !failed && (
          <IconButton
            icon="arrow-right"
            label={t`Move ${label} right`}
            title={t("Move right (Alt+Right)")}
            onClick={() => arrange(moved(ids, position, position + 1))}
          />
        )}
        {!failed && movable > 2 && (repeated || set > 0) && (
          <IconButton
            icon={repeated ? "circle-slash" : "link"}
            label={repeated ? t`Compare ${label} by itself` : t`Make ${label} a repeat of the run before it`}
            title={
              repeated
                ? t("Compare it by itself, not as a repeat")
                : t("Make it a repeat of the run before it (or drag it onto the middle of another run)")
            }
            onClick={() => join(id, repeated ? undefined : sets[set - 1]?.[0])}
          />
        )}
        <IconButton
          icon="go-to-file"
          label={t`Open ${label}`}
          title={t("Open this run in an editor of its own")}
          onClick={() => action.start(store.client.call("openRun", { run: id }))}
        />
        {failed && (
          <IconButton
            icon="refresh"
            label={t`Retry ${label}`}
            title={t("Retry: read this file again")}
            onClick={readAgain}
          />
        )}
        {count > 1 && (
          <IconButton
            icon="close"
            label={t`Remove ${label}`}
            title={count > 2 ? t("Compare without it") : t("Remove it from the comparison")}
            onClick={() => arrange(ids.filter((other) => other !== id))}
          />
        )}
      </div>
    </div>
  );
}
