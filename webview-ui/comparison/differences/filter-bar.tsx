import { t } from "@vscode/l10n";
import { useEffect, useState } from "preact/hooks";
import { VERDICT_TEXT } from "../../../src/core/compare/report/report.js";
import { grouped } from "../../../src/core/text/plural.js";
import type { Verdict } from "../../../src/protocol/comparison.js";
import { Choice, Select } from "../../components/choice.js";
import { Icon } from "../../components/icon.js";
import { Popover } from "../../components/popover.js";
import { useComparison } from "../context.js";
import { DIFFERING, VERDICTS, type DifferenceFilter } from "../layout.js";
import { VERDICT_LOOKS, VerdictMark } from "../words.js";
import type { DifferenceModel } from "./rows.js";

interface FilterBarProps extends ThresholdProps {
  readonly counts: ReadonlyMap<Verdict, number>;
  readonly model: DifferenceModel;
}

interface ThresholdProps {
  /** A share. */
  readonly threshold: number;
  readonly onThreshold: (threshold: number) => void;
}

function same(a: readonly Verdict[], b: readonly Verdict[]): boolean {
  return a.length === b.length && a.every((one) => b.includes(one));
}

/** What of the rows is shown, and from which size on a difference counts. */
export function FilterBar({ counts, model: { servers, types }, ...threshold }: FilterBarProps) {
  const { layout } = useComparison();
  const { filter } = layout.layout.value;
  const change = (changed: Partial<DifferenceFilter>) => layout.change({ filter: { ...filter, ...changed } });
  const shown = same(filter.verdicts, DIFFERING) ? "differing" : same(filter.verdicts, VERDICTS) ? "all" : undefined;
  const toggle = (verdict: Verdict) => {
    const verdicts = filter.verdicts.includes(verdict)
      ? filter.verdicts.filter((one) => one !== verdict)
      : [...filter.verdicts, verdict];
    change({ verdicts });
  };
  const all = (name: string, values: readonly string[]) => [
    { value: "", text: t`All ${name}` },
    ...values.map((value) => ({ value, text: value })),
  ];
  return (
    <div class="filter-bar" role="group" aria-label={t("Filters")}>
      <Choice
        label={t("Rows shown")}
        options={[
          {
            value: "differing",
            text: t("Only differing"),
            title: t("Rows that differ by the threshold or more"),
          },
          { value: "all", text: t("All"), title: t("All rows that were compared") },
        ]}
        value={shown}
        onChoose={(value) => change({ verdicts: value === "all" ? VERDICTS : DIFFERING })}
      />
      <VerdictChips chosen={filter.verdicts} counts={counts} onToggle={toggle} />
      <input
        class="input table-filter"
        type="search"
        aria-label={t("Filter rows")}
        placeholder={t("Filter: words, or label=value")}
        value={filter.text}
        onInput={(event) => change({ text: event.currentTarget.value })}
      />
      {servers.length > 1 && (
        <Select
          label={t("Server")}
          value={filter.server}
          options={all("servers", servers)}
          onSelect={(server) => change({ server })}
        />
      )}
      {types.length > 1 && (
        <Select
          label={t("Type")}
          value={filter.type}
          options={all("types", types)}
          onSelect={(type) => change({ type })}
        />
      )}
      <Threshold {...threshold} />
    </div>
  );
}

interface VerdictChipsProps {
  readonly chosen: readonly Verdict[];
  readonly counts: ReadonlyMap<Verdict, number>;
  readonly onToggle: (verdict: Verdict) => void;
}

/** A button for each verdict, and what they mean. */
function VerdictChips({ chosen, counts, onToggle }: VerdictChipsProps) {
  return (
    <div class="chips" role="group" aria-label={t("Verdicts")}>
      {VERDICTS.map((verdict) => {
        const count = counts.get(verdict) ?? 0;
        const { icon, meaning } = VERDICT_LOOKS[verdict];
        return (
          <button
            key={verdict}
            type="button"
            class={`chip verdict-${verdict}`}
            aria-pressed={chosen.includes(verdict)}
            aria-label={`${VERDICT_TEXT[verdict]}, ${count}`}
            title={`${VERDICT_TEXT[verdict]}: ${meaning}`}
            onClick={() => onToggle(verdict)}
          >
            <Icon name={icon} /> {VERDICT_TEXT[verdict]} <span class="chip-count">{grouped(count)}</span>
          </button>
        );
      })}
      <Popover label={t("What the verdicts mean")} icon="question">
        {() => (
          <dl class="verdict-meanings">
            {VERDICTS.map((verdict) => (
              <div key={verdict}>
                <dt>
                  <VerdictMark verdict={verdict} />
                </dt>
                <dd>{VERDICT_LOOKS[verdict].meaning}</dd>
              </div>
            ))}
          </dl>
        )}
      </Popover>
    </div>
  );
}

function percentText(share: number): string {
  return String(Number((100 * share).toPrecision(6)));
}

/** Taken with Enter or when it is left; Escape goes back. */
function Threshold({ threshold, onThreshold }: ThresholdProps) {
  const [text, setText] = useState(percentText(threshold));
  useEffect(() => setText(percentText(threshold)), [threshold]);
  const percent = Number(text.replace(",", "."));
  const valid = text.trim() !== "" && percent > 0 && percent <= 1000;
  const commit = () => {
    if (!valid) setText(percentText(threshold));
    else if (Math.abs(percent / 100 - threshold) > 1e-9) onThreshold(percent / 100);
  };
  return (
    <label class="threshold" title={t("Smaller differences have no practical relevance. All verdicts are recomputed.")}>
      {t("Relevant from")}
      <input
        class="input"
        type="text"
        inputMode="decimal"
        aria-label={t("Threshold of practical relevance in per cent")}
        aria-invalid={!valid}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === "Enter") commit();
          if (event.key === "Escape") setText(percentText(threshold));
        }}
      />
      %
    </label>
  );
}
