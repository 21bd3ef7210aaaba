import { t } from "@vscode/l10n";
import { shareText } from "../../../src/core/compare/report/report.js";
import type {
  ComparisonSettings,
  ComparisonWarning,
  RunFindingChanges,
  RunId,
  ConfigurationDifference,
} from "../../../src/protocol/comparison.js";
import { plural } from "../../../src/core/text/plural.js";
import { Choice, type ChoiceOption } from "../../components/choice.js";
import { Icon } from "../../components/icon.js";
import { TextList } from "../../components/text-list.js";
import type { RunningAction } from "../../state/action.js";
import { useComparison, useCompared } from "../context.js";
import { SEVERITIES } from "../words.js";
import { useQuery } from "../../state/live-query.js";
import { isMany } from "./run-head.js";
import { RunSwatch, RunColumnHead } from "../run-swatch.js";
import { Fragment } from "preact";
import { useState } from "preact/hooks";
import { PlainTable } from "../../components/plain-table.js";

const ORDER: readonly ComparisonWarning["severity"][] = ["incomparable", "caution", "note"];
/** More are folded away; what makes runs incomparable never is. */
const SHOWN = 3;
/** Of many runs, which are warned of one by one. */
const SHOWN_OF_MANY = 1;

/** What to know before reading any number, the gravest first. */
export function Warnings({ many }: { readonly many: boolean }) {
  const { warnings } = useCompared();
  if (warnings.length === 0) return null;
  const sorted = [...warnings].sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
  const grave = sorted.filter(({ severity }) => severity === "incomparable").length;
  const shown = many ? SHOWN_OF_MANY : SHOWN;
  const first = sorted.length <= shown + 1 ? sorted.length : Math.max(shown, grave);
  const rest = sorted.length - first;
  const lines = sorted.map((warning, i) => <Warning key={i} warning={warning} />);
  return (
    <section class="warnings" aria-label={t("Warnings")}>
      <ul>{lines.slice(0, first)}</ul>
      {rest > 0 && (
        <details class="fold">
          <summary class="muted">{plural(rest, t("more warning"), t("more warnings"))}</summary>
          <ul>{lines.slice(first)}</ul>
        </details>
      )}
    </section>
  );
}

function Warning({ warning: { severity, message } }: { readonly warning: ComparisonWarning }) {
  const { icon, name, tone } = SEVERITIES[severity];
  return (
    <li class={`problem problem-${tone}`}>
      <Icon name={icon} />
      <div class="problem-text">
        <strong>{name}:</strong> {message}
      </div>
    </li>
  );
}

type Rule = NonNullable<ComparisonSettings["window"]>;

const RULES: readonly ChoiceOption<Rule>[] = [
  { value: "recorded", text: t("As Recorded"), title: t("Each run is measured as its file says") },
  {
    value: "load",
    text: t("Load"),
    title: t("Every run is measured over its load, where its file holds all of it"),
  },
  {
    value: "all",
    text: t("Whole Run"),
    title: t("Every run is measured over all that was captured, where its file holds it"),
  },
];

interface MeasuredAlikeProps {
  readonly settings: ComparisonSettings;
  readonly action: RunningAction;
}

/** One rule for the windows of all runs, where their files have different ones. */
export function MeasuredAlike({ settings: { window }, action }: MeasuredAlikeProps) {
  const { store } = useComparison();
  const { warnings } = useCompared();
  const differ = warnings.some(({ kind, severity }) => kind === "window" && severity === "caution");
  if (!differ && window === undefined) return null;
  return (
    <div class="measured-alike">
      <span>{t("What is measured of every run")}</span>
      <Choice
        label={t("What is measured of every run")}
        options={RULES}
        value={window ?? "recorded"}
        onChoose={(rule) => action.start(store.client.call("configure", { window: rule }))}
      />
    </div>
  );
}
/** How it was compared, and what remains unseen: one quiet line that opens. */
export function Method() {
  const { method } = useCompared();
  const percent = (share: number) => shareText(share).replace("+", "");
  const [first = ""] = method.notes;
  return (
    <details class="fold notes">
      <summary title={first}>{t`Method: ${first}`}</summary>
      <TextList
        items={[
          ...method.notes,
          t`Threshold ${percent(method.threshold)}, ${percent(method.confidence)} intervals, at most ${percent(method.falseDiscoveryRate)} of the findings expected to be false.`,
        ]}
      />
    </details>
  );
}

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

/** Which findings of the baseline each candidate no longer has, and which it has besides. */
export function FindingChanges({ all }: { readonly all: readonly RunFindingChanges[] | undefined }) {
  const { runIds, candidates } = useCompared();
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

const SOURCES: readonly { readonly source: ConfigurationDifference["source"]; readonly title: string }[] = [
  { source: "provenance", title: t("Where the runs came from") },
  { source: "input_config", title: t("Benchmark") },
  { source: "server", title: t("Reported by the servers") },
];

/** What was configured differently, value beside value. */
export function Configuration() {
  const { configuration, baseline, candidates, runIds } = useCompared();
  // Beside two runs there is room for it, on a page of some width: beneath them it would push the rows out of sight.
  const [isWide] = useState(() => window.matchMedia("(min-width: 1000px)").matches);
  if (configuration.length === 0) return <span class="muted">{t("Nothing was configured differently.")}</span>;
  const labels = [baseline, ...candidates].map(({ label }) => label);
  const [first, ...others] = SOURCES.filter(({ source }) => configuration.some((one) => one.source === source));
  return (
    <details class="fold" open={isWide && candidates.length === 1 && configuration.length <= 5}>
      <summary>{plural(configuration.length, t("configuration difference"), t("configuration differences"))}</summary>
      <PlainTable
        label={t("Configuration differences")}
        heads={
          <>
            <th scope="col">{others.length === 0 ? first?.title : t("Setting")}</th>
            {labels.map((label, i) => (
              <RunColumnHead key={label} run={runIds[i]} label={label} />
            ))}
          </>
        }
      >
        {SOURCES.map(({ source, title }) => {
          const own = configuration.filter((one) => one.source === source);
          return own.length === 0 ? null : (
            <Fragment key={source}>
              {others.length > 0 && (
                <tr class="config-source">
                  <th scope="colgroup" colSpan={labels.length + 1}>
                    {title}
                  </th>
                </tr>
              )}
              {own.map(({ name, values }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  {values.map((value, i) => (
                    <td key={i} class={i > 0 && value !== values[0] ? "config-changed" : ""}>
                      {value === null ? <span class="muted">{t("not set")}</span> : value}
                    </td>
                  ))}
                </tr>
              ))}
            </Fragment>
          );
        })}
      </PlainTable>
    </details>
  );
}
