import { useRef, useState } from "preact/hooks";
import type { DistributionData } from "../../src/protocol/index.js";
import { Placeholder } from "../components/message.js";
import { plural } from "../format/text.js";
import { boundLabels, placeOf } from "./buckets.js";
import { bucketLines, quantileName, quantileText } from "./distribution-text.js";
import { PointHint } from "./point-hint.js";

interface DistributionProps {
  readonly data: DistributionData;
  readonly title: string;
}

/** As many bounds as can be read beneath the bars of a narrow card. */
const MOST_LABELS = 8;

/** Bars of one width, a bucket each, and where the quantiles lie among them. Arrows move from bar to bar. */
export function Distribution({ data, title }: DistributionProps) {
  const bars = useRef<HTMLUListElement>(null);
  const [stop, setStop] = useState(0);
  const [shown, setShown] = useState<number | undefined>(undefined);
  if (data.empty !== undefined) return <Placeholder problem={data.empty} />;
  const { counts, uppers, unit } = data;
  const rows = uppers.length;
  const greatest = Math.max(1, ...counts);
  const percent = (at: number) => `${(100 * at) / rows}%`;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") setShown(undefined);
    const to = { ArrowRight: stop + 1, ArrowLeft: stop - 1, Home: 0, End: rows - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    bars.current?.querySelectorAll<HTMLElement>("li")[Math.min(rows - 1, Math.max(0, to))]?.focus();
  };
  const current = shown !== undefined && shown < rows ? shown : undefined;
  const width = bars.current?.clientWidth ?? 0;
  const height = bars.current?.clientHeight ?? 0;
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
        <ul
          class="bars"
          aria-label={`Distribution of ${title} over the window, ${plural(
            counts.reduce((sum, n) => sum + n, 0),
            "observation",
          )}`}
          ref={bars}
          onKeyDown={onKeyDown}
          onPointerLeave={() => setShown(undefined)}
        >
          {Array.from(counts, (count, row) => (
            <li
              key={row}
              class={`bar ${row === current ? "bar-current" : ""}`}
              tabIndex={row === Math.min(stop, rows - 1) ? 0 : -1}
              aria-label={bucketLines(data, row).join(", ")}
              onPointerEnter={() => setShown(row)}
              onFocus={() => {
                setStop(row);
                setShown(row);
              }}
              onBlur={() => setShown(undefined)}
            >
              <span
                class={`bar-fill ${uppers[row] === Infinity ? "bar-open" : ""}`}
                style={{ height: `${(100 * count) / greatest}%` }}
              />
            </li>
          ))}
          <PointHint
            lines={current === undefined ? [] : bucketLines(data, current)}
            {...(current === undefined
              ? {}
              : { at: { x: ((current + 0.5) / rows) * width, y: height * (1 - (counts[current] ?? 0) / greatest) } })}
          />
        </ul>
        <div class="bar-bounds" aria-hidden="true">
          {boundLabels(uppers, unit, MOST_LABELS).map(({ at, text }) => (
            <span key={at} style={{ left: percent(at) }}>
              {text}
            </span>
          ))}
        </div>
      </div>
      <dl class="quantile-list" aria-label="Quantiles, with the bucket that must contain each">
        {data.quantiles.map((quantile) => (
          <div key={quantile.q}>
            <dt>{quantileName(quantile.q)}</dt>
            <dd>{quantileText(quantile, unit)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
