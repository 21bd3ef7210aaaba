import { t } from "@vscode/l10n";
import { useState, useRef } from "preact/hooks";
import type { DistributionData } from "../../src/protocol/index.js";
import { Placeholder } from "../components/message.js";
import type { ModeProps } from "../state/chart-mode.js";
import { plural } from "../../src/core/text/plural.js";
import { knownText } from "../format/estimate.js";
import { barHeight, filledBuckets, placeOf, bucketLines, quantileName, boundLabels } from "./buckets.js";
import type { ComponentChildren } from "preact";
import { Hint, pointWithin } from "../components/hint.js";

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
            <dd>{knownText(quantile.value, quantile, unit)}</dd>
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

interface BucketBarsProps {
  /** Upper bounds, ascending. */
  readonly uppers: ArrayLike<number>;
  /** Those that are drawn, `end` not among them. */
  readonly range: { readonly first: number; readonly end: number };
  readonly unit: string | undefined;
  readonly label: string;
  /** What a bucket holds, in words. */
  readonly wordsOf: (bucket: number) => string;
  /** What is drawn of a bucket. */
  readonly barOf: (bucket: number) => ComponentChildren;
  /** The bucket that is pointed at or has the focus. */
  readonly shown: number | undefined;
  readonly onShown: (bucket: number | undefined) => void;
  /** What is said above the bar of the shown bucket, whose height is a share of all there is. Empty: nothing. */
  readonly hint?: { readonly lines: readonly string[]; readonly height: number };
}

/** As many bounds as can be read beneath the bars of a narrow card. */
const MAX_LABELS = 8;

/** A place of one width for each bucket, above the bounds. Arrows move from bucket to bucket. */
export function BucketBars({
  uppers,
  range: { first, end },
  unit,
  label,
  wordsOf,
  barOf,
  shown,
  onShown,
  hint,
}: BucketBarsProps) {
  const bars = useRef<HTMLUListElement>(null);
  const [stop, setStop] = useState(0);
  const count = end - first;
  const last = count - 1;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") onShown(undefined);
    const to = { ArrowRight: stop + 1, ArrowLeft: stop - 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    bars.current?.querySelectorAll<HTMLElement>("li")[Math.min(last, Math.max(0, to))]?.focus();
  };
  const { clientWidth: width = 0, clientHeight: height = 0 } = bars.current ?? {};
  return (
    <>
      <div class="bars-place">
        <ul class="bars" aria-label={label} ref={bars} onKeyDown={onKeyDown} onPointerLeave={() => onShown(undefined)}>
          {Array.from({ length: count }, (_, place) => [place, first + place] as const).map(([place, bucket]) => (
            <li
              key={bucket}
              class={`bar ${bucket === shown ? "bar-current" : ""}`}
              tabIndex={place === Math.min(stop, last) ? 0 : -1}
              aria-label={wordsOf(bucket)}
              onPointerEnter={() => onShown(bucket)}
              onFocus={() => {
                setStop(place);
                onShown(bucket);
              }}
              onBlur={() => onShown(undefined)}
            >
              {barOf(bucket)}
            </li>
          ))}
        </ul>
        {hint !== undefined && (
          <Hint
            role="status"
            lines={hint.lines}
            at={pointWithin((((shown ?? 0) - first + 0.5) / count) * width, height * (1 - hint.height))}
          />
        )}
      </div>
      <div class="bar-bounds" aria-hidden="true">
        {boundLabels(Array.from(uppers).slice(first, end), unit, MAX_LABELS).map(({ at, text }) => (
          <span key={at} style={{ left: `${(100 * at) / count}%` }}>
            {text}
          </span>
        ))}
      </div>
    </>
  );
}
