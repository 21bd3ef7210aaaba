import { t } from "@vscode/l10n";
import { useState } from "preact/hooks";
import type { DistributionData } from "../../src/protocol/index.js";
import { Placeholder } from "../components/message.js";
import type { ModeProps } from "../state/chart-mode.js";
import { plural } from "../../src/core/text/plural.js";
import { BucketBars } from "./bucket-bars.js";
import { barHeight, filledBuckets, placeOf } from "./buckets.js";
import { bucketLines, quantileName, quantileText } from "./distribution-text.js";

/**
 * Bars of one width, a bucket each, from the first to the last with observations, and where the quantiles lie among
 * them. By logarithm, a tail of few observations is seen.
 */
export function Distribution({ data, title, logarithmic }: ModeProps<DistributionData>) {
  const [shown, setShown] = useState<number | undefined>(undefined);
  if (data.empty !== undefined) return <Placeholder {...data.empty} />;
  const { counts, uppers, unit } = data;
  const range = filledBuckets(counts);
  const { first, end } = range;
  const greatest = Math.max(1, ...counts);
  const share = (bucket: number) => barHeight(counts[bucket] ?? 0, greatest, logarithmic);
  const percent = (at: number) => `${(100 * Math.min(end - first, Math.max(0, at - first))) / (end - first)}%`;
  const current = shown !== undefined && shown >= first && shown < end ? shown : undefined;
  const empty = uppers.length - (end - first);
  return (
    <>
      <div class="distribution">
        <div class="quantile-marks" aria-hidden="true">
          {data.quantiles.map((quantile, level) => (
            <div
              key={quantile.q}
              class={`quantile-mark mark-level-${level % 4}`}
              style={{ left: percent(placeOf(quantile.upper === Infinity ? quantile.lower : quantile.value, uppers)) }}
            >
              <span>{`${quantileName(quantile.q)}${quantile.upper === Infinity ? " →" : ""}`}</span>
            </div>
          ))}
        </div>
        <BucketBars
          uppers={uppers}
          range={range}
          unit={unit}
          label={t`Distribution of ${title} over the window, ${plural(
            counts.reduce((sum, n) => sum + n, 0),
            t("observation"),
            t("observations"),
          )}`}
          wordsOf={(bucket) => bucketLines(data, bucket).join(", ")}
          shown={current}
          onShown={setShown}
          barOf={(bucket) => (
            <span
              class={`bar-fill ${uppers[bucket] === Infinity ? "bar-open" : ""}`}
              style={{ height: `${100 * share(bucket)}%` }}
            />
          )}
          hint={
            current === undefined
              ? { lines: [], height: 0 }
              : { lines: bucketLines(data, current), height: share(current) }
          }
        />
      </div>
      <dl class="quantile-list" aria-label={t("Quantiles, with the bucket that must contain each")}>
        {data.quantiles.map((quantile) => (
          <div key={quantile.q}>
            <dt>{quantileName(quantile.q)}</dt>
            <dd>{quantileText(quantile, unit)}</dd>
          </div>
        ))}
      </dl>
      {(empty > 0 || logarithmic) && (
        <p class="muted distribution-note">
          {[
            empty > 0 ? t`${plural(empty, t("empty bucket"), t("empty buckets"))} not shown` : "",
            logarithmic ? t("logarithmic heights") : "",
          ]
            .filter((part) => part !== "")
            .join(" · ")}
        </p>
      )}
    </>
  );
}
