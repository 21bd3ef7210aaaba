import { t } from "@vscode/l10n";
import type { Basis, ComparisonWarning, Verdict } from "../../src/protocol/comparison.js";
import { Icon, type IconName } from "../components/icon.js";
import { VERDICT_TEXT } from "../../src/core/compare/report/report.js";

/** A verdict's picture and what it means; its word is core's. */
export const VERDICT_LOOKS: { readonly [V in Verdict]: { readonly icon: IconName; readonly meaning: string } } = {
  worse: { icon: "thumbsdown", meaning: t("differs by the threshold or more, in the wrong direction") },
  better: { icon: "thumbsup", meaning: t("differs by the threshold or more, in the right direction") },
  differs: { icon: "arrow-swap", meaning: t("differs by the threshold or more; no direction is good") },
  "no-evidence": {
    icon: "question",
    meaning: t(
      "the data are consistent with no difference as well as with a relevant one; longer runs or repeats would show which",
    ),
  },
  "cannot-tell": { icon: "circle-slash", meaning: t("the data do not allow a judgement") },
  same: { icon: "check", meaning: t("the difference lies within the threshold") },
};

export const SEVERITIES: {
  readonly [S in ComparisonWarning["severity"]]: {
    readonly icon: IconName;
    readonly name: string;
    readonly tone: "error" | "warning" | "info";
  };
} = {
  incomparable: { icon: "error", name: t("Incomparable"), tone: "error" },
  caution: { icon: "warning", name: t("Caution"), tone: "warning" },
  note: { icon: "info", name: t("Note"), tone: "info" },
};

export const BASIS_TEXT: { readonly [B in Basis]: string } = {
  "paired-slices": t("slices compared pair by pair"),
  slices: t("slices of each run on their own"),
  "between-runs": t("spread between repeats"),
  values: t("values only, without slices"),
};

export const DIRECTION_TEXT = {
  up: t("higher is better"),
  down: t("lower is better"),
  neutral: t("no direction is good"),
} as const;

/** A verdict's icon and word. */
export function VerdictMark({ verdict }: { readonly verdict: Verdict }) {
  return (
    <span class={`verdict verdict-${verdict}`}>
      <Icon name={VERDICT_LOOKS[verdict].icon} /> {VERDICT_TEXT[verdict]}
    </span>
  );
}
