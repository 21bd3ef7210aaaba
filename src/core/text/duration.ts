const SECONDS = new Map([
  ["s", 1],
  ["m", 60],
  ["min", 60],
  ["h", 3600],
]);

const DURATION = /^\s*(\d+\.?\d*|\.\d+)(?:e([+-]?\d+))?\s*(ms|s|m|min|h)?\s*$/;

/**
 * Reads `333ms`, `10s`, `5m`, `1.5h`, or a bare number, which counts seconds.
 * @returns seconds; undefined when the text is no duration
 */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  const [, mantissa = "", exponent = "0", unit = "s"] = match;
  const value = Number(`${mantissa}e${exponent}`);
  return unit === "ms" ? value / 1000 : value * (SECONDS.get(unit) ?? NaN);
}

/** Seconds in milliseconds, without the noise of the multiplication. */
export function toMilliseconds(seconds: number): number {
  return Math.round(seconds * 1e6) / 1000;
}
