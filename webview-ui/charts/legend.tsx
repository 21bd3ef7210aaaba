import { t } from "@vscode/l10n";
import type { ReadonlySignal } from "@preact/signals";
import { formatValue } from "../../src/core/catalog/display.js";
import { formatRelative } from "../format/time.js";
import { symbolOnly } from "../format/text.js";
import { TruncatedText } from "../shorten/truncated-text.js";
import { useTextGroup } from "../shorten/text-group.js";
import type { DrawnLine } from "./drawing.js";
import { shownAt, type Reading } from "./lines.js";
import { css, type Rgba } from "./theme.js";
import type { LineStyle } from "./line-styles.js";
import { useState } from "preact/hooks";

export interface LegendEntry extends DrawnLine {
  /** Of a histogram: the name of the series, said once for its lines… */
  readonly group?: string;
  /** …and what this line shows of it. */
  readonly quantity?: string;
  readonly title: string;
  readonly last: Reading;
  /** Over the time shown. */
  readonly average: number;
  readonly greatest: Reading;
}

interface LegendProps {
  readonly entries: readonly LegendEntry[];
  /** The time that is pointed at: its values are shown in place of the newest. */
  readonly pointed: ReadonlySignal<number | undefined>;
  readonly unit: string | undefined;
  /** The run goes on: the newest values are of now. */
  readonly live?: boolean;
  readonly onToggle: (key: string) => void;
  /** Shows only this line; again: all. */
  readonly onIsolate: (key: string) => void;
}

function readingText({ value, atLeast }: Reading, unit: string | undefined): string {
  return `${atLeast ? "≥ " : ""}${formatValue(value, symbolOnly(unit))}`;
}

/** "2 s": how much of the last slice there is, where its values are the newest and it is no whole one. */
function unfinished(entries: readonly LegendEntry[]): string | undefined {
  for (const { points, incompleteFrom } of entries) {
    const end = points.at(-1)?.x;
    if (incompleteFrom !== undefined && end !== undefined && end > incompleteFrom)
      return formatRelative(end - incompleteFrom, end - incompleteFrom < 1 ? 2 : 0);
  }
  return undefined;
}

/**
 * A table of the lines: a toggle with the line's colour, dash and name, its newest value, or that at the time pointed
 * at, and the average and the greatest of the time shown. A histogram's lines stand beneath their series' name.
 */
export function Legend({ entries, pointed, unit, live = false, onToggle, onIsolate }: LegendProps) {
  const at = pointed.value;
  const names = useTextGroup(entries.map(({ name, quantity }) => quantity ?? name));
  const series = useTextGroup(entries.flatMap(({ group }) => group ?? []));
  const part = at === undefined ? unfinished(entries) : undefined;
  return (
    <div class="legend">
      <table aria-label={t("Lines")}>
        <thead class="muted">
          <tr>
            <td class="legend-note">
              {part !== undefined && (
                <span
                  title={
                    live
                      ? t("The last slice goes on: it is drawn faint, and changes until it is over.")
                      : t("The last slice is not a whole one: it is drawn faint.")
                  }
                >
                  {live ? t`last slice: ${part} so far` : t`last slice: ${part} only`}
                </span>
              )}
            </td>
            <th scope="col">{at === undefined ? (live ? t("now") : t("last")) : formatRelative(at, 1)}</th>
            <th scope="col" title={t("Average over the time shown; of a percentile that of its slices")}>
              {t("avg")}
            </th>
            <th scope="col" title={t("Greatest of the time shown")}>
              {t("max")}
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.flatMap((entry, i) => [
            ...(entry.group !== undefined && entry.group !== "" && entries[i - 1]?.group !== entry.group
              ? [
                  <tr key={`${entry.key} group`}>
                    <th class="legend-group" scope="rowgroup" colSpan={4} title={entry.title}>
                      <TruncatedText text={entry.group} group={series} />
                    </th>
                  </tr>,
                ]
              : []),
            <tr key={entry.key}>
              <th scope="row">
                <button
                  type="button"
                  class="legend-entry"
                  aria-pressed={!entry.hidden}
                  aria-label={entry.name}
                  title={t`${entry.title}\n\nClick hides or shows it, double click shows it alone.`}
                  onClick={() => onToggle(entry.key)}
                  onDblClick={() => onIsolate(entry.key)}
                >
                  <span
                    class="legend-swatch"
                    style={{ ...swatch(entry.color, entry.style), color: css(entry.color) }}
                    aria-hidden="true"
                  />
                  <TruncatedText text={entry.quantity ?? entry.name} group={names} />
                </button>
              </th>
              <td class="legend-value">
                {readingText(at === undefined ? entry.last : shownAt(entry.points, at), unit)}
              </td>
              <td>{formatValue(entry.average, symbolOnly(unit))}</td>
              <td>{readingText(entry.greatest, unit)}</td>
            </tr>,
          ])}
        </tbody>
      </table>
    </div>
  );
}

/** A little wider than in the chart, where more of the line is seen. CSS pixels. */
const WIDER = 0.6;

/**
 * A line as it is drawn, as the background of a box. An SVG element would cut off what it holds, and is moved by the
 * digits before it: that costs what `.short` says.
 */
export function swatch(color: Rgba, { dash, width }: LineStyle) {
  const drawn = css(color);
  let at = 0;
  const pieces = (dash.length === 0 ? [1] : dash).map((length, i) => {
    const from = at;
    at += length;
    return `${i % 2 === 0 ? drawn : "transparent"} ${from}px ${at}px`;
  });
  return {
    backgroundImage: `repeating-linear-gradient(to right, ${pieces.join(", ")})`,
    backgroundSize: `100% ${width + WIDER}px`,
  };
}

/** Lines that the legend of a chart has hidden, by their keys. */
export interface HiddenLines {
  readonly keys: ReadonlySet<string>;
  readonly toggle: (key: string) => void;
  /** Shows only this one of all lines; again: all. */
  readonly isolate: (key: string, all: readonly { readonly key: string }[]) => void;
}

export function useHiddenLines(): HiddenLines {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  return {
    keys,
    toggle(key) {
      const next = new Set(keys);
      if (!next.delete(key)) next.add(key);
      setKeys(next);
    },
    isolate(key, all) {
      const others = all.map((line) => line.key).filter((other) => other !== key);
      setKeys(new Set(others.every((other) => keys.has(other)) ? [] : others));
    },
  };
}
