/**
 * How different two colours look ("rgb(1, 2, 3)", "color(srgb 0.1 0.2 0.3)"): their distance in Oklab, where 0.02 is
 * hardly seen side by side.
 */
export function colorDistance(a: string, b: string): number {
  const [one, other] = [oklab(a), oklab(b)];
  return Math.hypot(...one.map((value, i) => value - (other[i] ?? 0)));
}

/** https://bottosson.github.io/posts/oklab */
function oklab(css: string): readonly number[] {
  const [r = 0, g = 0, b = 0] = (css.match(/[\d.]+/g) ?? []).map((part) => {
    const share = Number(part) / (css.startsWith("color") ? 1 : 255);
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}
