import { t } from "@vscode/l10n";
import { useState, useMemo } from "preact/hooks";
import { shareText, sideText } from "../../../src/core/compare/report/report.js";
import { formatValue } from "../../../src/core/catalog/display.js";
import type { BucketShares, Comparison, ComparisonRow, RunId } from "../../../src/protocol/comparison.js";
import { Placeholder } from "../../components/message.js";
import { PlainTable } from "../../components/plain-table.js";
import { BucketBars } from "../../histograms/distribution.js";
import { bucketText, filledBuckets } from "../../histograms/buckets.js";
import { useComparison, useCompared } from "../context.js";
import { runColorClass } from "../run-colors.js";
import { VerdictMark, VERDICT_LOOKS } from "../words.js";
import { sameSeries } from "./chosen.js";
import { RunColumnHead, RunSwatch, ChartSide } from "../run-swatch.js";
import { CHART_QUANTITIES } from "../layout.js";
import { offsetNs } from "../../../src/core/model/index.js";
import type { HeatmapData } from "../../../src/protocol/index.js";
import { heatScale, bucketGrid, seenBuckets } from "../../histograms/heat-grid.js";
import { Heatmap } from "../../histograms/heatmap.js";
import type { Answered } from "./alignment.js";
import type { ComparedAxis } from "./lines-model.js";

interface ComparedDistributionProps {
  readonly row: ComparisonRow;
  readonly title: string;
}

/** The bucket shares that a row's histogram has on common bounds; undefined where the runs share too few. */
function sharesOf(row: ComparisonRow, { rows, shares }: Comparison): BucketShares | undefined {
  const ids = new Set(rows.filter((one) => sameSeries(one, row)).map(({ id }) => id));
  return shares.find(({ rowId }) => ids.has(rowId));
}

/**
 * Distributions of all runs on their common bounds, a bar a run in each bucket, and their quantiles beside each other.
 */
export function ComparedDistribution({ row, title }: ComparedDistributionProps) {
  const comparison = useCompared();
  const shares = sharesOf(row, comparison);
  const runs = [comparison.baseline, ...comparison.candidates].map(({ label }, i) => ({
    id: comparison.runIds[i],
    label,
  }));
  return (
    <>
      {shares === undefined ? (
        <Placeholder
          reason={t(
            "The histograms of the runs have fewer than two bucket bounds in common: their distributions cannot be overlaid.",
          )}
        />
      ) : (
        <Bars shares={shares} runs={runs} unit={row.unit} title={title} />
      )}
      <Quantiles row={row} runs={runs} />
    </>
  );
}

interface Run {
  readonly id: RunId | undefined;
  readonly label: string;
}

interface BarsProps {
  readonly shares: BucketShares;
  readonly runs: readonly Run[];
  readonly unit: string | undefined;
  readonly title: string;
}

function Bars({ shares: { uppers, baseline, candidates }, runs, unit, title }: BarsProps) {
  const { colors } = useComparison().store;
  const [shown, setShown] = useState<number>();
  const sides = [baseline, ...candidates];
  const greatest = Math.max(
    1e-9,
    ...sides.flatMap((side) => Array.from(side, (share) => (Number.isNaN(share) ? 0 : share))),
  );
  const looks = runs.map(({ id }) => `bar-side ${runColorClass(colors.of(id))}`);
  const percent = (share: number) => formatValue(share, "ratio");
  const words = (bucket: number) =>
    sides.map((side, i) => `${runs[i]?.label ?? ""} ${percent(side[bucket] ?? NaN)}`).join(", ");
  return (
    <>
      <div class="compared-distribution">
        <BucketBars
          uppers={uppers}
          range={filledBuckets(uppers.map((_, bucket) => Math.max(...sides.map((side) => side[bucket] ?? 0))))}
          unit={unit}
          label={t`Distributions of ${title}, share of observations by bucket`}
          wordsOf={(bucket) => `${bucketText(uppers, bucket, unit)}: ${words(bucket)}`}
          shown={shown}
          onShown={setShown}
          barOf={(bucket) =>
            sides.map((side, i) => (
              <span
                key={i}
                class={`${looks[i] ?? ""} ${uppers[bucket] === Infinity ? "bar-open" : ""}`}
                style={{ height: `${(100 * (side[bucket] ?? 0)) / greatest}%` }}
              />
            ))
          }
        />
      </div>
      <p class="distribution-words" aria-hidden="true">
        {shown === undefined ? (
          <span class="muted">{t("Share of all observations in each bucket; point at one for its numbers.")}</span>
        ) : (
          <>
            <strong>{bucketText(uppers, shown, unit)}</strong>
            {sides.map((side, i) => (
              <span key={i}>
                <RunSwatch run={runs[i]?.id} />
                {percent(side[shown] ?? NaN)}
              </span>
            ))}
          </>
        )}
      </p>
    </>
  );
}

const ORDER: readonly string[] = CHART_QUANTITIES;

function Quantiles({ row, runs }: { readonly row: ComparisonRow; readonly runs: readonly Run[] }) {
  const own = useCompared()
    .rows.filter((one) => sameSeries(one, row) && ORDER.includes(one.quantity))
    .sort((a, b) => ORDER.indexOf(a.quantity) - ORDER.indexOf(b.quantity));
  if (own.length === 0) return null;
  return (
    <PlainTable
      label={t("Quantiles of all runs")}
      class="quantiles"
      heads={
        <>
          <th scope="col">{t("Quantity")}</th>
          {runs.map(({ id, label }, i) => (
            <RunColumnHead
              key={label}
              run={id}
              label={label}
              class={i === 0 ? "numeric" : "quantiles-start"}
              colSpan={i === 0 ? 1 : 3}
            />
          ))}
        </>
      }
    >
      {own.map((one) => (
        <tr key={one.id}>
          <th scope="row">{one.quantity}</th>
          <td class="numeric">{sideText(one.baseline, one.unit)}</td>
          {one.cells.flatMap((cell, c) => [
            <td key={`${c}v`} class="numeric quantiles-start">
              {sideText(cell.candidate, one.unit)}
            </td>,
            <td key={`${c}s`} class="numeric">
              {shareText(cell.share)}
            </td>,
            <td key={`${c}w`} title={cell.reason ?? VERDICT_LOOKS[cell.verdict].meaning}>
              <VerdictMark verdict={cell.verdict} />
            </td>,
          ])}
        </tr>
      ))}
    </PlainTable>
  );
}

interface ComparedHeatmapsProps {
  readonly answers: readonly Answered<HeatmapData>[];
  readonly axis: ComparedAxis;
  readonly title: string;
}

/** A heatmap of every run, with one colour scale, one time axis and as many buckets. */
export function ComparedHeatmaps({ answers, axis, title }: ComparedHeatmapsProps) {
  const colors = useMemo(
    () => heatScale(answers.flatMap(({ data }) => (data === undefined ? [] : Array.from(data.rates)))),
    [answers],
  );
  const grids = useMemo(() => {
    const rows = Math.max(0, ...answers.map(({ data }) => (data === undefined ? 0 : seenBuckets(data))));
    return answers.map(({ data }) =>
      data === undefined || data.empty !== undefined ? undefined : bucketGrid(data, rows),
    );
  }, [answers]);
  return (
    <div class="chart-sides">
      {answers.map(({ run, data }, i) => {
        const grid = grids[i];
        return (
          <ChartSide key={run.id} run={run.id} label={run.label}>
            {grid === undefined ? (
              <Placeholder {...(data?.empty ?? { severity: "info", reason: t("This run has no values here.") })} />
            ) : (
              <Heatmap
                data={grid}
                header={{ ...run.header, profilingStart: offsetNs(run.zero) }}
                whole={axis.whole}
                fromProfiling={axis.alignment === "profiling"}
                colors={colors}
                title={`${title}, ${run.label}`}
              />
            )}
          </ChartSide>
        );
      })}
    </div>
  );
}
