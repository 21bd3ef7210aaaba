import { t } from "@vscode/l10n";
import type { LabelledSeries } from "../../../src/core/model/index.js";
import { useLayoutEffect, useRef } from "preact/hooks";
import { sideText } from "../../../src/core/compare/report/report.js";
import type {
  ComparisonCell,
  ComparisonRow,
  IdentifiedComparison,
  RunId,
  SideValue,
} from "../../../src/protocol/comparison.js";
import { plural } from "../../../src/core/text/plural.js";
import { hostOf } from "../../format/text.js";
import { labelsText } from "../../tables/model.js";
import { DIRECTION_TEXT, VERDICT_LOOKS } from "../words.js";
import { evidenceOf } from "./row-text.js";
import { Trend } from "./trend.js";
import { VerdictMark } from "./verdict.js";
import { RunSwatch } from "../run-swatch.js";

interface DetailsProps {
  readonly row: ComparisonRow;
  readonly comparison: IdentifiedComparison;
  /** CSS pixels, whenever it changes. */
  readonly onHeight: (height: number) => void;
}

/** Series said one by one; more are counted. */
const SERIES_SHOWN = 4;

/**
 * Everything that is known of a row: each candidate's verdict with its reason, the numbers it rests on, and whose they
 * are.
 */
export function Details({ row, comparison, onHeight }: DetailsProps) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => onHeight(element.offsetHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const names = row.names ?? [];
  return (
    <div class="details" ref={box}>
      <div class="details-head">
        <code>{row.family}</code>
        <span class="muted">
          {[row.type, row.group, DIRECTION_TEXT[row.direction], row.isKey ? t("key metric") : ""]
            .filter((part) => part !== "")
            .join(" · ")}
        </span>
        {row.labels.length > 0 && <span class="details-labels">{labelsText(row.labels)}</span>}
      </div>
      <div class="details-sides">
        <Side
          name={comparison.baseline.label}
          run={comparison.runIds[0]}
          family={names[0] ?? row.family}
          canonical={row.family}
          side={row.baseline}
          unit={row.unit}
        />
        {row.cells.map((cell, c) => (
          <Side
            key={comparison.candidates[c]?.label}
            name={comparison.candidates[c]?.label ?? ""}
            run={comparison.runIds[c + 1]}
            family={names[c + 1] ?? row.family}
            canonical={row.family}
            side={cell.candidate}
            unit={row.unit}
            judged={{
              cell,
              baseline: row.baseline,
              against: comparison.runIds[0],
              confidence: comparison.method.confidence,
            }}
          />
        ))}
      </div>
    </div>
  );
}

interface SideProps {
  readonly name: string;
  readonly run: RunId | undefined;
  readonly family: string;
  readonly canonical: string;
  readonly side: SideValue;
  readonly unit: string | undefined;
  readonly judged?: Judgement;
}

interface Judgement {
  readonly cell: ComparisonCell;
  readonly baseline: SideValue;
  /** The baseline's run. */
  readonly against: RunId | undefined;
  readonly confidence: number;
}

function Side({ name, run, family, canonical, side, unit, judged }: SideProps) {
  return (
    <section class="details-side" aria-label={name}>
      <p class="details-name">
        <RunSwatch run={run} />
        {name}
      </p>
      <dl class="details-facts">
        <Fact name="value" value={sideText(side, unit)} />
        {judged !== undefined && <Judged {...judged} unit={unit} />}
        {family !== canonical && <Fact name="called" value={family} />}
        <Fact name="series" value={seriesText(side.series)} />
      </dl>
      {judged !== undefined && (
        <Trend
          baseline={judged.baseline.trend}
          candidate={side.trend}
          runs={[judged.against, run]}
          width={240}
          height={48}
        />
      )}
    </section>
  );
}

function Judged({ cell, confidence, unit }: Pick<SideProps, "unit"> & Omit<Judgement, "baseline" | "against">) {
  return (
    <>
      <div class="fact-wide">
        <dt>{t("verdict")}</dt>
        <dd>
          <VerdictMark verdict={cell.verdict} />
          {`: ${cell.reason ?? VERDICT_LOOKS[cell.verdict].meaning}`}
        </dd>
      </div>
      {evidenceOf(cell, unit, confidence).map(({ name, value }) => (
        <Fact key={name} name={name} value={value} />
      ))}
    </>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function seriesText(series: readonly LabelledSeries[]): string {
  if (series.length === 0) return "none";
  const shown = series
    .slice(0, SERIES_SHOWN)
    .map(({ endpointUrl, labels }) => `${hostOf(endpointUrl)}${labels.length > 0 ? ` ${labelsText(labels)}` : ""}`);
  const rest = series.length - shown.length;
  return `${series.length > 1 ? t`${plural(series.length, t("series"), t("series"))} together: ` : ""}${shown.join("; ")}${rest > 0 ? t`; and ${rest} more` : ""}`;
}
