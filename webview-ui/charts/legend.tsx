import type { ReadonlySignal } from "@preact/signals";
import { formatValue } from "../../src/core/catalog/display.js";
import { symbolOnly } from "../format/unit.js";
import { TruncatedText } from "../shorten/short.js";
import { useSiblings } from "../shorten/use-siblings.js";
import type { LineStyle } from "./colors.js";
import { shownAt, type Point } from "./lines.js";
import { swatch } from "./swatch.js";
import type { Rgba } from "./theme.js";

export interface LegendEntry {
  readonly key: string;
  readonly name: string;
  /** Of a histogram: the name of the series, said once for its lines… */
  readonly group?: string;
  /** …and what this line shows of it. */
  readonly quantity?: string;
  readonly title: string;
  readonly color: Rgba;
  readonly style: LineStyle;
  readonly last: { readonly value: number; readonly atLeast: boolean };
  readonly hidden: boolean;
}

interface LegendProps {
  readonly entries: readonly LegendEntry[];
  /** What is drawn, line by line as the entries. */
  readonly lines: readonly { readonly points: readonly Point[] }[];
  /** The time that is pointed at: its values are shown in place of the newest. */
  readonly pointed: ReadonlySignal<number | undefined>;
  readonly unit: string | undefined;
  readonly onToggle: (key: string) => void;
  /** Shows only this line; again: all. */
  readonly onIsolate: (key: string) => void;
}

function lastText({ value, atLeast }: LegendEntry["last"], unit: string | undefined): string {
  return `${atLeast ? "≥ " : ""}${formatValue(value, unit)}`;
}

/** Lines that stand behind one name: all of a histogram's series; any other line alone. */
function grouped(
  entries: readonly LegendEntry[],
): { readonly name: string; readonly entries: readonly LegendEntry[] }[] {
  const groups: { name: string; entries: LegendEntry[] }[] = [];
  for (const entry of entries) {
    const last = groups[groups.length - 1];
    if (entry.group !== undefined && last?.entries[0]?.group === entry.group) last.entries.push(entry);
    else groups.push({ name: entry.group ?? "", entries: [entry] });
  }
  return groups;
}

/**
 * Toggles with the line's colour and dash, its name and its newest value, or that at the time pointed at; a histogram's
 * lines stand behind their series' name.
 */
export function Legend({ entries: newest, lines, pointed, unit, onToggle, onIsolate }: LegendProps) {
  const at = pointed.value;
  const entries =
    at === undefined ? newest : newest.map((entry, i) => ({ ...entry, last: shownAt(lines[i]?.points ?? [], at) }));
  const names = useSiblings(entries.map(({ name, quantity }) => quantity ?? name));
  const series = useSiblings(entries.flatMap(({ group }) => group ?? []));
  return (
    <ul class="legend" aria-label="Lines">
      {grouped(entries).map((group) => (
        <li key={group.entries[0]?.key} class={group.entries.length > 1 ? "legend-series" : undefined}>
          {group.name !== "" && (
            <span class="legend-group" title={group.entries[0]?.title}>
              <TruncatedText text={group.name} among={series} />
            </span>
          )}
          {group.entries.map((entry) => (
            <button
              key={entry.key}
              type="button"
              class="legend-entry"
              aria-pressed={!entry.hidden}
              aria-label={`${entry.name} ${lastText(entry.last, unit)}`}
              title={`${entry.title}\n\nClick hides or shows it, double click shows it alone.`}
              onClick={() => onToggle(entry.key)}
              onDblClick={() => onIsolate(entry.key)}
            >
              <span class="legend-swatch" style={swatch(entry.color, entry.style)} aria-hidden="true" />
              <TruncatedText text={entry.quantity ?? entry.name} among={names} />{" "}
              <span class="legend-value">{lastText(entry.last, symbolOnly(unit))}</span>
            </button>
          ))}
        </li>
      ))}
    </ul>
  );
}
