import { formatValue } from "../../src/core/catalog/display.js";
import { checkedText, NO_SERVER } from "../../src/core/insights/checked.js";
import { NS_PER_SECOND } from "../../src/core/model/index.js";
import type { FindingEvidence, RunFinding } from "../../src/protocol/index.js";
import { Icon } from "../components/icon.js";
import { plural } from "../../src/core/text/plural.js";
import { hostOf } from "../format/text.js";
import { useLiveQuery, useView } from "../state/context.js";
import { latestOf } from "../state/live-query.js";

/** Findings rest on all samples: of a run that goes on they are not computed again at every scrape. */
const REFRESH_MS = 10_000;
/** Shown in full; the rest is folded. */
const SHOWN = 3;

/** What limits the server: the weightiest findings as sentences, or that nothing stands out. */
export function Findings() {
  const { run } = useView();
  const only = run.only.value;
  const live = useLiveQuery(`findings ${only ?? ""}`, REFRESH_MS, (abort) =>
    run.client.call("findings", only === undefined ? {} : { endpointUrl: only }, abort),
  );
  const state = live.state.value;
  const known = latestOf(state);
  const rest = known?.findings.slice(SHOWN) ?? [];
  return (
    <section class="findings" aria-label="Findings">
      {known === undefined && (
        <p class="muted" role="status">
          {state.kind === "failed" ? `No findings: ${state.error.message}.` : "Looking for findings…"}
        </p>
      )}
      {known?.checked.length === 0 && <p class="muted">{NO_SERVER}</p>}
      {known?.findings.length === 0 && known.checked.length > 0 && (
        <details class="fold">
          <summary>
            <Icon name="pass" /> No limits found
            <span class="muted">{` (${plural(known.checked.length, "check")})`}</span>
          </summary>
          <p class="muted">{checkedText(known.checked, known.unjudged)}</p>
        </details>
      )}
      {known !== undefined && known.findings.length > 0 && <FindingList findings={known.findings.slice(0, SHOWN)} />}
      {rest.length > 0 && (
        <details class="fold">
          <summary>
            {`${plural(rest.length, "more finding")}: `}
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
    <section class="findings" aria-label="Findings">
      <p class="muted">Findings follow when the file has been read.</p>
    </section>
  );
}

/** How far each server is from its first limit, a line each; those of a fleet are folded. */
function Capacities({ texts }: { readonly texts: readonly string[] }) {
  if (texts.length === 0) return null;
  const lines = (
    <ul aria-label="Capacity">
      {texts.map((text) => (
        <li key={text}>
          <span class="muted">Capacity:</span> {text}
        </li>
      ))}
    </ul>
  );
  if (texts.length <= SHOWN) return lines;
  return (
    <details class="fold">
      <summary>
        Capacity{" "}
        <span class="muted">{`how far each of ${plural(texts.length, "server")} is from its first limit`}</span>
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

function FindingView({ finding }: { readonly finding: RunFinding }) {
  const { title, text, advice, confidence, weight, evidence } = finding;
  return (
    <li class="finding" data-finding={finding.id}>
      <Icon name="warning" class={weight >= 0.5 ? "tone-warning" : "muted"} />
      <div class="finding-body">
        <div>
          <strong>{title}.</strong> {text}
        </div>
        <div class="muted">{`Try: ${advice} Confidence: ${confidence}.`}</div>
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
      </div>
    </li>
  );
}

/** Goes to the family's chart at the range that the finding is about. */
function EvidenceLink({ evidence, named }: { readonly evidence: FindingEvidence; readonly named: boolean }) {
  const { run, layout } = useView();
  const { family, endpointUrl, series, statistic, start, end, value, unit, threshold } = evidence;
  const show = () => {
    const zero = run.header.peek()?.profilingStart ?? 0;
    run.viewport.value = { from: (start - zero) / NS_PER_SECOND, to: (end - zero) / NS_PER_SECOND };
    layout.dispatch({ kind: "show", family });
  };
  const title = run.familyByName.value.get(family)?.displayName;
  const names = title === undefined ? family : `${title} (${family})`;
  const figure = `${series === undefined ? "" : `${series}, `}${statistic} ${formatValue(value, unit)}`;
  const limit = threshold === undefined ? "" : ` (threshold ${formatValue(threshold, unit)})`;
  return (
    <button
      type="button"
      class="link"
      title={`${hostOf(endpointUrl)}\nShow its chart at the time that this is about`}
      onClick={show}
    >
      {`${named ? `${hostOf(endpointUrl)} ` : ""}${names}: ${figure}${limit}`}
    </button>
  );
}
