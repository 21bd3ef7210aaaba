import { t } from "@vscode/l10n";
import { headlines } from "../../../src/core/compare/report/headline.js";
import { plural } from "../../../src/core/text/plural.js";
import type { RunFindingChanges } from "../../../src/protocol/comparison.js";
import { useCompared } from "../context.js";
import { RunSwatch } from "../run-swatch.js";
import type { ComponentChildren } from "preact";

interface HeadlinesProps {
  readonly findings: readonly RunFindingChanges[] | undefined;
}

/** More lines would leave too little room for the rows. */
const SHOWN = 3;

/** Each candidate in one line: what a user asks first. */
export function Headlines(props: HeadlinesProps) {
  const said = useLines(props);
  const lines = said.map(({ run, candidate, text }) => (
    <li key={run}>
      {said.length > 1 && (
        <>
          <RunSwatch run={run} />
          {`${candidate}: `}
        </>
      )}
      <strong>{text}</strong>
    </li>
  ));
  return (
    <section class="headlines" aria-label={t("In short")}>
      <ul>{lines.slice(0, SHOWN)}</ul>
      {lines.length > SHOWN && (
        <details class="fold">
          <summary class="muted">{plural(lines.length - SHOWN, t("more candidate"), t("more candidates"))}</summary>
          <ul>{lines.slice(SHOWN)}</ul>
        </details>
      )}
    </section>
  );
}

/** The header in one line: what is compared, and of one candidate what came out. */
export function FoldedHeader(props: HeadlinesProps) {
  const { runIds, baseline, candidates } = useCompared();
  const said = useLines(props);
  const [only, another] = said;
  return (
    <button
      type="button"
      class="folded-header"
      title={t`Back to the top\n${said.map(({ candidate, text }) => `${candidate}: ${text}`).join("\n")}`}
      onClick={() => window.scrollTo({ top: 0 })}
    >
      <SetNames
        labels={[baseline, ...candidates].map(({ label }) => label)}
        show={(label, i) => (
          <>
            <RunSwatch run={runIds[i]} />
            {label}
          </>
        )}
      />
      {only !== undefined && another === undefined && <strong>{` ${only.text}`}</strong>}
    </button>
  );
}

function useLines({ findings }: HeadlinesProps) {
  const comparison = useCompared();
  const [, ...runs] = comparison.runIds;
  const changes = runs.map((run) => findings?.find((one) => one.run === run));
  return headlines(comparison, changes).map((line, c) => ({ ...line, run: runs[c] }));
}

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
