import { t } from "@vscode/l10n";
import { shareText } from "../../../src/core/compare/report/report.js";
import type { Comparison, ComparisonSettings, ComparisonWarning } from "../../../src/protocol/comparison.js";
import { plural } from "../../../src/core/text/plural.js";
import { Choice } from "../../components/choice.js";
import { Icon } from "../../components/icon.js";
import { TextList } from "../../components/text-list.js";
import type { RunningAction } from "../../state/action.js";
import { useComparison } from "../context.js";
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

type Rule = NonNullable<ComparisonSettings["window"]>;

const RULES: readonly { readonly value: Rule; readonly text: string; readonly title: string }[] = [
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
  readonly comparison: Pick<Comparison, "warnings">;
  readonly settings: ComparisonSettings;
  readonly action: RunningAction;
}

/** One rule for the windows of all runs, where their files have different ones. */
export function MeasuredAlike({ comparison: { warnings }, settings: { window }, action }: MeasuredAlikeProps) {
  const { store } = useComparison();
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
export function Method({ comparison: { method } }: { readonly comparison: Pick<Comparison, "method"> }) {
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
