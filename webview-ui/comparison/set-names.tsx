import { t } from "@vscode/l10n";
import type { ComponentChildren } from "preact";

/** More names than this would take lines from the rows: then so many stand for them. */
const NAMED = 3;

interface SetNamesProps {
  /** Of all runs and sets, the baseline first. */
  readonly labels: readonly string[];
  readonly show: (label: string, position: number) => ComponentChildren;
}

/** What is compared, in a line: of many the first ones. What reads the page aloud names them all. */
export function SetNames({ labels, show }: SetNamesProps) {
  const surplus = labels.length - NAMED;
  const named = labels.slice(0, surplus > 1 ? NAMED : labels.length).map((label, i) => (
    <span key={i}>
      {i > 0 && " → "}
      {show(label, i)}
    </span>
  ));
  if (surplus <= 1) return <>{named}</>;
  return (
    <>
      <span class="set-names" aria-hidden="true">
        <span class="set-names-first">{named}</span> <span>{t`…and ${surplus} more`}</span>
      </span>
      <span class="visually-hidden">{labels.join(" → ")}</span>
    </>
  );
}
