/** What a duration without a unit is counted in. */
export type BareUnit = "milliseconds" | "seconds";

const MILLISECONDS = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["min", 60_000],
  ["h", 3_600_000],
]);

const DURATION = /^\s*(\d+\.?\d*|\.\d+)(?:e([+-]?\d+))?\s*(ms|s|m|min|h)?\s*$/;

/**
 * Reads `333ms`, `10s`, `5m`, `1.5h`, or a bare number.
 * @returns the duration in `bare` units; undefined when the text is no duration
 */
export function parseDuration(text: string, bare: BareUnit): number | undefined {
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  const [, mantissa = "", exponent = "0", unit] = match;
  const value = Number(`${mantissa}e${exponent}`);
  const factor = unit === undefined ? undefined : MILLISECONDS.get(unit);
  return factor === undefined ? value : (value * factor) / (bare === "seconds" ? 1000 : 1);
}
