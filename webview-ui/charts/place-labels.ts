/** A text to be written beside a point, pixels. */
export interface Labelled {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

/** Where labels may stand. */
export interface Bounds {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Of a digit, and of a line without its descenders. */
const DIGIT = 7;
const LINE = 10;
/** From the middle of a point to its label, and how much room the point itself takes. */
const ASIDE = 11;
const POINT = 5;
/** A label is no further above or below its point. */
const BELOW = 16;
const ABOVE = -8;

/**
 * Where each text begins, on its base line, so that none lies on another, on a point or beyond the bounds; undefined
 * for those that have no such place. Those that come first choose first.
 */
export function placeLabels(
  points: readonly Labelled[],
  bounds: Bounds,
): readonly ({ readonly x: number; readonly y: number } | undefined)[] {
  const taken: Bounds[] = points.map(({ x, y }) => ({
    left: x - POINT,
    right: x + POINT,
    top: y - POINT,
    bottom: y + POINT,
  }));
  return points.map(({ x, y, text }) => {
    if (text === "") return undefined;
    const width = text.length * DIGIT;
    for (const [dx, dy] of [
      [ASIDE, BELOW],
      [ASIDE, ABOVE],
      [-ASIDE - width, ABOVE],
      [-ASIDE - width, BELOW],
    ] as const) {
      const box = { left: x + dx, right: x + dx + width, top: y + dy - LINE, bottom: y + dy };
      if (!inside(box, bounds) || taken.some((other) => overlap(box, other))) continue;
      taken.push(box);
      return { x: box.left, y: box.bottom };
    }
    return undefined;
  });
}

const inside = (box: Bounds, { left, right, top, bottom }: Bounds): boolean =>
  box.left >= left && box.right <= right && box.top >= top && box.bottom <= bottom;

const overlap = (a: Bounds, b: Bounds): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
