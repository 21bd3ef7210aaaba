import { t } from "@vscode/l10n";
import type { Comparison, ComparisonWarning } from "../../../src/protocol/comparison.js";
import { Icon } from "../../components/icon.js";
import { plural } from "../../../src/core/text/plural.js";
import { SEVERITIES } from "../words.js";

const ORDER: readonly ComparisonWarning["severity"][] = ["incomparable", "caution", "note"];
/** More are folded away; what makes runs incomparable never is. */
const SHOWN = 3;
/** Of many runs, which are warned of one by one. */
const SHOWN_OF_MANY = 1;

interface WarningsProps {
  readonly comparison: Pick<Comparison, "warnings">;
  readonly many?: boolean;
}

/** What to know before reading any number, the gravest first. */
export function Warnings({ comparison: { warnings }, many = false }: WarningsProps) {
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
