import { headline } from "../../../src/core/compare/report/headline.js";
import type { IdentifiedComparison, RunFindingChanges } from "../../../src/protocol/comparison.js";
import { RunSwatch } from "../run-swatch.js";

interface HeadlinesProps {
  readonly comparison: IdentifiedComparison;
  readonly findings: readonly RunFindingChanges[] | undefined;
}

/** Each candidate in one line: what a user asks first. */
export function Headlines({ comparison, findings }: HeadlinesProps) {
  return (
    <ul class="headlines" aria-label="In short">
      {comparison.candidates.map(({ label }, candidate) => {
        const run = comparison.runIds[candidate + 1];
        return (
          <li key={run}>
            {comparison.candidates.length > 1 && (
              <>
                <RunSwatch run={run} />
                {`${label}: `}
              </>
            )}
            <strong>
              {headline(
                comparison,
                candidate,
                findings?.find((one) => one.run === run),
              )}
            </strong>
          </li>
        );
      })}
    </ul>
  );
}
