import { t } from "@vscode/l10n";
import type { TargetedKeyboardEvent } from "preact";
import { useRef } from "preact/hooks";
import type { ComparedRunStatus, RunId } from "../../../src/protocol/comparison.js";
import { IconButton } from "../../components/button.js";
import { Icon, type IconName } from "../../components/icon.js";
import { elideMiddle, useTextGroup } from "../../shorten/text-group.js";
import type { RunningAction } from "../../state/action.js";
import { useComparison } from "../context.js";
import { RunSwatch } from "../run-swatch.js";

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

interface RunAction {
  readonly isThere: boolean;
  readonly icon: IconName;
  readonly name: string;
  readonly title: string;
  readonly run: () => void;
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
  const place = (to: number) => () => arrange(moved(ids, position, to));
  const actions: readonly RunAction[] = [
    {
      isThere: position > 0 && !failed,
      icon: "pinned",
      name: t`Make ${label} the baseline`,
      title: t("Make it the baseline"),
      run: place(0),
    },
    {
      isThere: position > 0 && !failed,
      icon: "arrow-left",
      name: t`Move ${label} left`,
      title: t("Move left (Alt+Left)"),
      run: place(position - 1),
    },
    {
      isThere: position < movable - 1 && !failed,
      icon: "arrow-right",
      name: t`Move ${label} right`,
      title: t("Move right (Alt+Right)"),
      run: place(position + 1),
    },
    {
      isThere: !failed && movable > 2 && (repeated || set > 0),
      icon: repeated ? "circle-slash" : "link",
      name: repeated ? t`Compare ${label} by itself` : t`Make ${label} a repeat of the run before it`,
      title: repeated
        ? t("Compare it by itself, not as a repeat")
        : t("Make it a repeat of the run before it (or drag it onto the middle of another run)"),
      run: () => join(id, repeated ? undefined : sets[set - 1]?.[0]),
    },
    {
      isThere: true,
      icon: "go-to-file",
      name: t`Open ${label}`,
      title: t("Open this run in an editor of its own"),
      run: () => action.start(store.client.call("openRun", { run: id })),
    },
    {
      isThere: failed,
      icon: "refresh",
      name: t`Retry ${label}`,
      title: t("Retry: read this file again"),
      run: readAgain,
    },
    {
      isThere: count > 1,
      icon: "close",
      name: t`Remove ${label}`,
      title: count > 2 ? t("Compare without it") : t("Remove it from the comparison"),
      run: () => arrange(ids.filter((other) => other !== id)),
    },
  ];
  const offered = actions.filter(({ isThere }) => isThere);
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
      <div class="run-buttons" role="toolbar" aria-label={t`Actions for ${label}`} onKeyDown={toNextButton}>
        {offered.map(({ icon, name, title, run: start }, i) => (
          <IconButton key={icon} icon={icon} label={name} title={title} tabIndex={i === 0 ? 0 : -1} onClick={start} />
        ))}
      </div>
    </div>
  );
}

/** A run's buttons are one stop of the Tab key: arrow keys go from one to the next. */
function toNextButton(event: TargetedKeyboardEvent<HTMLElement>): void {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by === undefined || event.altKey) return;
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>("vscode-button")];
  const at = buttons.findIndex((button) => button.contains(document.activeElement));
  event.preventDefault();
  buttons[(at + by + buttons.length) % buttons.length]?.focus();
}

/** The order after the run at one place was moved to another. */
export function moved<T>(runs: readonly T[], from: number, to: number): T[] {
  const order = [...runs];
  const [one] = order.splice(from, 1);
  if (one !== undefined) order.splice(to, 0, one);
  return order;
}

/** More than these leave no room for the rows that are compared, unless what is known of the runs is folded. */
const FEW_RUNS = 3;

export function isMany(runs: { readonly length: number }): boolean {
  return runs.length > FEW_RUNS;
}
