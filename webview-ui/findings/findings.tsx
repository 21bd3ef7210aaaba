import type { RunFinding, RunFindings } from "../../src/protocol/index.js";
import { NS_PER_SECOND } from "../../src/core/model/index.js";
import { Icon } from "../components/icon.js";
import { plural } from "../format/text.js";
import { latestOf } from "../state/live-query.js";
import { useLiveQuery, useView } from "../state/context.js";

/** Findings rest on all samples: of a run that goes on they are not told anew at every scrape. */
const REFRESH_MS = 10_000;
const NAMED = 3;

/**
 * What limits the server, on one line of constant height that opens: titles first, then each with its figures, what to
 * try and a way to its chart.
 */
export function Findings() {
  const { run } = useView();
  const live = useLiveQuery("findings", REFRESH_MS, (abort) => run.client.call("findings", {}, abort));
  const state = live.state.value;
  const known = latestOf(state);
  if (known === undefined)
    return (
      <p class="findings-line muted" role="status">
        {state.kind === "failed" ? `No findings: ${state.error.message}.` : "Looking at the run…"}
      </p>
    );
  return known.findings.length === 0 ? <Nothing checked={known.checked} /> : <Found {...known} />;
}

function Nothing({ checked }: Pick<RunFindings, "checked">) {
  return (
    <details class="fold findings">
      <summary class="findings-line">
        <Icon name="pass" /> Nothing stands out
      </summary>
      <p class="muted">{`Looked for: ${checked.map((title) => title.toLowerCase()).join("; ")}.`}</p>
    </details>
  );
}

function Found({ findings }: RunFindings) {
  const titles = findings.slice(0, NAMED).map(({ title }) => title);
  const more = findings.length - titles.length;
  return (
    <details class="fold findings">
      <summary class="findings-line">
        <Icon name="warning" /> <strong>{plural(findings.length, "finding")}:</strong> {titles.join(" · ")}
        {more > 0 && <span class="muted">{` and ${more} more`}</span>}
      </summary>
      <ol class="finding-list">
        {findings.map((finding) => (
          <FindingView key={finding.id} finding={finding} />
        ))}
      </ol>
    </details>
  );
}

function FindingView({ finding }: { readonly finding: RunFinding }) {
  const { run, layout } = useView();
  const { title, text, advice, confidence, evidence } = finding;
  const show = (at: NonNullable<RunFinding["evidence"]>) => {
    const start = run.header.peek()?.profilingStart ?? 0;
    run.viewport.value = { from: (at.start - start) / NS_PER_SECOND, to: (at.end - start) / NS_PER_SECOND };
    layout.dispatch({ kind: "show", family: at.family });
  };
  return (
    <li>
      <strong>{title}.</strong> {text} <span class="muted">{`Try: ${advice} Confidence: ${confidence}.`}</span>{" "}
      {evidence !== undefined && (
        <button type="button" class="link" onClick={() => show(evidence)}>
          {`Show ${evidence.family}`}
        </button>
      )}
    </li>
  );
}
