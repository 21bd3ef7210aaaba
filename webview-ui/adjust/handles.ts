import { t } from "@vscode/l10n";
import { NS_PER_SECOND, offsetNs } from "../../src/core/model/index.js";
import type { RunAdjustment, RunHeader } from "../../src/protocol/index.js";

/** What can be moved: the end of the warm-up, and both ends of the window that all statistics run over. */
export const HANDLES = ["warmupEnd", "windowStart", "windowEnd"] as const;
export type Handle = (typeof HANDLES)[number];

export type HandleHeader = Pick<
  RunHeader,
  "now" | "profilingStart" | "profilingEnd" | "window" | "marks" | "sliceDurationSeconds" | "load"
>;

/** OffsetNs of each. The recorded window runs to the last scrape, which counts; that of a load to its end. */
export function handlePlaces(header: HandleHeader): Readonly<Record<Handle, number>> {
  const { now, profilingStart, profilingEnd = now, window, load } = header;
  return {
    warmupEnd: profilingStart,
    windowStart: window?.start ?? profilingStart,
    windowEnd: window?.end ?? (load?.rule === "load" ? profilingEnd : now),
  };
}

/** How far a handle can be moved, OffsetNs: a window and a profiling phase always have some length. */
export function handleLimits(handle: Handle, header: HandleHeader): readonly [least: number, most: number] {
  const { windowStart, windowEnd } = handlePlaces(header);
  const gap = stepOf(header);
  const room = (least: number, most: number): readonly [number, number] => [least, Math.max(least, most)];
  switch (handle) {
    case "warmupEnd":
      return room(0, (header.profilingEnd ?? header.now) - gap);
    case "windowStart":
      return room(0, windowEnd - gap);
    case "windowEnd":
      return [Math.min(header.now, windowStart + gap), header.now];
  }
}

/** A key's step: a second, of a short run a tenth. */
function stepOf({ now }: HandleHeader): number {
  return now < 20 * NS_PER_SECOND ? NS_PER_SECOND / 10 : NS_PER_SECOND;
}

/**
 * Where a key moves a handle to, OffsetNs, within its limits; Shift and the page keys move by a slice. Undefined: not a
 * key of ours.
 */
export function keyedPlace(
  event: Pick<KeyboardEvent, "key" | "shiftKey">,
  handle: Handle,
  from: number,
  header: HandleHeader,
): number | undefined {
  const [least, most] = handleLimits(handle, header);
  const slice = header.sliceDurationSeconds * NS_PER_SECOND;
  const step = event.shiftKey ? slice : stepOf(header);
  const moved: { readonly [key: string]: number } = {
    ArrowLeft: from - step,
    ArrowDown: from - step,
    ArrowRight: from + step,
    ArrowUp: from + step,
    PageDown: from - slice,
    PageUp: from + slice,
    Home: least,
    End: most,
  };
  const to = moved[event.key];
  return to === undefined ? undefined : clamp(to, least, most);
}

/**
 * Where a handle is let go, OffsetNs: within its limits, and on a mark or a phase's bound where that is near.
 * @param reach how near, ns
 */
export function draggedPlace(handle: Handle, wanted: number, header: HandleHeader, reach: number): number {
  const [least, most] = handleLimits(handle, header);
  const bounds = [
    0,
    header.now,
    ...header.marks.map(({ time }) => time),
    ...(handle === "warmupEnd" ? [] : [header.profilingStart]),
    ...(header.profilingEnd === undefined ? [] : [header.profilingEnd]),
  ];
  const near = bounds.reduce(
    (best, bound) => (Math.abs(bound - wanted) < Math.abs(best - wanted) ? bound : best),
    Infinity,
  );
  return clamp(Math.round(Math.abs(near - wanted) <= reach ? near : wanted), least, most);
}

export function adjustmentOf(handle: Handle, place: number, header: HandleHeader): RunAdjustment {
  const { windowStart, windowEnd } = handlePlaces(header);
  switch (handle) {
    case "warmupEnd":
      return { profilingStart: offsetNs(place) };
    case "windowStart":
      return { window: { start: offsetNs(place), end: offsetNs(windowEnd) } };
    case "windowEnd":
      return { window: { start: offsetNs(windowStart), end: offsetNs(place) } };
  }
}

/** A time that the strip says: where it stands, as a share of the run, and what it is. */
export interface StripTime {
  readonly offset: number;
  readonly share: number;
  readonly what: string;
}

/** Of the run: a warm-up below it cannot be seen, such as the moment between the first scrape and the window. */
const SEEN = 0.005;

/** Shares of the strip that a time needs to be read beside the one before it. */
const TIME_ROOM = { plain: 0.06, named: 0.14 } as const;

/**
 * Times beneath the strip, as there is room: both ends of the run, the end of the warm-up, a chosen window, and the
 * load where it is measured.
 */
export function stripTimes(
  places: Readonly<Record<Handle, number>>,
  now: number,
  chosen: boolean,
  { load, phases = [] }: Pick<RunHeader, "load" | "phases"> = {},
): StripTime[] {
  if (!(now > 0)) return [];
  const at = (offset: number, what: StripTime["what"]): StripTime => ({
    offset,
    share: clamp(offset / now, 0, 1),
    what,
  });
  const ofLoad = load?.rule === "load";
  const begins = ofLoad && !phases.some(({ kind }) => kind === "warmup") ? t("load begins") : t("warm-up ends");
  const wanted = [
    ...(places.warmupEnd > SEEN * now ? [at(places.warmupEnd, begins)] : []),
    ...(chosen
      ? [at(places.windowStart, t("window")), at(places.windowEnd, "")]
      : ofLoad && places.windowEnd < (1 - SEEN) * now
        ? [at(places.windowEnd, t("load ends"))]
        : []),
    at(now, ""),
    at(0, ""),
  ];
  const shown: StripTime[] = [];
  for (const time of wanted) {
    const room = (other: StripTime) => (other.what === "" && time.what === "" ? TIME_ROOM.plain : TIME_ROOM.named);
    if (shown.every((other) => Math.abs(other.share - time.share) >= room(other))) shown.push(time);
  }
  return shown.sort((a, b) => a.share - b.share);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
