import { t } from "@vscode/l10n";
import type {
  AppliedRule,
  IdentifiedComparison,
  ComparisonSettings,
  LabelMode,
  LabelRule,
} from "../../../src/protocol/comparison.js";
import { Button } from "../../components/button.js";
import { ProblemLine } from "../../components/message.js";
import { PlainTable } from "../../components/plain-table.js";
import { Select } from "../../components/select.js";
import { hostOf } from "../../format/text.js";
import { useAction } from "../../state/action.js";
import { isReport } from "../../report/opened.js";
import { useComparison } from "../context.js";
import { RunColumnHead } from "../run-swatch.js";
import { Unmatched } from "./unmatched.js";

const LABEL_MODES: readonly { readonly value: LabelMode; readonly text: string; readonly meaning: string }[] = [
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

function appliedText({ applied, appliedTo, mode }: AppliedRule): string {
  const text = [...new Set(appliedTo ?? [applied])].map((one) => APPLIED[one]).join(t(" or "));
  return mode === "auto" ? t`${text} (auto)` : text;
}

/** Rules after one of them was set. */
function withRule(rules: readonly LabelRule[], label: string, mode: LabelMode): LabelRule[] {
  return [...rules.filter((rule) => rule.label !== label), { label, mode }];
}

/** How series were matched, changeable, and what was left over on either side. */
export function MatchingView({
  comparison,
  settings,
}: {
  readonly comparison: IdentifiedComparison;
  readonly settings: ComparisonSettings;
}) {
  return (
    <div class="matching">
      <Rules comparison={comparison} settings={settings} />
      <Unmatched comparison={comparison} />
    </div>
  );
}

function Rules({
  comparison: { rules, baseline, candidates, runIds },
  settings,
}: {
  readonly comparison: IdentifiedComparison;
  readonly settings: ComparisonSettings;
}) {
  const { store } = useComparison();
  const action = useAction();
  const labels = [baseline, ...candidates].map(({ label }) => label);
  const own = new Set(settings.labelRules.map(({ label }) => label));
  return (
    <section aria-label={t("Matching rules")} class="matching-section">
      <h2 class="section-title">{t("Identifying labels")}</h2>
      <p class="muted section-text">
        {t(
          "Series are compared with those of the same name, type and labels. These labels say who reports a series, not what it is about: choose how to match each.",
        )}
      </p>
      {action.problem.value !== undefined && <ProblemLine problem={action.problem.value} />}
      {rules.length === 0 ? (
        <p class="muted">{t("No series has such a label: all labels were matched as they are.")}</p>
      ) : (
        <PlainTable
          label={t("Rules for labels")}
          class="rules"
          heads={
            <>
              <th scope="col">{t("Label")}</th>
              <th scope="col">{t("Rule")}</th>
              <th scope="col">{t("Applied")}</th>
              {labels.map((label, i) => (
                <RunColumnHead key={label} run={runIds[i]} label={label} />
              ))}
            </>
          }
        >
          {rules.map((rule) => (
            <tr key={rule.label}>
              <th scope="row">{rule.label}</th>
              <td title={LABEL_MODES.find(({ value }) => value === rule.mode)?.meaning}>
                {isReport ? (
                  LABEL_MODES.find(({ value }) => value === rule.mode)?.text
                ) : (
                  <Select
                    label={t`Rule for ${rule.label}`}
                    value={rule.mode}
                    options={LABEL_MODES}
                    onSelect={(mode) => {
                      const labelRules = withRule(settings.labelRules, rule.label, mode);
                      action.start(store.client.call("configure", { labelRules }));
                    }}
                  />
                )}
              </td>
              <td>
                {`${appliedText(rule)}${own.has(rule.label) ? t(", as you set it") : ""}`}
                {rule.reason !== undefined && <span class="muted">{`: ${rule.reason}`}</span>}
              </td>
              {labels.map((label, i) => (
                <Values key={label} rule={rule} side={i} />
              ))}
            </tr>
          ))}
        </PlainTable>
      )}
      {settings.labelRules.length > 0 && !isReport && (
        <Button
          text={t("Reset Rules")}
          onClick={() => action.start(store.client.call("configure", { labelRules: [] }))}
        />
      )}
    </section>
  );
}

const VALUES_SHOWN = 4;

/** Values of a label on one side; paired ones stand in the same order on all. */
function Values({ rule, side }: { readonly rule: AppliedRule; readonly side: number }) {
  const values = rule.values[side] ?? [];
  const shown = values.slice(0, VALUES_SHOWN).map((value) => (value === "" ? "–" : hostOf(value)));
  return (
    <td title={values.join("\n")}>
      {shown.length === 0 ? <span class="muted">{t("none")}</span> : shown.join(", ")}
      {values.length > VALUES_SHOWN && <span class="muted">{t` and ${values.length - VALUES_SHOWN} more`}</span>}
    </td>
  );
}
