import { TIME, textOfCell } from "../../src/core/library/runs.js";
import { naturalOrder } from "../../src/core/text/names.js";
import { roundTicks } from "../format/ticks.js";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** A cell as a page has it. */
export type ShownCell = string | number | null;

/** How values of a column lie along a line from 0 to 1. */
export interface PlotAxis {
  /** Undefined of what has no place. */
  readonly place: (cell: ShownCell) => number | undefined;
  readonly ticks: readonly { readonly at: number; readonly text: string }[];
  /** Numbers have lengths, words only an order. */
  readonly isNumeric: boolean;
}

/** Beyond the outermost values. */
const BEYOND = 0.04;
/** An interval may stretch an axis this far beyond the greatest value; the rest of it is cut off at the edge. */
const STRETCH = 1.35;
const DAY_MS = 86_400_000;

/**
 * The axis of a column: of numbers from 0, also of settings whose texts are numbers; of times from the first to the
 * last; of words in natural order, evenly.
 * @param count ticks that have room
 * @param ends of the values' intervals
 */
export function plotAxis(
  cells: readonly ShownCell[],
  unit: string | undefined,
  count: number,
  ends: readonly (number | undefined)[] = [],
): PlotAxis {
  const known = cells.filter((cell) => cell !== null);
  const numbers = known.map(numberOf);
  if (known.length > 0 && numbers.every((number) => number !== undefined))
    return unit === TIME ? timeAxis(numbers, count) : numberAxis(numbers, unit, count, ends);
  const words = [...new Set(known.map(String))].sort(naturalOrder);
  const placeOf = (word: string) => (words.indexOf(word) + 0.5) / words.length;
  const step = Math.ceil(words.length / Math.max(1, count));
  return {
    place: (cell) => (cell === null ? undefined : placeOf(String(cell))),
    ticks: words.filter((_, i) => i % step === 0).map((text) => ({ at: placeOf(text), text })),
    isNumeric: false,
  };
}

/** A number, also one that is written as a text. */
export function numberOf(cell: ShownCell): number | undefined {
  const number = typeof cell === "string" && cell.trim() !== "" ? Number(cell) : cell;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** From one value to another, with ticks at values. */
export function linearAxis(
  from: number,
  to: number,
  ticks: readonly (readonly [value: number, text: string])[],
): PlotAxis {
  const placeOf = (value: number) => (value - from) / (to - from);
  return {
    place: (cell) => {
      const number = numberOf(cell);
      return number === undefined ? undefined : placeOf(number);
    },
    ticks: ticks.map(([value, text]) => ({ at: placeOf(value), text })),
    isNumeric: true,
  };
}

function numberAxis(
  numbers: readonly number[],
  unit: string | undefined,
  count: number,
  ends: readonly (number | undefined)[],
): PlotAxis {
  const greatest = Math.max(0, ...numbers);
  const upper = Math.max(greatest, ...ends.flatMap((end) => end ?? []));
  const most = Math.min(upper, greatest * STRETCH) * (1 + BEYOND) || 1;
  const least = Math.min(0, ...numbers) * (1 + BEYOND);
  const ticks = roundTicks(most, count, unit);
  return linearAxis(
    least,
    most,
    ticks.map((value) => [value, value === 0 ? "0" : textOfCell(value, unit)]),
  );
}

function timeAxis(times: readonly number[], count: number): PlotAxis {
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const length = last - first || DAY_MS;
  const beside = (length * BEYOND) / (1 - 2 * BEYOND);
  // A day and a time take about twice the room of a number.
  const several = Math.max(1, Math.min(count >> 1, times.length - 1));
  const ticks = Array.from({ length: last === first ? 1 : several + 1 }, (_, i) => first + (i / several) * length);
  const textOf = (time: number) => textOfCell(time, TIME);
  return linearAxis(
    first - beside,
    first + length + beside,
    ticks.map((time) => [time, length > several * DAY_MS ? textOf(time).slice(0, 10) : textOf(time).slice(5)]),
  );
}

/** Room beside a plot, pixels: for the ticks, and for what lies at its upper and right edge. */
const MARGIN = { left: 58, right: 24, top: 14, bottom: 26 } as const;
const HEIGHT = { least: 260, most: 440, share: 0.42 } as const;
/** Pixels from tick to tick at the least. */
const APART = { x: 90, y: 55 } as const;

/** Where a plot's points lie, pixels of its SVG. */
interface PlotBox {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** So many ticks have room, one at 0 besides. */
  readonly ticks: { readonly x: number; readonly y: number };
}

/** The place of a plot that is so wide, and so high, or as its width is. */
export function plotBox(width: number, given?: number): PlotBox {
  const height = given ?? Math.min(HEIGHT.most, Math.max(HEIGHT.least, Math.round(width * HEIGHT.share)));
  const [right, bottom] = [width - MARGIN.right, height - MARGIN.bottom];
  const ticks = {
    x: Math.max(2, Math.floor((right - MARGIN.left) / APART.x)),
    y: Math.max(2, Math.floor((bottom - MARGIN.top) / APART.y)),
  };
  return { width, height, left: MARGIN.left, right, top: MARGIN.top, bottom, ticks };
}

/** An element, and how wide it is; 0 before it is drawn. */
export function useWidth<T extends Element>(): readonly [RefObject<T | null>, number] {
  const box = useRef<T>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (box.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return [box, width];
}

/** A tick of an axis: where it stands, pixels, and what it says. */
interface PlotTick {
  readonly at: number;
  readonly text: string;
}

interface PlotAxesProps {
  readonly box: Pick<PlotBox, "left" | "right" | "top" | "bottom" | "height">;
  readonly x: readonly PlotTick[];
  readonly y: readonly PlotTick[];
}

/** The lines and words of both axes. */
export function PlotAxes({ box: { left, right, top, bottom, height }, x, y }: PlotAxesProps) {
  return (
    <g class="plot-axes" aria-hidden="true">
      {y.map(({ at, text }) => (
        <g key={at}>
          <line x1={left} x2={right} y1={at} y2={at} />
          <text x={left - 8} y={at} dy="0.35em" text-anchor="end">
            {text}
          </text>
        </g>
      ))}
      {x.map(({ at, text }) => (
        <g key={at}>
          <line x1={at} x2={at} y1={top} y2={bottom} />
          <text x={at} y={height - 8} text-anchor="middle">
            {text}
          </text>
        </g>
      ))}
    </g>
  );
}
