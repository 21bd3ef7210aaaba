import { differs16, sameBytes } from "../bytes/bytes.js";

const DIFFERENT = 0;
export const SAME_SERIES = 1;
export const SAME_LINE = 2;

/**
 * How a line of the last scrape compares with what stands at `j`: of `keyLength` bytes up to the value and `length` in
 * all. A shorter text differs at its newline at the latest, so nothing beyond its padding is read.
 */
export function compareLines(
  a: DataView,
  i: number,
  b: DataView,
  j: number,
  keyLength: number,
  length: number,
): number {
  if (keyLength < 16) {
    if (!sameBytes(a, i, b, j, keyLength)) return DIFFERENT;
  } else {
    const last = keyLength - 16;
    for (let at = 0; at < last; at += 16) if (differs16(a, i + at, b, j + at)) return DIFFERENT;
    if (differs16(a, i + last, b, j + last)) return DIFFERENT;
    // The last 16 bytes of the line cover its value.
    if (length - keyLength <= 16) return differs16(a, i + length - 16, b, j + length - 16) ? SAME_SERIES : SAME_LINE;
  }
  return sameBytes(a, i + keyLength, b, j + keyLength, length - keyLength) ? SAME_LINE : SAME_SERIES;
}
