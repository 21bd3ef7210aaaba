import { t } from "@vscode/l10n";
import type { LabelledSeries } from "../../../src/core/model/index.js";
import { useLayoutEffect, useRef } from "preact/hooks";
import { sideText } from "../../../src/core/compare/report/report.js";
import type { ComparisonRow } from "../../../src/protocol/comparison.js";
import { plural } from "../../../src/core/text/plural.js";
import { hostOf } from "../../format/text.js";
import { labelsText } from "../../tables/model.js";
import { DIRECTION_TEXT, VERDICT_LOOKS, VerdictMark } from "../words.js";
import { evidenceOf } from "./rows.js";
import { Trend } from "./drawings.js";
import { useCompared } from "../context.js";
import { RunSwatch } from "../run-swatch.js";

interface DetailsProps {
  readonly row: ComparisonRow;
  /** CSS pixels, whenever it changes. */
  readonly onHeight: (height: number) => void;
}

/** Series said one by one; more are counted. */
const SERIES_SHOWN = 4;

/**
 * Everything that is known of a row: each candidate's verdict with its reason, the numbers it rests on, and whose they
 * are.
 */
export function Details({ row, onHeight }: DetailsProps) {
  const { runIds } = useCompared();
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => onHeight(element.offsetHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
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
        {runIds.map((run, column) => (
          <Side key={run} row={row} column={column} />
        ))}
      </div>
    </div>
  );
}

interface SideProps extends Pick<DetailsProps, "row"> {
  /** 0: the baseline's. */
  readonly column: number;
}

function Side({ row, column }: SideProps) {
  const { baseline, candidates, runIds, method } = useCompared();
  const cell = row.cells[column - 1];
  const side = cell?.candidate ?? row.baseline;
  const name = [baseline, ...candidates][column]?.label ?? "";
  const family = row.names?.[column] ?? row.family;
  return (
    <section class="details-side" aria-label={name}>
      <p class="details-name">
        <RunSwatch run={runIds[column]} />
        {name}
      </p>
      <dl class="details-facts">
        <Fact name="value" value={sideText(side, row.unit)} />
        {cell !== undefined && (
          <>
            <div class="fact-wide">
              <dt>{t("verdict")}</dt>
              <dd>
                <VerdictMark verdict={cell.verdict} />
                {`: ${cell.reason ?? VERDICT_LOOKS[cell.verdict].meaning}`}
              </dd>
            </div>
            {evidenceOf(cell, row.unit, method.confidence).map((fact) => (
              <Fact key={fact.name} {...fact} />
            ))}
          </>
        )}
        {family !== row.family && <Fact name="called" value={family} />}
        <Fact name="series" value={seriesText(side.series)} />
      </dl>
      {cell !== undefined && (
        <Trend
          baseline={row.baseline.trend}
          candidate={side.trend}
          runs={[runIds[0], runIds[column]]}
          width={240}
          height={48}
        />
      )}
    </section>
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
