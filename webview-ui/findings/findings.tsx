import { t } from "@vscode/l10n";
import { useComputed } from "@preact/signals";
import { isDrawn } from "../assertions/assertions.js";
import { formatValue } from "../../src/core/catalog/display.js";
import { checkedText, NO_SERVER } from "../../src/core/insights/checked.js";
import { NS_PER_SECOND } from "../../src/core/model/index.js";
import type { FindingEvidence, RunFinding } from "../../src/protocol/index.js";
import { Icon } from "../components/icon.js";
import { plural } from "../../src/core/text/plural.js";
import { hostOf } from "../format/text.js";
import { useAnswer, useView } from "../state/context.js";
import { oneEndpoint } from "../state/run-store.js";

/** Findings rest on all samples: of a run that goes on they are not computed again at every scrape. */
const REFRESH_MS = 10_000;
/** Shown in full; the rest is folded. */
const SHOWN = 3;

/** What limits the server: the weightiest findings as sentences, or that nothing stands out. */
export function Findings() {
  const { run } = useView();
  const only = run.only.value;
  const live = useAnswer("findings", oneEndpoint(only), REFRESH_MS);
  // Not the header itself, which is another one with every progress.
  const silent = useComputed(() => run.header.value?.endpoints.every(({ families }) => families === 0) === true).value;
  const state = live.state.value;
  const answer = live.latest.value;
  const concerns = ({ evidence }: RunFinding) =>
    only === undefined || evidence.length === 0 || evidence.some(({ endpointUrl }) => only.urls.includes(endpointUrl));
  const known = answer === undefined ? undefined : { ...answer, findings: answer.findings.filter(concerns) };
  if (silent)
    return (
      <section class="findings" aria-label={t("Findings")}>
        <p class="muted">{t("No findings: no endpoint has answered with metrics.")}</p>
      </section>
    );
  const rest = known?.findings.slice(SHOWN) ?? [];
  return (
    <section class="findings" aria-label={t("Findings")}>
      {known === undefined && (
        <p class="muted" role="status">
          {state.kind === "failed" ? t`No findings: ${state.error.message}.` : t("Looking for findings…")}
        </p>
      )}
      {known?.checked.length === 0 && <p class="muted">{NO_SERVER}</p>}
      {known?.findings.length === 0 && known.checked.length > 0 && (
        <details class="fold">
          <summary>
            <Icon name="pass" /> {t("No limits found")}
            <span class="muted">{` (${plural(known.checked.length, t("check"), t("checks"))})`}</span>
          </summary>
          <p class="muted">{checkedText(known.checked, known.unjudged)}</p>
        </details>
      )}
      {known !== undefined && known.findings.length > 0 && <FindingList findings={known.findings.slice(0, SHOWN)} />}
      {rest.length > 0 && (
        <details class="fold">
          <summary>
            {`${plural(rest.length, t("more finding"), t("more findings"))}: `}
            <span class="muted">{rest.map(({ title }) => title).join(" · ")}</span>
          </summary>
          <FindingList findings={rest} />
        </details>
      )}
      {known !== undefined && <Capacities texts={known.capacities} />}
    </section>
  );
}

/** While a file is read: findings rest on all its samples. */
export function FindingsPlaceholder() {
  return (
    <section class="findings" aria-label={t("Findings")}>
      <p class="muted">{t("Findings follow when the file has been read.")}</p>
    </section>
  );
}

/** How far each server is from its first limit, a line each; those of a fleet are folded. */
function Capacities({ texts }: { readonly texts: readonly string[] }) {
  if (texts.length === 0) return null;
  const lines = (
    <ul aria-label={t("Capacity")}>
      {texts.map((text) => (
        <li key={text}>
          <span class="muted">{t("Capacity:")}</span> {text}
        </li>
      ))}
    </ul>
  );
  if (texts.length <= SHOWN) return lines;
  return (
    <details class="fold">
      <summary>
        {t("Capacity")}{" "}
        <span class="muted">{t`how far each of ${plural(texts.length, t("server"), t("servers"))} is from its first limit`}</span>
      </summary>
      {lines}
    </details>
  );
}

function FindingList({ findings }: { readonly findings: readonly RunFinding[] }) {
  return (
    <ol class="finding-list">
      {findings.map((finding) => (
        <FindingView key={finding.id} finding={finding} />
      ))}
    </ol>
  );
}

/** What stands out, in a line or two that lead to its chart; what to do about it and what it rests on are folded. */
function FindingView({ finding }: { readonly finding: RunFinding }) {
  const { title, text, advice, confidence, weight, evidence } = finding;
  const show = useShow();
  const [first] = evidence;
  return (
    <li class="finding" data-finding={finding.id}>
      <Icon name="warning" class={weight >= 0.5 ? "tone-warning" : "muted"} />
      <div class="finding-body">
        {first === undefined ? (
          <strong>{title}.</strong>
        ) : (
          <button type="button" class="link finding-title" title={SHOWS} onClick={() => show(first)}>
            {title}.
          </button>
        )}{" "}
        {text}
      </div>
      <details class="fold">
        <summary aria-label={t`What to do: ${title}`}>{t("What to do")}</summary>
        <div class="muted">{t`Try: ${advice} Confidence: ${confidence}.`}</div>
        {evidence.length > 0 && (
          <div class="finding-evidence">
            {evidence.map((one) => (
              <EvidenceLink
                key={`${one.family} ${one.endpointUrl} ${one.series ?? ""} ${one.statistic}`}
                evidence={one}
                named={evidence.some(({ endpointUrl }) => endpointUrl !== one.endpointUrl)}
              />
            ))}
          </div>
        )}
      </details>
    </li>
  );
}

const SHOWS = t("Show its chart at the time that this is about");

/** Goes to the family's chart at the range that the finding is about, with the limit that it is beyond. */
function useShow() {
  const { run, layout } = useView();
  return ({ family, statistic, start, end, unit, threshold }: FindingEvidence) => {
    const zero = run.header.peek()?.profilingStart ?? 0;
    const drawn = isDrawn(run.familyByName.peek().get(family)?.type ?? "unknown", statistic);
    const limit =
      threshold === undefined || !drawn
        ? undefined
        : { value: threshold, text: t`threshold ${formatValue(threshold, unit)}` };
    layout.show(family, { limit });
    run.viewport.value = { from: (start - zero) / NS_PER_SECOND, to: (end - zero) / NS_PER_SECOND };
  };
}

/** What a finding rests on. */
function EvidenceLink({ evidence, named }: { readonly evidence: FindingEvidence; readonly named: boolean }) {
  const { run } = useView();
  const show = useShow();
  const { family, endpointUrl, series, statistic, value, unit, threshold } = evidence;
  const title = run.familyByName.value.get(family)?.displayName;
  const names = title === undefined ? family : `${title} (${family})`;
  const figure = `${series === undefined ? "" : `${series}, `}${statistic} ${formatValue(value, unit)}`;
  const limit = threshold === undefined ? "" : t` (threshold ${formatValue(threshold, unit)})`;
  return (
    <button type="button" class="link" title={`${hostOf(endpointUrl)}\n${SHOWS}`} onClick={() => show(evidence)}>
      {`${named ? `${hostOf(endpointUrl)} ` : ""}${names}: ${figure}${limit}`}
    </button>
  );
}
