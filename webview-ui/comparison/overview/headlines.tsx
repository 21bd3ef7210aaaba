import { headlines } from "../../../src/core/compare/report/headline.js";
import { plural } from "../../../src/core/text/plural.js";
import type { IdentifiedComparison, RunFindingChanges } from "../../../src/protocol/comparison.js";
import { RunSwatch } from "../run-swatch.js";

interface HeadlinesProps {
  readonly comparison: IdentifiedComparison;
  readonly findings: readonly RunFindingChanges[] | undefined;
}

/** More lines would leave too little room for the rows. */
const SHOWN = 3;

/** Each candidate in one line: what a user asks first. */
export function Headlines({ comparison, findings }: HeadlinesProps) {
  const [, ...runs] = comparison.runIds;
  const changes = runs.map((run) => findings?.find((one) => one.run === run));
  const lines = headlines(comparison, changes).map(({ candidate, text }, c) => {
    const run = runs[c];
    return (
      <li key={run}>
        {runs.length > 1 && (
          <>
            <RunSwatch run={run} />
            {`${candidate}: `}
          </>
        )}
        <strong>{text}</strong>
      </li>
    );
  });
  return (
    <section class="headlines" aria-label="In short">
      <ul>{lines.slice(0, SHOWN)}</ul>
      {lines.length > SHOWN && (
        <details class="fold">
          <summary class="muted">{plural(lines.length - SHOWN, "more candidate")}</summary>
          <ul>{lines.slice(SHOWN)}</ul>
        </details>
      )}
    </section>
  );
}
