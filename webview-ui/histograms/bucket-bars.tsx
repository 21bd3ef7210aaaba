import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { Hint, pointWithin } from "../components/hint.js";
import { boundLabels } from "./buckets.js";

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
