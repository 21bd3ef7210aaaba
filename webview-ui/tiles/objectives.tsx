import { t } from "@vscode/l10n";
import { attainedText, formatValue } from "../../src/core/catalog/display.js";
import type { Attainment, Goodput } from "../../src/protocol/index.js";
import { useView } from "../state/context.js";

/** How far the settings' objectives are met; activating one shows its chart. */
export function Objectives() {
  const { objectives } = useView();
  const { attained, goodput } = objectives.value;
  if (attained.length === 0) return null;
  return (
    <section aria-label={t("Service level objectives")}>
      <h2 class="tiles-title">
        {t("Service level objectives")} <span class="muted">{t("share of observations that meet each")}</span>
      </h2>
      <div class="tiles">
        {attained.map((one) => (
          <Objective key={`${one.name} ${one.threshold}`} objective={one} />
        ))}
        {goodput !== undefined && <GoodputTile goodput={goodput} />}
      </div>
    </section>
  );
}

function Objective({ objective }: { readonly objective: Attainment }) {
  const { layout } = useView();
  const { name, family, threshold, unit, share } = objective;
  const limit = formatValue(threshold, unit);
  const hint = [
    family,
    t`${attainedText(share.value)} of the observations are at most ${limit}`,
    t`between ${attainedText(share.interval[0])} and ${attainedText(share.interval[1])} (90 %)`,
    t`certainly between ${attainedText(share.lower)} and ${attainedText(share.upper)}`,
    t("Activate to show its chart"),
  ].join("\n");
  return (
    <button type="button" class="tile" title={hint} onClick={() => layout.show(family)}>
      <span class="tile-head">
        <span class="tile-title">
          {name} ≤ {limit}
        </span>
      </span>
      <span class="tile-value">
        <span class="tile-number">{attainedText(share.value)}</span>
      </span>
      {attainedText(share.interval[0]) !== attainedText(share.interval[1]) && (
        <span class="tile-note muted">
          {t`${attainedText(share.interval[0])} to ${attainedText(share.interval[1])}`}
        </span>
      )}
    </button>
  );
}

function GoodputTile({ goodput: { of, lower, upper, rateLower, rateUpper } }: { readonly goodput: Goodput }) {
  const rate = Number.isNaN(rateUpper)
    ? ""
    : t`${formatValue(rateLower, undefined)} to ${formatValue(rateUpper, undefined)} requests/s`;
  return (
    <div
      class="tile tile-plain"
      title={t("Buckets do not show which observations belong to the same request, so there are only bounds")}
    >
      <span class="tile-head">
        <span class="tile-title">{t`Goodput: ${of.join(t(" and "))}`}</span>
      </span>
      <span class="tile-value">
        <span class="tile-range">{t`${attainedText(lower)} to ${attainedText(upper)}`}</span>
      </span>
      <span class="tile-note muted">{rate}</span>
    </div>
  );
}
