import { t } from "@vscode/l10n";
import type { AppliedRule, LabelMode, LabelRule } from "../../../src/protocol/comparison.js";

export const LABEL_MODES: readonly { readonly value: LabelMode; readonly text: string; readonly meaning: string }[] = [
  { value: "auto", text: t("auto"), meaning: t("paired with a run that has as many values of it, else aggregated") },
  { value: "match", text: t("match"), meaning: t("its values must be equal") },
  {
    value: "pair",
    text: t("pair"),
    meaning: t("it only identifies the server: its values are paired, equal ones first"),
  },
  {
    value: "aggregate",
    text: t("aggregate"),
    meaning: t("it only identifies the server: all its values are combined"),
  },
];

const APPLIED: { readonly [A in AppliedRule["applied"]]: string } = {
  match: "matched",
  pair: "paired",
  aggregate: "aggregated",
};

export function appliedText({ applied, appliedTo, mode }: AppliedRule): string {
  const text = [...new Set(appliedTo ?? [applied])].map((one) => APPLIED[one]).join(t(" or "));
  return mode === "auto" ? t`${text} (auto)` : text;
}

/** Rules after one of them was set. */
export function withRule(rules: readonly LabelRule[], label: string, mode: LabelMode): LabelRule[] {
  return [...rules.filter((rule) => rule.label !== label), { label, mode }];
}
