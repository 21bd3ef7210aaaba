import { t } from "@vscode/l10n";
import type { ComponentChildren } from "preact";
import type { DescribedError, Problem, RequestProgress } from "../../src/protocol/index.js";
import { Button } from "./button.js";
import { Icon, type IconName } from "./icon.js";
import { grouped } from "../../src/core/text/plural.js";
import type { LiveQuery } from "../state/live-query.js";

const ICONS: { readonly [S in Problem["severity"]]: readonly [icon: IconName, label: string] } = {
  error: ["error", t("Error")],
  warning: ["warning", t("Warning")],
  info: ["info", t("Note")],
};

/** A problem with its remedy in one line or two. */
export function ProblemLine({ problem, action }: { readonly problem: Problem; readonly action?: ComponentChildren }) {
  const [icon, label] = ICONS[problem.severity];
  return (
    <div class={`problem problem-${problem.severity}`}>
      <Icon name={icon} label={label} />
      <div class="problem-text">
        <span>{problem.reason}</span>
        {problem.remedy !== undefined && <span class="muted"> {problem.remedy}</span>}
      </div>
      {action}
    </div>
  );
}

interface PlaceholderProps extends Partial<Pick<Problem, "severity">>, Pick<Problem, "reason" | "remedy"> {
  readonly action?: ComponentChildren;
}

/** Fills a place that has nothing to show: why, and what to do. */
export function Placeholder({ severity = "info", reason, remedy, action }: PlaceholderProps) {
  const [icon, label] = ICONS[severity];
  return (
    <div class={`placeholder problem-${severity}`} role={severity === "error" ? "alert" : "status"}>
      <Icon name={icon} label={label} class="placeholder-icon" />
      <div>{reason}</div>
      {remedy !== undefined && <div class="muted">{remedy}</div>}
      {action}
    </div>
  );
}

interface LoadingProps {
  /** Of what is waited for: "statistics". */
  readonly what: string;
  /** How far it is, where that is known. */
  readonly progress?: RequestProgress | undefined;
}

export function Loading({ what, progress }: LoadingProps) {
  return (
    <div class="placeholder" role="status">
      {progress === undefined ? (
        <vscode-progress-ring aria-label={t`Loading ${what}`} />
      ) : (
        <progress aria-label={t`Loading ${what}`} max={progress.of} value={progress.done} />
      )}
      <div class="muted">
        {t`Loading ${what}…`}
        {progress !== undefined && t` ${grouped(progress.done)} of ${grouped(progress.of)} ${progress.steps}`}
      </div>
    </div>
  );
}

interface FailedRequestProps {
  readonly error: DescribedError;
  readonly what: string;
  readonly retry: () => void;
}

export function FailedRequest({ error, what, retry }: FailedRequestProps) {
  return (
    <Placeholder
      severity="error"
      reason={`${what}: ${error.message}`}
      remedy={error.remedy}
      action={<Button text={t("Retry")} onClick={retry} />}
    />
  );
}

interface UnansweredProps {
  readonly live: Omit<LiveQuery<unknown>, "dispose">;
  /** Of what is asked for: "statistics". */
  readonly what: string;
  /** What is said where there is no answer. */
  readonly failed?: string;
}

/** In place of what has not been answered yet: that it is waited for, or why there is no answer. */
export function Unanswered({ live, what, failed = t`The ${what} could not be loaded` }: UnansweredProps) {
  const state = live.state.value;
  if (live.latest.value !== undefined) return null;
  if (state.kind === "failed") return <FailedRequest error={state.error} what={failed} retry={live.retry} />;
  return <Loading what={what} progress={state.kind === "loading" ? state.progress : undefined} />;
}

/** Over what is still shown of an earlier answer: why there is no newer one. */
export function Outdated({ live }: Pick<UnansweredProps, "live">) {
  const state = live.state.value;
  if (state.kind !== "failed") return null;
  const { message, remedy } = state.error;
  return (
    <ProblemLine
      problem={{ severity: "warning", reason: t`Not up to date: ${message}`, remedy }}
      action={<Button text={t("Retry")} onClick={live.retry} />}
    />
  );
}

interface NothingFoundProps {
  /** "row" */
  readonly what: string;
  /** "Clear Filter" */
  readonly button: string;
  readonly onAll: () => void;
}

/** In place of a table whose filter lets nothing pass, with the way back. */
export function NothingFound({ what, button, onAll }: NothingFoundProps) {
  return <Placeholder reason={t`No ${what} matches the filter.`} action={<Button text={button} onClick={onAll} />} />;
}
