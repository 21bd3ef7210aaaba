import { useState } from "preact/hooks";
import type { RunFinding } from "../../src/protocol/index.js";
import { NS_PER_SECOND } from "../../src/core/model/index.js";
import { latestOf } from "../state/live-query.js";
import { useLiveQuery, useView } from "../state/context.js";

/** Findings rest on all samples: of a run that goes on they are not told anew at every scrape. */
const REFRESH_MS = 10_000;

/** What limits the server. It rests on all samples, so it is asked for when it is opened. */
export function Findings() {
  const [open, setOpen] = useState(false);
  return (
    <details class="fold findings" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class="findings-line">Findings</summary>
      {open && <Known />}
    </details>
  );
}

function Known() {
  const { run } = useView();
  const live = useLiveQuery("findings", REFRESH_MS, (abort) => run.client.call("findings", {}, abort));
  const state = live.state.value;
  const known = latestOf(state);
  return (
    <div>
      {known === undefined ? (
        <p class="muted" role="status">
          {state.kind === "failed" ? `No findings: ${state.error.message}.` : "Looking at the run…"}
        </p>
      ) : known.findings.length === 0 ? (
        <p class="muted">{`Nothing stands out. Looked for: ${known.checked.map((title) => title.toLowerCase()).join("; ")}.`}</p>
      ) : (
        <ol class="finding-list">
          {known.findings.map((finding) => (
            <FindingView key={finding.id} finding={finding} />
          ))}
        </ol>
      )}
    </div>
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
