import { t } from "@vscode/l10n";
import type { Comparison, ComparisonSettings } from "../../../src/protocol/comparison.js";
import { Choice } from "../../components/choice.js";
import type { RunningAction } from "../../state/action.js";
import { useComparison } from "../context.js";

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
