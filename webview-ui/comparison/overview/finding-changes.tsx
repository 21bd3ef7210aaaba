import { t } from "@vscode/l10n";
import type { IdentifiedComparison, RunFindingChanges, RunId } from "../../../src/protocol/comparison.js";
import { Icon } from "../../components/icon.js";
import { useQuery } from "../../state/live-query.js";
import { useComparison } from "../context.js";
import { isMany } from "./order.js";
import { RunSwatch } from "../run-swatch.js";

/** Findings rest on all samples: of a run that goes on they are not looked for again with every scrape. */
const REFRESH_MS = 10_000;

/** What changed in the findings of each candidate; nothing depends on it: undefined without an answer. */
export function useFindingChanges(runIds: readonly RunId[]): readonly RunFindingChanges[] | undefined {
  const { store } = useComparison();
  const live = useQuery(
    JSON.stringify(runIds),
    (abort) => (runIds.length === 0 ? Promise.resolve([]) : store.client.call("findingChanges", {}, abort)),
    () => ({ tick: store.revision, visible: store.visible, minIntervalMs: REFRESH_MS }),
  );
  return live.latest.value;
}

interface FindingChangesProps {
  readonly comparison: IdentifiedComparison;
  readonly all: readonly RunFindingChanges[] | undefined;
}

/** Which findings of the baseline each candidate no longer has, and which it has besides. */
export function FindingChanges({ comparison: { runIds, candidates }, all }: FindingChangesProps) {
  const known = (all ?? []).flatMap((changes) => {
    const label = candidates[runIds.indexOf(changes.run) - 1]?.label;
    return label === undefined ? [] : [{ changes, label }];
  });
  if (known.length === 0) return null;
  const changed = known.filter(({ changes: { appeared, gone } }) => appeared.length + gone.length > 0);
  if (changed.length === 0)
    return (
      <span class="muted" title={stayedText(known.map(({ changes }) => changes))}>
        {t("No finding appeared or disappeared.")}
      </span>
    );
  const list = (
    <ul>
      {changed.flatMap(({ changes: { run, appeared, gone }, label }) =>
        [...appeared, ...gone].map((finding) => {
          const isNew = appeared.includes(finding);
          const { id, title, text } = finding;
          return (
            <li
              key={`${run} ${isNew} ${id}`}
              {...(isNew ? { "data-appeared": id } : { "data-gone": id, title: t`In the baseline: ${text}` })}
            >
              <Icon name={isNew ? "warning" : "pass"} class={isNew ? "tone-warning" : ""} />
              <span>
                {isNew ? t("Appeared in") : t("Gone in")} <RunSwatch run={run} />
                {label}: <strong>{title}.</strong> {isNew && text}
              </span>
            </li>
          );
        }),
      )}
    </ul>
  );
  const [gone = 0, appeared = 0] = (["gone", "appeared"] as const).map((way) =>
    changed.reduce((sum, { changes }) => sum + changes[way].length, 0),
  );
  return (
    <section class="finding-changes" aria-label={t("Changed findings")}>
      {isMany(runIds) ? (
        <details class="fold">
          <summary>{t`Findings: ${gone} gone, ${appeared} appeared`}</summary>
          {list}
        </details>
      ) : (
        list
      )}
    </section>
  );
}

function stayedText(all: readonly RunFindingChanges[]): string {
  const titles = new Set(all.flatMap(({ stayed }) => stayed.map(({ title }) => title)));
  return titles.size === 0 ? t("No limits found in these runs") : t`Found before and after: ${[...titles].join("; ")}`;
}
